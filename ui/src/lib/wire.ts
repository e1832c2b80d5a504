// Generated from src-tauri/core by `cargo test -p countersign-core bindings`; do not edit.

export type ServerId = number;

export type CallId = number;

export type AskId = number;

export type Snapshot = { 
/**
 * Grows with every change.
 */
revision: number, servers: Array<ServerRow>, 
/**
 * Questions that wait for the person, oldest first.
 */
asks: Array<AskRow>, 
/**
 * Calls of this session, newest first.
 */
calls: Array<CallRow>, 
/**
 * Said once at the top of the window: a settings file that was set aside, and the like.
 */
notices: Array<string>, keeping: KeepingView, };

export type KeepingView = { state: KeepingState, 
/**
 * What is the matter, in a few sentences, where something is.
 */
words: string | null, 
/**
 * What the person can do about it, the likeliest first.
 */
acts: Array<KeepingAct>, };

export type KeepingState = "opening" | "kept" | "kept_by_file" | "lost_on_quit";

export type KeepingAct = "try_again" | "unlock" | "use_key_file" | "begin_anew" | "stay_in_memory";

export type ServerRow = { id: ServerId, 
/**
 * The name the person gave.
 */
name: string, 
/**
 * The origin, or the whole command.
 */
address: string, practice: boolean, state: ServerState, 
/**
 * One or two words: "connected", "cannot start".
 */
word: string, 
/**
 * What is wrong and what to do, where something is.
 */
detail: string | null, 
/**
 * The protocol revision in use.
 */
protocol: string | null, 
/**
 * How the revision was found out, in words.
 */
found: string | null, 
/**
 * Why there is no connection, where there is none.
 */
diagnosis: Diagnosis | null, 
/**
 * The name that the server gives itself, a quoted chip.
 */
claims: string | null, 
/**
 * What that name could be taken for, in words of the app.
 */
claimsNote: string | null, 
/**
 * Questions of this server that wait, without those that are held.
 */
waiting: number, 
/**
 * The person paused it: its questions are held.
 */
paused: boolean, };

export type ServerState = "connecting" | "connected" | "needs_sign_in" | "failed";

export type Diagnosis = { tried: string, cameBack: string, cause: string, todo: string, };

export type ServerPage = { server: ServerRow, 
/**
 * Tools.
 */
actions: Array<OfferRow>, 
/**
 * Prompts.
 */
starters: Array<OfferRow>, 
/**
 * Resources and resource templates.
 */
documents: Array<OfferRow>, 
/**
 * Lists that could not be read, tools that were left out: in words.
 */
problems: Array<string>, 
/**
 * The last lines that a local server wrote to its log.
 */
log: Array<string>, };

export type OfferRow = { 
/**
 * The number of this offer; sent back to start it. A list that changed has other numbers.
 */
index: number, title: string, 
/**
 * The name or address that is sent, where it differs from the title.
 */
name: string | null, description: string | null, };

export type OfferKind = "action" | "starter" | "document" | "question";

export type ArgumentsView = { kind: OfferKind, title: string, description: string | null, 
/**
 * The fields, where all of them can be drawn faithfully.
 */
form: FormView | null, 
/**
 * Why there are no fields, in words; then JSON is the way.
 */
jsonReason: string | null, 
/**
 * A start for the JSON editor.
 */
jsonTemplate: string, 
/**
 * The host or program that they go to.
 */
goesTo: string, 
/**
 * The server proposes values for the fields.
 */
completes: boolean, };

export type Completion = { values: Array<Proposal>, 
/**
 * The server has more than these.
 */
more: boolean, };

export type Proposal = { 
/**
 * What is put into the field.
 */
text: string, 
/**
 * The same, filtered.
 */
shown: string, };

export type AskRow = { id: AskId, call: CallId, server: ServerId, serverName: string, practice: boolean, kind: AskKind, 
/**
 * The first line of the server's message, a quoted chip.
 */
firstLine: string, 
/**
 * RFC 3339, local.
 */
askedAt: string, phase: AskPhase, draft: boolean, position: number, of: number, 
/**
 * The oldest of the questions that are one row together with this one, where there are many alike.
 */
group: AskId | null, 
/**
 * Its server is paused: it is neither announced nor counted, and cannot be answered.
 */
held: boolean, 
/**
 * "asked again (3rd time)", after the person declined.
 */
again: string | null, };

export type AskKind = "form" | "link" | "unusable";

export type AskPhase = { "kind": "waiting" } | { "kind": "opening" } | { "kind": "may_be_open" } | { "kind": "open_failed", reason: string, } | { "kind": "kept", action: Action, } | { "kind": "sending", action: Action, } | { "kind": "in_browser", 
/**
 * A request is with the server at this moment.
 */
asking: boolean, 
/**
 * What became of the last try, where it failed.
 */
trouble: string | null, 
/**
 * The server says that the page is done.
 */
finished: boolean, } | { "kind": "delivered", action: Action, } | { "kind": "undelivered", action: Action, reason: string | null, } | { "kind": "withdrawn", reason: string, } | { "kind": "closed", reason: string, };

export type Action = "accept" | "decline" | "cancel";

export type AskView = { id: AskId, 
/**
 * Grows when anything on the card changes; sent back with every answer.
 */
revision: number, server: ServerRow, 
/**
 * "Added on 3 May; connected since 14:02".
 */
knownSince: string, call: CallRow, message: ServerText, body: AskBody, phase: AskPhase, 
/**
 * Its server is paused: nothing can be answered before it is resumed.
 */
held: boolean, position: number, of: number, askedAt: string, 
/**
 * The host or program that the answer goes to.
 */
goesTo: string, 
/**
 * The app's own words: asked again after a decline, the cap, why there is no Send.
 */
notices: Array<string>, 
/**
 * What can be done now, in the order of the buttons.
 */
acts: Array<Act>, 
/**
 * The label of the accepting button: "Send answers", "Keep answer", "Send 3 answers".
 */
acceptLabel: string | null, 
/**
 * What each answer will tell the server, a sentence each.
 */
consequences: Array<string>, };

export type AskBody = { "kind": "form", form: FormView, draft: Array<FieldInput>, review: Review, } | { "kind": "link", inspection: Inspection, 
/**
 * The page is served by the app's own practice server.
 */
practicePage: boolean, 
/**
 * Times that this very link was opened from here.
 */
opened: number, } | { "kind": "unusable", 
/**
 * Why, in words.
 */
reason: string, 
/**
 * What the server sent, as text.
 */
raw: string, };

export type ServerText = { text: string, 
/**
 * Code points that are not in `text`.
 */
leftOut: number, 
/**
 * The longer text behind "show all", where something was left out.
 */
whole: string | null, };

export type Act = "accept" | "open" | "check_again" | "already_finished" | "decline" | "dismiss" | "give_up" | "edit" | "send_again" | "decline_all" | "stop_call";

export type CallRow = { id: CallId, server: ServerId, serverName: string, practice: boolean, kind: OfferKind, 
/**
 * The name of the tool, prompt or resource, a quoted chip.
 */
name: string, 
/**
 * Arguments as chips.
 */
arguments: Array<ArgumentChip>, initiator: Initiator, phase: CallPhase, 
/**
 * The state in a few words.
 */
word: string, 
/**
 * What happened and what to do, where something needs saying.
 */
detail: string | null, startedAt: string, rounds: number, progress: ProgressView | null, 
/**
 * What can be done about the call now.
 */
acts: Array<CallAct>, };

export type ArgumentChip = { name: string, value: string, };

export type Initiator = { "kind": "person" } | { "kind": "program", name: string, request: string, } | { "kind": "server" };

export type CallPhase = "sending" | "asking" | "pacing" | "paused_at_cap" | "not_delivered" | "unknown" | "server_moved" | "done" | "done_with_error" | "failed" | "stopped";

export type CallAct = "send_again" | "leave" | "continue_rounds" | "restore_server" | "start_again" | "stop";

export type ProgressView = { 
/**
 * 0 to 100, where the server said how much there is.
 */
percent: number | null, message: string | null, };

export type ResultView = { call: CallRow, 
/**
 * The app's own words about the result.
 */
notices: Array<string>, parts: Array<ResultPart>, 
/**
 * The whole result as JSON, for Details.
 */
json: string | null, };

export type ResultPart = { "kind": "text", 
/**
 * Of a prompt's message: "user" or "assistant".
 */
role: string | null, text: ServerText, } | { "kind": "image", role: string | null, mediaType: string, 
/**
 * Base64; only PNG, JPEG, GIF and WebP whose first bytes say the same.
 */
data: string, } | { "kind": "audio", role: string | null, mediaType: string, data: string, } | { "kind": "link", uri: string, title: string | null, description: string | null, } | { "kind": "document", uri: string, mediaType: string | null, text: ServerText | null, bytes: number | null, } | { "kind": "structured", rows: Array<StructuredRow>, } | { "kind": "other", note: string, };

export type StructuredRow = { depth: number, name: string, value: string | null, };

export type Answered = { "kind": "sent" } | { "kind": "kept", open: number, } | { "kind": "opened" } | { "kind": "invalid", errors: Array<FieldError>, } | { "kind": "too_soon", waitMs: number, } | { "kind": "already_answered" } | { "kind": "changed" } | { "kind": "wrong_domain", message: string, } | { "kind": "open_failed", reason: string, } | { "kind": "not_possible", reason: string, };

export type ServerDraft = { name: string, target: TargetDraft, 
/**
 * Seconds that one request may take; a person's time never counts.
 */
timeoutSeconds: number, };

export type TargetDraft = { "kind": "http", url: string, headers: Array<NameValue>, } | { "kind": "stdio", command: string, args: Array<string>, env: Array<NameValue>, cwd: string | null, };

export type NameValue = { name: string, value: string, };

export type ServerPreview = { draft: ServerDraft, 
/**
 * What was changed or deserves a look: blanks that were trimmed, a program that will run with your rights.
 */
notes: Array<string>, };

export type ArgumentsInput = { "kind": "fields", fields: Array<FieldInput>, } | { "kind": "json", text: string, };

export type Started = { "kind": "started", call: CallId, } | { "kind": "invalid", errors: Array<FieldError>, } | { "kind": "bad_json", trouble: JsonTrouble, };

export type JsonTrouble = { 
/**
 * From 1.
 */
line: number, 
/**
 * In code points, from 1.
 */
column: number, 
/**
 * A sentence that says what would be right.
 */
message: string, };

export type ArgumentsReading = { 
/**
 * Why it cannot be sent.
 */
trouble: JsonTrouble | null, 
/**
 * What does not fit the schema of the server, each "place: reason". It can be sent: the server is the judge.
 */
findings: Array<string>, 
/**
 * Why it was not compared with the schema.
 */
unchecked: string | null, 
/**
 * The same as entries of the fields, where it can be.
 */
fields: Array<FieldInput> | null, 
/**
 * Why it cannot be shown in the fields, a sentence.
 */
noFields: string | null, };

export type Armed = { 
/**
 * Accepting controls stay dead for this long.
 */
inMs: number, };

export type Failure = { code: FailureCode, 
/**
 * One or two sentences: what, where, what to do.
 */
message: string, };

export type Unfinished = { 
/**
 * Questions that wait for the person.
 */
waiting: number, 
/**
 * Requests that are with a server.
 */
inFlight: number, };

export type FailureCode = "gone" | "invalid" | "settings" | "not_possible";

export type HistoryAsked = { server: ServerId | null, show: HistoryShow | null, kind: HistoryKind | null, 
/**
 * Words, each of which occurs in what is shown of the entry.
 */
text: string, 
/**
 * Local days, "2026-12-01", from and up to and with.
 */
from: string | null, to: string | null, };

export type HistoryShow = "accepted" | "declined" | "dismissed" | "unanswered" | "trouble" | "opened" | "calls";

export type HistoryKind = "form" | "link" | "unusable" | "call" | "server";

export type HistoryPage = { 
/**
 * Newest first.
 */
rows: Array<HistoryRow>, 
/**
 * Where older ones go on; none: there are no older ones.
 */
before: number | null, };

export type HistoryRow = { number: number, 
/**
 * RFC 3339, local; empty where the entry cannot be read.
 */
at: string, 
/**
 * The name the person gave.
 */
serverName: string, practice: boolean, kind: HistoryKind, 
/**
 * What happened: "You accepted".
 */
what: string, 
/**
 * How it went: "delivered".
 */
how: string | null, 
/**
 * The first line of the question, or what was called; a quoted chip.
 */
quoted: string | null, 
/**
 * The entry that this one says more about. A list that shows this row leaves that one out, and others about it.
 */
about: number | null, };

export type HistoryEntry = { row: HistoryRow, 
/**
 * "You started the call."
 */
startedBy: string, 
/**
 * The name of a program that started the call, a quoted chip.
 */
program: string | null, 
/**
 * The call, where it can still be looked at.
 */
call: CallId | null, 
/**
 * A quoted chip.
 */
callName: string, 
/**
 * Names only; quoted chips.
 */
arguments: Array<string>, 
/**
 * A quoted chip.
 */
question: string | null, link: HistoryLink | null, 
/**
 * What stood on the card before the person decided, a sentence each.
 */
saw: Array<HistoryValue>, 
/**
 * What was sent, where the person chose to keep that.
 */
values: Array<HistoryValue>, 
/**
 * The decision and what became of it, oldest first.
 */
steps: Array<HistoryStep>, };

export type HistoryLink = { scheme: string, host: string, 
/**
 * What the app thought of it, a sentence.
 */
verdict: string, 
/**
 * What was found, in a few words each, worst first.
 */
findings: Array<string>, };

export type HistoryStep = { number: number, at: string, what: string, how: string | null, };

export type HistoryValue = { name: string | null, text: string, };

export type ExportFormat = "json" | "csv";

export type Exported = { 
/**
 * Its whole path.
 */
path: string, entries: number, };

export type Verification = { 
/**
 * Nothing was found.
 */
holds: boolean, 
/**
 * The result in a sentence.
 */
sentence: string, 
/**
 * What was found, a sentence each.
 */
troubles: Array<string>, 
/**
 * What is not in `troubles`.
 */
more: number, 
/**
 * What was removed by the person's own choice, and what this look cannot see.
 */
notes: Array<string>, };

export type Choices = { 
/**
 * Finished calls, the newest of them, with their results, arguments and questions. Otherwise only that they were.
 */
keepResults: boolean, 
/**
 * What was entered, in history; and beside a finished call, so that it can be started again with it.
 */
keepValues: boolean, history: Retention, };

export type Retention = "for_ever" | "year" | "quarter" | "month";

export type FormView = { fields: Array<FieldView>, };

export type FieldView = { 
/**
 * Position in the form; element ids are made from this, never from the server's key.
 */
id: number, 
/**
 * The title, or the key where there is none; never empty.
 */
label: string, help: string | null, required: boolean, control: Control, 
/**
 * The server's default as the input it stands for. A field without an input of its own has this one.
 */
suggested: Input | null, 
/**
 * The app's own words about this field, such as a default that does not fit.
 */
notes: Array<string>, 
/**
 * It seems to ask for what servers must not ask for in a form.
 */
guard: FieldGuard | null, };

export type FieldGuard = { level: GuardLevel, 
/**
 * One sentence that says why.
 */
sentence: string, };

export type GuardLevel = "suspicious" | "secret";

export type GuardedValue = { field: number, guard: FieldGuard, };

export type Control = { "kind": "text" } & TextLimits | { "kind": "number" } & NumberLimits | { "kind": "yesNo" } | { "kind": "choice", options: Array<OptionView>, } | { "kind": "choices", options: Array<OptionView>, minItems: number | null, maxItems: number | null, } | { "kind": "entries", item: EntryControl, minItems: number | null, maxItems: number | null, 
/**
 * No two entries may be equal.
 */
unique: boolean, };

export type EntryControl = { "kind": "text" } & TextLimits | { "kind": "number" } & NumberLimits;

export type TextLimits = { format: TextFormat | null, minLength: number | null, maxLength: number | null, 
/**
 * In words, for what a length and a format do not say (a pattern, an unknown format).
 */
hint: string | null, };

export type NumberLimits = { integer: boolean, 
/**
 * The least number; or the one that it must be `above`.
 */
minimum: string | null, 
/**
 * The greatest number; or the one that it must be `below`.
 */
maximum: string | null, above: string | null, below: string | null, multipleOf: string | null, };

export type TextFormat = "email" | "uri" | "date" | "date-time";

export type OptionView = { title: string, 
/**
 * The value that is sent, where it differs from the title.
 */
value: string | null, 
/**
 * What the server says about this option.
 */
help: string | null, };

export type Input = { "kind": "empty" } | { "kind": "text", text: string, } | { "kind": "flag", value: boolean, } | { "kind": "pick", index: number, } | { "kind": "picks", indexes: Array<number>, } | { "kind": "entries", texts: Array<string>, };

export type FieldInput = { field: number, input: Input, 
/**
 * The person's word that this field is to be sent although it asks for a secret or holds one.
 */
anyway?: boolean, };

export type Review = { willSend: Array<ReviewItem>, 
/**
 * Labels of the optional fields that are left out.
 */
leftOut: Array<string>, 
/**
 * The exact answer as JSON over several lines, but for secrets; none while there are errors.
 */
json: string | null, 
/**
 * The exact answer where `json` hides a secret. It is shown at a press of its own only.
 */
exact: string | null, errors: Array<FieldError>, 
/**
 * Fields whose value looks like a secret although the field does not ask for one.
 */
guarded: Array<GuardedValue>, };

export type ReviewItem = { field: number, label: string, value: string, 
/**
 * The server's default, untouched.
 */
suggested: boolean, 
/**
 * `value` hides a secret.
 */
masked: boolean, };

export type FieldError = { field: number, code: FieldErrorCode, 
/**
 * One sentence that says what is wrong and what would be right.
 */
message: string, 
/**
 * The position of the wrong entry in a list of entries.
 */
entry?: number, };

export type FieldErrorCode = "required" | "too_short" | "too_long" | "not_email" | "not_uri" | "not_date" | "not_date_time" | "not_number" | "not_integer" | "too_small" | "too_large" | "not_multiple" | "no_match" | "not_an_option" | "too_few" | "too_many" | "empty_entry" | "repeated" | "wrong_kind" | "held_back";

export type Moment = { 
/**
 * One; both where the clock shows the time twice; none where the text is no date and time, or none that exists.
 */
times: Array<MomentTime>, 
/**
 * The text has no offset of its own: it is read in the zone.
 */
inZone: boolean, 
/**
 * Why there is not one time: a sentence for the person.
 */
note: string | null, };

export type MomentTime = { 
/**
 * What is put into the field: RFC 3339 with an offset.
 */
text: string, 
/**
 * The same in the zone, in words: "Friday, 5 March 2027, 14:30 (UTC+01:00)".
 */
told: string, };

export type Zones = { 
/**
 * Names of the IANA Time Zone Database, in the order of the alphabet.
 */
names: Array<string>, 
/**
 * The zone to begin with: this computer's, or UTC where that has no name.
 */
own: string, };

export type Inspection = { verdict: Verdict, 
/**
 * Most serious first.
 */
findings: Array<Finding>, 
/**
 * The whole address as it would be opened; of a refused link the text as sent, invisible characters marked.
 */
shown: string, 
/**
 * The text as sent, where it differs from `shown`.
 */
asSent: string | null, 
/**
 * The host in ASCII, the truth of where the link goes.
 */
asciiHost: string | null, 
/**
 * The host as a reader of its script would write it, where that differs and may be shown.
 */
unicodeHost: string | null, 
/**
 * The registrable domain (or the whole host where there is none), in ASCII; a suffix of `ascii_host`.
 */
domain: string | null, 
/**
 * Scheme, host and port in ASCII.
 */
origin: string | null, 
/**
 * The well-known or server's own name that this link could be taken for.
 */
imitates: string | null, };

export type Verdict = "plain" | "notice" | "risky" | "refused";

export type Finding = { code: FindingCode, verdict: Verdict, 
/**
 * A concrete sentence for a person, without jargon.
 */
sentence: string, };

export type FindingCode = "scheme" | "parse" | "malformed-authority" | "backslash" | "control" | "userinfo" | "percent-host" | "too-long" | "normalised" | "cleartext" | "port" | "bad-port" | "empty-label" | "label-too-long" | "host-too-long" | "trailing-dot" | "underscore" | "hyphen-edge" | "many-labels" | "ip" | "ip-obfuscated" | "ip-in-name" | "loopback" | "unspecified" | "private" | "link-local" | "metadata" | "broadcast" | "multicast" | "reserved" | "v4-mapped" | "v4-compatible" | "nat64" | "6to4" | "local-name" | "single-label" | "special-tld" | "public-suffix" | "shared-hosting" | "file-like-tld" | "shortener" | "open-redirect" | "foreign-domain" | "first-time" | "opened-before" | "idna" | "idna-slash" | "idna-bidi" | "punycode" | "nonascii-input" | "dot-variant" | "compat-chars" | "invisible" | "mixed-script" | "whole-script" | "restricted-char" | "lookalike-slash" | "brand" | "brand-embedded" | "bidi" | "encoded-bidi" | "encoded-control" | "encoded-invisible" | "at-in-path" | "nested-url" | "secret-in-url" | "token-in-url" | "presigned" | "pii-in-url" | "opaque-data";
