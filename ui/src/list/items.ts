/**
 * Which lines the list of questions has: sorted and filtered by the person's choice, what one server asks many times
 * as one line that opens, and one closed line at the end for each paused server. Which questions are alike and which
 * are held is decided in Rust.
 */
import type { AskKind, AskRow, ServerId } from "../lib/wire";

export type Order = "oldest" | "newest";

/** What the person chose to see; kept while the app runs. */
export type Choice = {
  order: Order;
  server: ServerId | null;
  kind: "form" | "link" | null;
};

export type Item =
  | { kind: "ask"; key: string; ask: AskRow; within: boolean }
  | { kind: "group"; key: string; first: AskRow; count: number; drafts: number; open: boolean }
  | { kind: "held"; key: string; server: ServerId; name: string; count: number };

export const ALL: Choice = { order: "oldest", server: null, kind: null };

/** `asks` oldest first; `open` holds the keys of groups that are open. */
export function items(asks: AskRow[], choice: Choice, open: ReadonlySet<string>): Item[] {
  const chosen = asks.filter((ask) => fits(ask, choice));
  const held = new Map<ServerId, Item & { kind: "held" }>();
  const groups = new Map<number, Item & { kind: "group" }>();
  const members = new Map<number, AskRow[]>();
  const lines: Item[] = [];
  for (const ask of choice.order === "newest" ? chosen.reverse() : chosen) {
    if (ask.held) {
      const line = held.get(ask.server);
      if (line) line.count += 1;
      else held.set(ask.server, heldLine(ask));
    } else if (ask.group === null) {
      lines.push({ kind: "ask", key: `ask ${ask.id}`, ask, within: false });
    } else {
      let group = groups.get(ask.group);
      if (!group) {
        const key = groupKey(ask);
        group = { kind: "group", key, first: ask, count: 0, drafts: 0, open: open.has(key) };
        groups.set(ask.group, group);
        members.set(ask.group, []);
        lines.push(group);
      }
      group.count += 1;
      if (ask.draft) group.drafts += 1;
      if (group.open) members.get(ask.group)?.push(ask);
    }
  }
  const all = lines.flatMap((line): Item[] => {
    if (line.kind !== "group" || line.first.group === null) return [line];
    const within = members.get(line.first.group) ?? [];
    return [
      line,
      ...within.map((ask): Item => ({ kind: "ask", key: `ask ${ask.id}`, ask, within: true })),
    ];
  });
  return [...all, ...held.values()];
}

/** The same while its questions come and go, which the oldest of them is not. */
export function groupKey(ask: AskRow): string {
  return `group ${ask.server} ${ask.kind} ${ask.firstLine}`;
}

function fits(ask: AskRow, { server, kind }: Choice): boolean {
  return (
    (server === null || ask.server === server) && (kind === null || FILTERED_AS[ask.kind] === kind)
  );
}

/** What cannot be shown stands with the questions. */
const FILTERED_AS: Record<AskKind, "form" | "link"> = {
  form: "form",
  link: "link",
  unusable: "form",
};

function heldLine(ask: AskRow): Item & { kind: "held" } {
  return {
    kind: "held",
    key: `held ${ask.server}`,
    server: ask.server,
    name: ask.serverName,
    count: 1,
  };
}
