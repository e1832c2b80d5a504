import type { Inspection } from "../lib/wire";

/**
 * The two names to choose between before a risky link opens; `swapped` is their order, to be left to chance. A name in
 * technical form cannot be typed with understanding, so it is told from its look-alike instead; every other domain is
 * typed.
 */
export function toldApart(inspection: Inspection, swapped = false): string[] | null {
  const { verdict, domain, imitates } = inspection;
  if (verdict !== "risky" || domain === null || imitates === null) return null;
  if (!domain.includes("xn--")) return null;
  return swapped ? [imitates, domain] : [domain, imitates];
}

/** Whether a name that was typed or chosen is this one, as the program compares them. */
export function isNamed(typed: string, name: string | null): boolean {
  const bare = (text: string) => text.trim().toLowerCase().replace(/\.$/, "");
  return name !== null && name !== "" && bare(typed) === bare(name);
}
