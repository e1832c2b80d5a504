/**
 * The only file that knows Tauri. Everything the window can ask of the program is a method of {@link Backend};
 * tests and the gallery put a made-up one in its place.
 *
 * Every method rejects with a {@link Failure}.
 */
import { invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import type {
  Act,
  Answered,
  ArgumentsInput,
  ArgumentsReading,
  ArgumentsView,
  Armed,
  AskId,
  AskView,
  CallAct,
  CallId,
  Choices,
  Completion,
  Exported,
  ExportFormat,
  Failure,
  FieldInput,
  HistoryAsked,
  HistoryEntry,
  HistoryPage,
  KeepingAct,
  Moment,
  OfferKind,
  ResultView,
  Review,
  ServerDraft,
  ServerId,
  ServerPage,
  ServerPreview,
  Snapshot,
  Started,
  Unfinished,
  Verification,
  Zones,
} from "./wire";

/** One thing on a server's page. */
export type Offer = { server: ServerId; kind: OfferKind; index: number };

/** One field of a starter or a document, with everything that was entered so far. */
export type Completing = Offer & { field: number; inputs: FieldInput[] };

export interface Backend {
  snapshot(): Promise<Snapshot>;
  serverPage(server: ServerId): Promise<ServerPage>;
  /** Understands pasted text; starts nothing. */
  previewServer(pasted: string): Promise<ServerPreview>;
  addServer(draft: ServerDraft): Promise<ServerId>;
  removeServer(server: ServerId): Promise<null>;
  reconnectServer(server: ServerId): Promise<null>;
  /** Holds the questions of a server, or no longer; sends nothing. */
  pauseServer(server: ServerId, paused: boolean): Promise<null>;
  arguments(offer: Offer): Promise<ArgumentsView>;
  checkArguments(offer: Offer, fields: FieldInput[]): Promise<Review>;
  /** What was entered into the fields, as JSON to go on with. */
  writeArguments(offer: Offer, fields: FieldInput[]): Promise<string>;
  /** What a text for arguments means; sends nothing. */
  readArguments(offer: Offer, text: string): Promise<ArgumentsReading>;
  /** The time zones that there are. */
  zones(): Promise<Zones>;
  /** What a text means as a date and time; with `replace` an offset in it gives way to the zone. */
  moment(text: string, zone: string, replace: boolean): Promise<Moment>;
  /** What the server proposes for a field, of a starter or a document. */
  complete(asked: Completing): Promise<Completion>;
  startCall(offer: Offer, args: ArgumentsInput): Promise<Started>;
  /** Rejects with `gone` once the question is over and forgotten. */
  ask(ask: AskId): Promise<AskView>;
  draft(ask: AskId, inputs: FieldInput[]): Promise<Review>;
  /** Says that this revision of a card is on the screen; the guard runs from here. */
  shown(ask: AskId, revision: number): Promise<Armed>;
  act(answer: Answer): Promise<Answered>;
  call(call: CallId): Promise<ResultView>;
  actOnCall(call: CallId, act: CallAct): Promise<null>;
  /** The person's word on where calls are kept. */
  actOnKeeping(act: KeepingAct): Promise<null>;
  /** Forgets a call that has ended; history stays. */
  forgetCall(call: CallId): Promise<null>;
  /** A page of history, newest first, older than `before` where that is given. */
  history(asked: HistoryAsked, before: number | null): Promise<HistoryPage>;
  historyEntry(number: number): Promise<HistoryEntry>;
  /** Writes what fits into a new file in the folder for downloads. */
  exportHistory(asked: HistoryAsked, format: ExportFormat): Promise<Exported>;
  verifyHistory(): Promise<Verification>;
  choices(): Promise<Choices>;
  choose(choices: Choices): Promise<Choices>;
  /** Calls back after every change; returns the way to stop that. */
  onChanged(changed: () => void): Promise<() => void>;
  /** The person wants to close the window while something is unfinished. */
  onClosing(closing: (unfinished: Unfinished) => void): Promise<() => void>;
  /** The person's word on that. */
  close(quit: boolean): Promise<null>;
}

/** One press of a button of a card. */
export type Answer = {
  ask: AskId;
  revision: number;
  act: Act;
  /** What was entered, for acts that send or keep it. */
  inputs: FieldInput[] | null;
  /** The domain that the person typed or picked, for a risky link. */
  domain: string | null;
};

export function isFailure(error: unknown): error is Failure {
  return typeof error === "object" && error !== null && "code" in error && "message" in error;
}

/** What to tell the person about a rejection. */
export function failureText(error: unknown): string {
  return isFailure(error) ? error.message : "The app did not answer. Try again.";
}

export const tauri: Backend = {
  snapshot: () => command("snapshot", {}),
  serverPage: (server) => command("server_page", { server }),
  previewServer: (pasted) => command("preview_server", { pasted }),
  addServer: (draft) => command("add_server", { draft }),
  removeServer: (server) => command("remove_server", { server }),
  reconnectServer: (server) => command("reconnect_server", { server }),
  pauseServer: (server, paused) => command("pause_server", { server, paused }),
  arguments: (offer) => command("arguments", { ...offer }),
  checkArguments: (offer, fields) => command("check_arguments", { ...offer, fields }),
  writeArguments: (offer, fields) => command("write_arguments", { ...offer, fields }),
  readArguments: (offer, text) => command("read_arguments", { ...offer, text }),
  zones: () => command("zones", {}),
  moment: (text, zone, replace) => command("moment", { text, zone, replace }),
  complete: (asked) => command("complete", { ...asked }),
  startCall: (offer, args) => command("start_call", { ...offer, arguments: args }),
  ask: (ask) => command("ask", { ask }),
  draft: (ask, inputs) => command("draft", { ask, inputs }),
  shown: (ask, revision) => command("shown", { ask, revision }),
  act: (answer) => command("act", { ...answer }),
  call: (call) => command("call", { call }),
  actOnCall: (call, act) => command("act_on_call", { call, act }),
  actOnKeeping: (act) => command("act_on_keeping", { act }),
  forgetCall: (call) => command("forget_call", { call }),
  history: (asked, before) => command("history", { asked, before }),
  historyEntry: (number) => command("history_entry", { number }),
  exportHistory: (asked, format) => command("export_history", { asked, format }),
  verifyHistory: () => command("verify_history", {}),
  choices: () => command("choices", {}),
  choose: (choices) => command("choose", { choices }),
  onChanged: (changed) => listen<number>("changed", () => changed()),
  onClosing: (closing) => listen<Unfinished>("closing", (event) => closing(event.payload)),
  close: (quit) => command("close", { quit }),
};

function command<T>(name: string, args: Record<string, unknown>): Promise<T> {
  return invoke<T>(name, { args });
}
