import type { Inspection } from "../lib/wire";

/**
 * The two names to choose between before a risky link opens, in an order that tells nothing. A name in technical form
 * cannot be typed with understanding, so it is told from its look-alike instead; every other domain is typed.
 */
export function toldApart(inspection: Inspection): string[] | null {
  const { verdict, domain, imitates } = inspection;
  if (verdict !== "risky" || domain === null || imitates === null) return null;
  return domain.includes("xn--") ? [domain, imitates].sort() : null;
}
