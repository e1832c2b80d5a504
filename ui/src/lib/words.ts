/**
 * The app's own words for states, limits and times. Everything here is said by the app, never by a server.
 */
import type { Action, AskKind, AskPhase, CallRow, Control, EntryControl, OfferKind } from "./wire";

const MINUTE = 60_000;
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** "now", "3 min", "2 h", "4 d": how long ago `at` (RFC 3339) was. */
export function age(at: string, now: number): string {
  const then = Date.parse(at);
  if (Number.isNaN(then)) return "";
  const minutes = Math.floor((now - then) / MINUTE);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

/** "14:02", as the RFC 3339 text itself says it. */
export function clock(at: string): string {
  return /T(\d\d:\d\d)/.exec(at)?.[1] ?? "";
}

/** "Today", "Yesterday", "3 May 2027": the day that the RFC 3339 text itself says. */
export function day(at: string, now: number): string {
  const date = /^(\d{4})-(\d\d)-(\d\d)T/.exec(at);
  if (!date) return "";
  const [, year, month, number] = date.map(Number) as [number, number, number, number];
  const of = (time: Date) => Date.UTC(time.getFullYear(), time.getMonth(), time.getDate());
  const back = (of(new Date(now)) - Date.UTC(year, month - 1, number)) / 86_400_000;
  if (back === 0) return "Today";
  if (back === 1) return "Yesterday";
  return inWords(year, month, number);
}

/** "3 May 2027": a day like "2027-05-03"; any other text as it is. */
export function date(day: string): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day);
  if (!parts) return day;
  const [, year, month, number] = parts.map(Number) as [number, number, number, number];
  return inWords(year, month, number);
}

function inWords(year: number, month: number, number: number): string {
  return `${number} ${MONTHS[month - 1] ?? ""} ${year}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Foreign words outside the server's frame: 40 code points at most, the cut shown. As in Rust. */
export function chip(words: string): string {
  const letters = [...words];
  return letters.length > 40 ? `${letters.slice(0, 39).join("")}…` : words;
}

export const KIND_WORD: Record<AskKind, string> = {
  form: "Question",
  link: "Web page",
  unusable: "Cannot be shown",
};

/** What the header of a card says after the server's name. */
export const ASKS: Record<AskKind, string> = {
  form: "wants an answer",
  link: "asks you to open a web page",
  unusable: "asks something this app cannot show",
};

export const OFFER_WORD: Record<OfferKind, string> = {
  action: "Action",
  starter: "Starter",
  document: "Document",
  question: "Question",
};

/** One to three words for a list row. */
export function phaseWord(phase: AskPhase, call: CallRow | undefined): string {
  if (call?.phase === "server_moved") return "Paused, its server moved";
  switch (phase.kind) {
    case "waiting":
      return "Waiting";
    case "opening":
      return "Opening";
    case "may_be_open":
      return "May have opened";
    case "open_failed":
      return "Could not open";
    case "kept":
      return `Kept: ${ACTION_WORD[phase.action]}`;
    case "sending":
      return "Sending";
    case "in_browser":
      if (phase.finished) return "Page is done";
      return phase.asking ? "Asking the server" : "In your browser";
    case "delivered":
      return DONE_WORD[phase.action];
    case "undelivered":
      if (phase.reason !== null) return "Not confirmed";
      return call?.phase === "unknown" ? "Outcome unknown" : "Not delivered";
    case "withdrawn":
      return "Withdrawn";
    case "closed":
      return "Over";
  }
}

export const ACTION_WORD: Record<Action, string> = {
  accept: "answer",
  decline: "decline",
  cancel: "dismiss",
};

export const DONE_WORD: Record<Action, string> = {
  accept: "Sent",
  decline: "Declined",
  cancel: "Dismissed",
};

/** Whether a question waits for the person: to be answered, or to come back from the browser. */
export function needsYou(phase: AskPhase): boolean {
  switch (phase.kind) {
    case "waiting":
    case "may_be_open":
    case "open_failed":
      return true;
    case "in_browser":
      return !phase.asking;
    case "opening":
    case "kept":
    case "sending":
    case "delivered":
    case "undelivered":
    case "withdrawn":
    case "closed":
      return false;
  }
}

/** Whether a card is over: it keeps its place with a grey stripe. */
export function isOver(phase: AskPhase): boolean {
  return phase.kind === "delivered" || phase.kind === "undelivered" || endedUnanswered(phase);
}

/** The question went away without an answer; what was entered is still there to be read and copied. */
export function endedUnanswered(phase: AskPhase): boolean {
  return phase.kind === "withdrawn" || phase.kind === "closed";
}

/** The reason with what it means for the answer, unless it says so itself: an answer may have been on its way. */
export function nothingSent(reason: string): string {
  return /\b(sent|arrived)\b/.test(reason) ? reason : `${reason} Nothing was sent.`;
}

export function isRunning(call: CallRow): boolean {
  switch (call.phase) {
    case "sending":
    case "asking":
    case "pacing":
    case "paused_at_cap":
    case "server_moved":
      return true;
    case "unknown":
    case "not_delivered":
      return call.acts.includes("send_again");
    case "done":
    case "done_with_error":
    case "failed":
    case "stopped":
      return false;
  }
}

/** "whole number, 1 to 5": what a control accepts, before anything is wrong. */
export function limits(control: Control | EntryControl): string | null {
  switch (control.kind) {
    case "text":
      return joined([
        span(control.minLength, control.maxLength, "", " character"),
        control.format === "date-time" ? "date, time and zone" : null,
        control.hint,
      ]);
    case "number":
      return joined([
        control.integer ? "whole number" : "number",
        range(control),
        control.multipleOf === null ? null : `a multiple of ${control.multipleOf}`,
      ]);
    case "choices":
      return chosen(control.minItems, control.maxItems);
    case "entries": {
      const each = limits(control.item);
      return joined([
        span(control.minItems, control.maxItems, "entries: "),
        each && `each: ${each}`,
        control.unique ? "no entry twice" : null,
      ]);
    }
    case "yesNo":
    case "choice":
      return null;
  }
}

function range({
  minimum,
  maximum,
  above,
  below,
}: Extract<EntryControl, { kind: "number" }>): string | null {
  if (minimum !== null && maximum !== null) return `${minimum} to ${maximum}`;
  const least = minimum === null ? above && `more than ${above}` : `${minimum} or more`;
  const most = maximum === null ? below && `less than ${below}` : `${maximum} or less`;
  return [least, most].filter(Boolean).join(" and ") || null;
}

/** A least of one says nothing: what is required is not empty, and what is empty is left out. */
function span(least: number | null, most: number | null, verb: string, unit = ""): string | null {
  const from = least !== null && least > 1 ? least : null;
  const counted = (count: number) => `${count}${unit && count !== 1 ? `${unit}s` : unit}`;
  if (most !== null && least === most) return `${verb}exactly ${counted(most)}`;
  if (from !== null && most !== null) return `${verb}${from} to ${counted(most)}`;
  if (from !== null) return `${verb}at least ${counted(from)}`;
  if (most !== null) return `${verb}at most ${counted(most)}`;
  return null;
}

/** Unlike with text the least is said even where it is one: what is ticked is counted. */
function chosen(least: number | null, most: number | null): string | null {
  if (least === 1)
    return most === null
      ? "choose at least 1"
      : most > 1
        ? `choose 1 to ${most}`
        : "choose exactly 1";
  return span(least, most, "choose ");
}

function joined(parts: (string | null)[]): string | null {
  return parts.filter(Boolean).join(", ") || null;
}

/** Two letters for a server's tile. */
export function initials(name: string): string {
  const words = name.split(/[\s\-_.]+/u).filter(Boolean);
  const letters = words.length > 1 ? [words[0], words[1]] : [words[0]];
  const text = letters.map((word) => [...(word ?? "")][0] ?? "").join("");
  return (words.length === 1 ? [...(words[0] ?? "")].slice(0, 2).join("") : text).toUpperCase();
}

/** Which of five quiet colours a server's tile has. */
export function tint(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return sum % 5;
}
