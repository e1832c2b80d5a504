/**
 * What the window shows: the snapshot, which list is open, which card, call or form is open beside it.
 *
 * Nothing here opens a card by itself; an arrival changes a row, a count and one spoken sentence.
 */

import { ALL, type Choice } from "../list/items";
import { type Backend, failureText, type Offer } from "./backend";
import type { AskId, AskRow, CallId, ServerId, Snapshot } from "./wire";
import { plural } from "./words";

export type ListPlace =
  | { kind: "inbox" }
  | { kind: "calls" }
  | { kind: "history" }
  | { kind: "settings" }
  | { kind: "server"; server: ServerId };

export type CardPlace =
  | { kind: "ask"; ask: AskId }
  | { kind: "call"; call: CallId }
  | { kind: "entry"; entry: number }
  | { kind: "settings" }
  | { kind: "start"; offer: Offer }
  | { kind: "add" };

/** A reading that takes longer is followed by a rest. */
const BUSY_MS = 30;

export class Desk {
  readonly backend: Backend;
  snapshot = $state.raw<Snapshot | null>(null);
  /** Why there is no snapshot, or none newer. */
  trouble = $state<string | null>(null);
  list = $state.raw<ListPlace>({ kind: "inbox" });
  card = $state.raw<CardPlace | null>(null);
  /** Grows with every change; whatever is open reads itself again. */
  tick = $state(0);
  /** Of the one polite live region. */
  said = $state("");
  now = $state(Date.now());
  /** The person asked to see the first question of this call. */
  awaited = $state<CallId | null>(null);

  /** Which questions the list shows, and in which order. */
  choice = $state.raw<Choice>(ALL);
  /** Keys of the groups that are open. */
  groups = $state.raw<ReadonlySet<string>>(new Set());

  #reading: Promise<void> | null = null;
  #again = false;

  constructor(backend: Backend, list: ListPlace, card: CardPlace | null) {
    this.backend = backend;
    this.list = list;
    this.card = card;
  }

  /** Reads the snapshot and follows changes; returns the way to stop. */
  follow(): () => void {
    let stop: (() => void) | undefined;
    let over = false;
    void this.backend
      .onChanged(() => void this.read())
      .then((unlisten) => {
        if (over) unlisten();
        else stop = unlisten;
      });
    const minute = setInterval(() => {
      this.now = Date.now();
    }, 30_000);
    void this.read();
    return () => {
      over = true;
      stop?.();
      clearInterval(minute);
    };
  }

  /**
   * Reads everything again; changes that come meanwhile cost one more reading, not one each. While a reading takes
   * long, because thousands of questions wait, as much time is left to the person. Ends when a reading has ended that
   * began after this was called.
   */
  read(): Promise<void> {
    if (this.#reading) this.#again = true;
    else this.#reading = this.#readAll();
    return this.#reading;
  }

  async #readAll(): Promise<void> {
    do {
      this.#again = false;
      const begun = performance.now();
      try {
        const next = await this.backend.snapshot();
        const before = this.snapshot;
        this.snapshot = next;
        this.trouble = null;
        this.now = Date.now();
        this.tick += 1;
        if (before) this.#news(before.asks, next.asks);
      } catch (failure) {
        this.trouble = failureText(failure);
      }
      const took = performance.now() - begun;
      if (this.#again && took > BUSY_MS) await new Promise((done) => setTimeout(done, took));
    } while (this.#again);
    this.#reading = null;
  }

  /** Says something in the live region, also when it is what was said last. */
  say(text: string): void {
    this.said = this.said === text ? `${text}\u00a0` : text;
  }

  /** Opens or closes what one server asks many times. */
  toggle(group: string): void {
    const groups = new Set(this.groups);
    if (!groups.delete(group)) groups.add(group);
    this.groups = groups;
  }

  /** Holds the questions of a server, or no longer. Nothing is sent. */
  async pause(server: ServerId, paused: boolean): Promise<void> {
    const name = this.snapshot?.servers.find((row) => row.id === server)?.name ?? "The server";
    try {
      await this.backend.pauseServer(server, paused);
      this.say(paused ? `${name} is paused, its questions are held` : `${name} is resumed`);
    } catch (failure) {
      this.say(failureText(failure));
      this.trouble = failureText(failure);
      return;
    }
    await this.read();
  }

  open(card: CardPlace | null): void {
    this.card = card;
  }

  show(list: ListPlace): void {
    this.list = list;
    this.card = null;
  }

  #news(before: AskRow[], after: AskRow[]): void {
    const news = [arrivals(before, after), ...pagesDone(before, after)].filter(
      (text) => text !== null,
    );
    if (news.length > 0) this.say(news.join(". "));
  }
}

function arrivals(before: AskRow[], after: AskRow[]): string | null {
  const known = new Set(before.map((ask) => ask.id));
  const asks = (ask: AskRow) => ask.phase.kind === "waiting" && !ask.held;
  const fresh = after.filter((ask) => !known.has(ask.id) && asks(ask));
  const first = fresh[0];
  if (!first) return null;
  const waiting = after.filter(asks).length;
  const practice = first.practice ? "Practice: " : "";
  return fresh.length === 1
    ? `${practice}${first.serverName} asks ${first.kind === "link" ? "you to open a web page" : "a question"}, ${waiting} waiting`
    : `${plural(fresh.length, "new question")}, ${waiting} waiting`;
}

/** A page that was opened from here is done, says the server; checking again stays with the person. */
function pagesDone(before: AskRow[], after: AskRow[]): string[] {
  const isDone = ({ phase }: AskRow) => phase.kind === "in_browser" && phase.finished;
  const open = new Set(before.filter((ask) => !isDone(ask)).map((ask) => ask.id));
  return after
    .filter((ask) => open.has(ask.id) && isDone(ask))
    .map((ask) => `${ask.serverName} says that the page is done`);
}
