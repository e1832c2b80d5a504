/** A backend without a program behind it: answers from what it was given, and keeps what it was asked. */
import type { Answer, Backend, Completing, Offer } from "../src/lib/backend";
import type {
  Answered,
  ArgumentsInput,
  ArgumentsReading,
  ArgumentsView,
  AskView,
  CallAct,
  Choices,
  Completion,
  Exported,
  ExportFormat,
  Failure,
  FieldInput,
  HistoryAsked,
  HistoryEntry,
  HistoryPage,
  HistoryRow,
  KeepingAct,
  ResultView,
  ServerDraft,
  ServerPage,
  ServerPreview,
  Snapshot,
  Started,
  Unfinished,
  Verification,
} from "../src/lib/wire";
import { ask, grouped, row, snapshot } from "./fixtures";
import { moment, ZONES } from "./moment";
import { review } from "./review";

export class FakeBackend implements Backend {
  world: Snapshot = snapshot();
  asks = new Map<number, AskView>();
  calls = new Map<number, ResultView>();
  pages = new Map<number, ServerPage>();
  offers: (offer: Offer) => ArgumentsView = () => {
    throw gone();
  };
  /** What becomes of the next answer. */
  answer: (answer: Answer) => Answered = () => ({ kind: "sent" });
  start: (offer: Offer, args: ArgumentsInput) => Started = () => ({ kind: "started", call: 10 });
  preview: (pasted: string) => ServerPreview = () => {
    throw gone();
  };
  /** What the server proposes for a field. */
  completion: (asked: Completing) => Completion | Promise<Completion> = () => {
    throw gone();
  };
  /** What a text for arguments means. */
  reading: (text: string) => Partial<ArgumentsReading> = () => ({});
  armedIn = 700;
  /** Newest first. */
  past: HistoryRow[] = [];
  pageSize = 60;
  entry: (number: number) => HistoryEntry = () => {
    throw gone();
  };
  verification: Verification = {
    holds: true,
    sentence: "2 entries looked at: none was changed, removed, moved or added.",
    troubles: [],
    more: 0,
    notes: ["The key store was not asked. An older copy of the whole file would not be noticed."],
  };
  chosen: Choices = { keepResults: true, keepValues: false, history: "for_ever" };

  answers: Answer[] = [];
  drafts: { ask: number; inputs: FieldInput[] }[] = [];
  checks: FieldInput[][] = [];
  readings: string[] = [];
  completed: Completing[] = [];
  showings: { ask: number; revision: number }[] = [];
  starts: { offer: Offer; args: ArgumentsInput }[] = [];
  callActs: { call: number; act: CallAct }[] = [];
  keepingActs: KeepingAct[] = [];
  /** What becomes of the person's word on keeping. */
  keep: (act: KeepingAct) => void = () => {};
  added: ServerDraft[] = [];
  removed: number[] = [];
  searched: HistoryAsked[] = [];
  exports: { asked: HistoryAsked; format: ExportFormat }[] = [];
  forgotten: number[] = [];
  choosings: Choices[] = [];
  reconnected: number[] = [];
  pauses: { server: number; paused: boolean }[] = [];
  snapshots = 0;
  /** Tries to close the window. */
  closing: (unfinished: Unfinished) => void = () => {};
  closed: boolean[] = [];

  #listeners = new Set<() => void>();

  /** Puts cards on the desk; their rows and calls follow. */
  put(...views: AskView[]): this {
    for (const view of views) {
      this.asks.set(view.id, view);
      if (!this.calls.has(view.call.id)) {
        this.calls.set(view.call.id, { call: view.call, notices: [], parts: [], json: null });
      }
    }
    const calls = new Map(this.world.calls.map((call) => [call.id, call]));
    for (const view of this.asks.values()) calls.set(view.call.id, view.call);
    this.world = {
      ...this.world,
      revision: this.world.revision + 1,
      asks: grouped([...this.asks.values()].map(row)),
      calls: [...calls.values()],
    };
    return this;
  }

  putCall(...results: ResultView[]): this {
    for (const result of results) this.calls.set(result.call.id, result);
    this.world = {
      ...this.world,
      calls: [
        ...this.world.calls.filter((call) => !results.some((result) => result.call.id === call.id)),
        ...results.map((result) => result.call),
      ],
    };
    return this;
  }

  take(ask: number): this {
    this.asks.delete(ask);
    return this.put();
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  async snapshot() {
    this.snapshots += 1;
    return this.world;
  }
  async serverPage(server: number) {
    return found(this.pages.get(server));
  }
  async previewServer(pasted: string) {
    return this.preview(pasted);
  }
  async addServer(draft: ServerDraft) {
    this.added.push(draft);
    return 1;
  }
  async removeServer(server: number) {
    this.removed.push(server);
    return null;
  }
  async reconnectServer(server: number) {
    this.reconnected.push(server);
    return null;
  }
  async pauseServer(server: number, paused: boolean) {
    this.pauses.push({ server, paused });
    const servers = this.world.servers.map((row) => (row.id === server ? { ...row, paused } : row));
    this.world = { ...this.world, servers };
    for (const view of this.asks.values()) {
      if (view.server.id !== server || view.phase.kind !== "waiting") continue;
      const acts = paused ? view.acts.filter((act) => act === "stop_call") : ask({}).acts;
      const next = { ...view, acts, held: paused, server: { ...view.server, paused } };
      this.asks.set(view.id, { ...next, revision: view.revision + 1 });
    }
    this.put();
    return null;
  }
  async arguments(offer: Offer) {
    return this.offers(offer);
  }
  async checkArguments(offer: Offer, fields: FieldInput[]) {
    this.checks.push(fields);
    return review(this.offers(offer).form ?? { fields: [] }, fields);
  }
  async writeArguments(offer: Offer, fields: FieldInput[]) {
    return review(this.offers(offer).form ?? { fields: [] }, fields).json ?? "{}";
  }
  async readArguments(_: Offer, text: string): Promise<ArgumentsReading> {
    this.readings.push(text);
    const nothing = { trouble: null, findings: [], unchecked: null, fields: null, noFields: null };
    return { ...nothing, ...this.reading(text) };
  }
  async zones() {
    return ZONES;
  }
  async moment(text: string, zone: string, replace: boolean) {
    return moment(text, zone, replace);
  }
  async complete(asked: Completing) {
    this.completed.push(asked);
    return this.completion(asked);
  }
  async startCall(offer: Offer, args: ArgumentsInput) {
    this.starts.push({ offer, args });
    return this.start(offer, args);
  }
  async ask(ask: number) {
    return found(this.asks.get(ask));
  }
  async draft(ask: number, inputs: FieldInput[]) {
    this.drafts.push({ ask, inputs });
    const { body } = found(this.asks.get(ask));
    return review(body.kind === "form" ? body.form : { fields: [] }, inputs);
  }
  async shown(ask: number, revision: number) {
    this.showings.push({ ask, revision });
    return { inMs: this.armedIn };
  }
  async act(answer: Answer) {
    this.answers.push(answer);
    return this.answer(answer);
  }
  async call(call: number) {
    return found(this.calls.get(call));
  }
  async actOnKeeping(act: KeepingAct) {
    this.keepingActs.push(act);
    this.keep(act);
    this.changed();
    return null;
  }
  async actOnCall(call: number, act: CallAct) {
    this.callActs.push({ call, act });
    return null;
  }
  async forgetCall(call: number) {
    this.forgotten.push(call);
    this.calls.delete(call);
    const calls = this.world.calls.filter((row) => row.id !== call);
    this.world = { ...this.world, calls };
    return null;
  }
  async history(asked: HistoryAsked, before: number | null): Promise<HistoryPage> {
    this.searched.push(asked);
    const words = asked.text.toLowerCase();
    const fits = this.past.filter((row) => {
      const day = row.at.slice(0, 10);
      return (
        (before === null || row.number < before) &&
        (asked.kind === null || row.kind === asked.kind) &&
        (asked.from === null || asked.from <= day) &&
        (asked.to === null || day <= asked.to) &&
        `${row.what} ${row.quoted} ${row.serverName}`.toLowerCase().includes(words)
      );
    });
    const rows = fits.slice(0, this.pageSize);
    const more = fits.length > rows.length;
    return { rows, before: more ? (rows.at(-1)?.number ?? null) : null };
  }
  async historyEntry(number: number) {
    return this.entry(number);
  }
  async exportHistory(asked: HistoryAsked, format: ExportFormat): Promise<Exported> {
    this.exports.push({ asked, format });
    return { path: `/home/ada/Downloads/countersign-history-2027-03-05.${format}`, entries: 2 };
  }
  async verifyHistory() {
    return this.verification;
  }
  async choices() {
    return this.chosen;
  }
  async choose(choices: Choices) {
    this.choosings.push(choices);
    this.chosen = choices;
    return this.chosen;
  }
  async onChanged(changed: () => void) {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
  async onClosing(closing: (unfinished: Unfinished) => void) {
    this.closing = closing;
    return () => {
      this.closing = () => {};
    };
  }
  async close(quit: boolean) {
    this.closed.push(quit);
    return null;
  }
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw gone();
  return value;
}

function gone(): Failure {
  return { code: "gone", message: "It is no longer here." };
}
