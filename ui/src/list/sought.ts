/** What the person looks for in History: as it stands in the list's controls, as Rust is asked, and in words. */
import type { HistoryAsked, HistoryKind, HistoryShow, ServerId } from "../lib/wire";
import { chip, date } from "../lib/words";

export type Days = "today" | "week" | "month" | "between";

export type Sought = {
  text: string;
  server: ServerId | null;
  kind: HistoryKind | null;
  show: HistoryShow | null;
  days: Days | null;
  /** Of "between", "2027-03-05" or empty. */
  from: string;
  to: string;
};

export const ANYTHING: Sought = {
  text: "",
  server: null,
  kind: null,
  show: null,
  days: null,
  from: "",
  to: "",
};

export const KINDS: { value: HistoryKind; title: string }[] = [
  { value: "form", title: "Questions" },
  { value: "link", title: "Web pages" },
  { value: "unusable", title: "Questions that cannot be shown" },
  { value: "call", title: "Calls" },
  { value: "server", title: "Servers" },
];

export const SHOW: { value: HistoryShow; title: string }[] = [
  { value: "accepted", title: "You accepted" },
  { value: "declined", title: "You declined" },
  { value: "dismissed", title: "You dismissed or gave up" },
  { value: "unanswered", title: "Ended without an answer" },
  { value: "trouble", title: "Not delivered, unknown or failed" },
  { value: "opened", title: "Pages in the browser" },
  { value: "calls", title: "Calls and servers" },
];

export const DAYS: { value: Days; title: string }[] = [
  { value: "today", title: "Today" },
  { value: "week", title: "Last 7 days" },
  { value: "month", title: "Last 30 days" },
  { value: "between", title: "From … to …" },
];

/** `today` is a day like "2027-03-05", as are the days of the answer. */
export function asked(sought: Sought, today: string): HistoryAsked {
  const { server, show, kind, text } = sought;
  return { server, show, kind, text: text.trim(), ...span(sought, today) };
}

function span({ days, from, to }: Sought, today: string): Pick<HistoryAsked, "from" | "to"> {
  switch (days) {
    case null:
      return { from: null, to: null };
    case "today":
      return { from: today, to: today };
    case "week":
      return { from: before(today, 6), to: today };
    case "month":
      return { from: before(today, 29), to: today };
    case "between":
      return { from: from || null, to: to || null };
  }
}

/** The local day of a moment. */
export function dayOf(moment: number): string {
  const at = new Date(moment);
  return iso(new Date(Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())));
}

function before(day: string, days: number): string {
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - days);
  return iso(at);
}

function iso(at: Date): string {
  return at.toISOString().slice(0, 10);
}

/** Each thing that is asked for, in words; nothing where anything fits. */
export function told(sought: Sought, nameOf: (server: ServerId) => string | undefined): string[] {
  const { text, server, kind, show } = sought;
  const titled = <Value>(titles: { value: Value; title: string }[], chosen: Value | null) =>
    titles.find(({ value }) => value === chosen)?.title ?? "";
  return [
    text.trim() === "" ? "" : `“${chip(text.trim())}”`,
    server === null ? "" : (nameOf(server) ?? "A server that was removed"),
    titled(KINDS, kind),
    titled(SHOW, show),
    sought.days === "between" ? between(sought) : titled(DAYS, sought.days),
  ].filter((part) => part !== "");
}

function between({ from, to }: Sought): string {
  if (from && to) return from === to ? date(from) : `${date(from)} to ${date(to)}`;
  if (from) return `Since ${date(from)}`;
  return to && `Up to ${date(to)}`;
}

/** Why no day can be between the two. */
export function isBackwards({ days, from, to }: Sought): boolean {
  return days === "between" && from !== "" && to !== "" && from > to;
}
