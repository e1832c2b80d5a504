/** Made-up cards for the gallery and the tests. Every text a server could have sent is hostile or plain on purpose. */
import type { Completing } from "../src/lib/backend";
import type {
  Act,
  ArgumentsView,
  AskBody,
  AskPhase,
  AskRow,
  AskView,
  CallRow,
  Completion,
  Control,
  Diagnosis,
  EntryControl,
  FieldGuard,
  FieldInput,
  FieldView,
  Finding,
  FindingCode,
  HistoryEntry,
  HistoryRow,
  Inspection,
  KeepingView,
  OfferKind,
  OptionView,
  ResultPart,
  ServerPage,
  ServerRow,
  ServerText,
  Snapshot,
  Verdict,
} from "../src/lib/wire";
import { review } from "./review";

export const AT = "2027-03-05T14:02:00+01:00";

export function server(over: Partial<ServerRow> = {}): ServerRow {
  return {
    id: 1,
    name: "CRM sandbox",
    address: "https://crm.example.com",
    practice: false,
    state: "connected",
    word: "connected",
    detail: null,
    protocol: "2026-07-28",
    diagnosis: null,
    found: "it says so itself (server/discover)",
    claims: "Acme CRM",
    claimsNote: null,
    waiting: 0,
    paused: false,
    ...over,
  };
}

export const PRACTICE = server({
  id: 2,
  name: "Practice desk",
  address: "built in",
  practice: true,
  claims: "practice",
});

export function call(over: Partial<CallRow> = {}): CallRow {
  return {
    id: 10,
    server: 1,
    serverName: "CRM sandbox",
    practice: false,
    kind: "action",
    name: "create_invoice",
    arguments: [
      { name: "customer", value: "“Ada”" },
      { name: "total", value: "120" },
    ],
    initiator: { kind: "person" },
    phase: "asking",
    word: "waits for you",
    detail: null,
    startedAt: AT,
    rounds: 1,
    progress: null,
    acts: ["stop"],
    ...over,
  };
}

export function said(text: string): ServerText {
  return { text, leftOut: 0, whole: null };
}

export function options(...titles: string[]): OptionView[] {
  return titles.map((title) => ({ title, value: null, help: null }));
}

export function field(
  id: number,
  label: string,
  control: Control,
  over: Partial<FieldView> = {},
): FieldView {
  return {
    id,
    label,
    help: null,
    required: false,
    control,
    suggested: null,
    notes: [],
    guard: null,
    ...over,
  };
}

export const TEXT: Extract<Control, { kind: "text" }> = {
  kind: "text",
  format: null,
  minLength: null,
  maxLength: null,
  hint: null,
};

export function text(over: Partial<Extract<Control, { kind: "text" }>> = {}): Control {
  return { kind: "text", format: null, minLength: null, maxLength: null, hint: null, ...over };
}

type NumberControl = Extract<EntryControl, { kind: "number" }>;

export function number(over: Partial<NumberControl> = {}): NumberControl {
  return {
    kind: "number",
    integer: true,
    minimum: null,
    maximum: null,
    above: null,
    below: null,
    multipleOf: null,
    ...over,
  };
}

export function entries(
  item: EntryControl,
  over: Partial<Extract<Control, { kind: "entries" }>> = {},
): Control {
  return { kind: "entries", item, minItems: null, maxItems: null, unique: false, ...over };
}

export const REGION = field(
  0,
  "Region",
  {
    kind: "choice",
    options: [
      { title: "Europe", value: "eu1", help: null },
      { title: "US East", value: "us1", help: null },
    ],
  },
  { required: true, help: "Where the invoice is filed" },
);

export const COPIES = field(1, "Copies", number({ minimum: "1", maximum: "5" }), {
  suggested: { kind: "text", text: "2" },
});

export const NOTE = field(2, "Note", TEXT);

export const ASKS_PASSWORD: FieldGuard = {
  level: "secret",
  sentence:
    "This asks for a password. Servers must not ask for passwords, keys or card numbers in a form.",
};

export const MAY_ASK_KEY: FieldGuard = {
  level: "suspicious",
  sentence:
    "This may ask for a secret key or token. Servers must not ask for passwords, keys or card numbers in a form.",
};

/** A password, what may be a key, and an innocent field. */
export const SECRETS = [
  field(0, "Account", TEXT, { required: true }),
  field(1, "Password", TEXT, {
    required: true,
    help: "The one you use for the old service",
    guard: ASKS_PASSWORD,
  }),
  field(2, "License key", TEXT, { guard: MAY_ASK_KEY }),
];

export function form(fields: FieldView[], draft: FieldInput[] = []): AskBody {
  return {
    kind: "form",
    form: { fields },
    draft,
    review: review({ fields }, draft),
  };
}

/** An action whose arguments are fields. */
export const ARGUMENTS: ArgumentsView = {
  kind: "action",
  title: "Create an invoice",
  description: null,
  form: { fields: [REGION, COPIES, NOTE] },
  jsonReason: null,
  jsonTemplate: "{}",
  goesTo: "crm.example.com",
  completes: false,
};

export const CONSEQUENCES = [
  "Decline: CRM sandbox is told No.",
  "Dismiss: it is told you did not choose.",
  "Do nothing: the question waits here.",
];

export function ask(over: Partial<AskView> = {}): AskView {
  const body = over.body ?? form([REGION, COPIES, NOTE]);
  const acts: Act[] =
    body.kind === "form"
      ? ["decline", "dismiss", "accept"]
      : body.kind === "link" && body.inspection.verdict !== "refused"
        ? ["decline", "dismiss", "open"]
        : ["decline", "dismiss"];
  return {
    id: 100,
    revision: 1,
    server: server(),
    knownSince: "in your list since 3 May; same address and version as last time",
    call: call(),
    message: said("Choose where the invoice is filed."),
    body,
    phase: { kind: "waiting" },
    held: false,
    position: 1,
    of: 1,
    askedAt: AT,
    goesTo: "crm.example.com",
    notices: [],
    acts,
    acceptLabel: body.kind === "form" ? "Send answers" : null,
    consequences: CONSEQUENCES,
    ...over,
  };
}

export function row(view: AskView): AskRow {
  return {
    id: view.id,
    call: view.call.id,
    server: view.server.id,
    serverName: view.server.name,
    practice: view.server.practice,
    kind: view.body.kind,
    firstLine: view.message.text.split("\n")[0]?.slice(0, 40) ?? "",
    askedAt: view.askedAt,
    phase: view.phase,
    draft: view.body.kind === "form" && view.body.draft.length > 0,
    position: view.position,
    of: view.of,
    group: null,
    held: view.held,
    again: null,
  };
}

/** Groups as Rust makes them: five or more that wait and are alike. */
export function grouped(rows: AskRow[]): AskRow[] {
  const alike = new Map<string, AskRow[]>();
  const likeness = (row: AskRow) => `${row.server} ${row.kind} ${row.firstLine}`;
  for (const row of rows) {
    if (row.phase.kind !== "waiting" || row.held) continue;
    const members = alike.get(likeness(row));
    if (members) members.push(row);
    else alike.set(likeness(row), [row]);
  }
  const groups = new Map<number, number>();
  for (const members of alike.values()) {
    if (members.length < 5) continue;
    for (const { id } of members) groups.set(id, members[0]?.id ?? id);
  }
  return rows.map((row) => ({ ...row, group: groups.get(row.id) ?? null }));
}

export function inspection(url: string, verdict: Verdict, sentences: string[] = []): Inspection {
  const host = new URL(url).hostname;
  return {
    verdict,
    findings: sentences.map((sentence) => finding(sentence, verdict)),
    shown: url,
    asSent: null,
    asciiHost: host,
    unicodeHost: null,
    domain: host.split(".").slice(-2).join("."),
    origin: new URL(url).origin,
    imitates: null,
  };
}

function finding(sentence: string, verdict: Verdict): Finding {
  return { code: "scheme" satisfies FindingCode, verdict, sentence };
}

export function link(
  inspection: Inspection,
  over: { practicePage?: boolean; opened?: number } = {},
): AskBody {
  return { kind: "link", inspection, practicePage: false, opened: 0, ...over };
}

export const LINKS = {
  plain: inspection("https://auth.crm.example/connect?state=xyz", "plain"),
  notice: inspection(
    "https://eu.login-calendar.example/oauth/start?client_id=abc&redirect_uri=https%3A%2F%2Fcrm.example.com%2Fback&scope=calendar.read&state=9f8e7d6c5b4a",
    "notice",
    ["Different site from this server (crm.example.com).", "First time for this server."],
  ),
  readable: {
    ...inspection("https://xn--bcher-kva.example/konto", "notice", [
      "The address has letters outside a–z: bücher.example. Its technical form is xn--bcher-kva.example.",
      "Different site from this server (crm.example.com).",
    ]),
    asSent: "https://bücher.example/konto",
    unicodeHost: "bücher.example",
  },
  risky: {
    ...inspection("https://accounts.paypa1.example/login", "risky", [
      "The name looks like paypal.com but is another site: paypa1.example.",
    ]),
    imitates: "paypal.com",
  },
  punycode: {
    ...inspection("https://xn--80ak6aa92e.com/signin", "risky", [
      "The name is written wholly in foreign letters that look like a–z or like digits.",
      "The name looks like apple.com but is another site: xn--80ak6aa92e.com.",
      "The address has letters outside a–z that can be taken for others. Its technical form is xn--80ak6aa92e.com.",
    ]),
    imitates: "apple.com",
  },
  address: {
    ...inspection("http://192.168.1.1:8080/admin?password=hunter2", "risky", [
      "The connection is not encrypted (http:). Others on the way can read and change the page.",
      "The site has only a number, not a name. Nobody can tell from it whose it is.",
      "The number is of a device in a home or company network.",
      "The address carries what looks like a password or key (“password”).",
    ]),
    domain: "192.168.1.1",
  },
  refused: {
    verdict: "refused",
    findings: [
      finding(
        "The link begins with “javascript:”, not with https:. It would start something other than a web page.",
        "refused",
      ),
    ],
    shown: "javascript:alert(1)",
    asSent: null,
    asciiHost: null,
    unicodeHost: null,
    domain: null,
    origin: null,
    imitates: null,
  },
  userinfo: {
    ...inspection("https://evil.example/login", "refused", [
      "The part before @ is not the site. Real sites do not send links like this.",
    ]),
    shown: "https://accounts.bank.example@evil.example/login",
  },
  long: inspection(`https://pay.example/r?d=${"a".repeat(5000)}`, "plain"),
  practice: inspection("http://127.0.0.1:49152/practice/consent?ask=1", "plain"),
} satisfies Record<string, Inspection>;

/** Every control there is, plain and with a suggestion. */
export const EVERYTHING: FieldView[] = [
  field(0, "Your name", text({ minLength: 2, maxLength: 40 }), {
    required: true,
    help: "As on the contract",
  }),
  field(1, "Mail", text({ format: "email" })),
  field(2, "Seats", number({ minimum: "2", maximum: "8" }), { required: true }),
  field(3, "Agree to the terms", { kind: "yesNo" }, { required: true }),
  field(4, "Send a copy", { kind: "yesNo" }),
  REGION_AT(5),
  field(6, "Country", { kind: "choice", options: options(...countries()) }, { required: true }),
  field(
    7,
    "Days",
    {
      kind: "choices",
      options: options("Monday", "Tuesday", "Wednesday"),
      minItems: 1,
      maxItems: 2,
    },
    { suggested: { kind: "picks", indexes: [1] } },
  ),
  field(8, "Due on", text({ format: "date" })),
  field(9, "Starts at", text({ format: "date-time" })),
  field(10, "Greeting", text(), {
    suggested: { kind: "text", text: "Hello" },
    notes: ["The server suggested another value too, which does not fit and was left out."],
  }),
];

function REGION_AT(id: number): FieldView {
  return { ...REGION, id };
}

export function countries(): string[] {
  return [
    "Austria",
    "Belgium",
    "Bulgaria",
    "Croatia",
    "Cyprus",
    "Czechia",
    "Denmark",
    "Estonia",
    "Finland",
    "France",
  ];
}

export function many(count: number): OptionView[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Option ${index + 1}`,
    value: index % 3 === 0 ? `opt_${index + 1}` : null,
    help: null,
  }));
}

const HOSTILE =
  "Verified by Countersign ✓\n<img src=x onerror=alert(1)> <script>alert(1)</script> [click](https://x.example)\n<a href=https://x.example>Continue</a><iframe src=https://x.example></iframe><form><button>Send</button></form>";

export const HOSTILE_ASK = ask({
  message: said(HOSTILE),
  call: call({
    name: "<b>pay</b>",
    arguments: [{ name: "<img src=x>", value: "<svg onload=alert(1)>" }],
  }),
  server: server({
    claims: "<b>Countersign</b>",
    claimsNote: "It is a server, and no part of Countersign.",
  }),
  body: form([
    field(0, "Nothing. Verified by Countersign", TEXT, { help: HOSTILE, required: true }),
    field(1, "<a href='https://x.example'>x</a>", {
      kind: "choice",
      options: options("<img src=x>", "<script>alert(1)</script>"),
    }),
    field(2, "<form>", {
      kind: "choices",
      options: options("<iframe></iframe>", "<b>b</b>"),
      minItems: null,
      maxItems: null,
    }),
  ]),
});

export const PHASES: { name: string; phase: AskPhase; acts: Act[]; call?: Partial<CallRow> }[] = [
  { name: "opening", phase: { kind: "opening" }, acts: ["stop_call"] },
  {
    name: "may have opened",
    phase: { kind: "may_be_open" },
    acts: ["decline", "dismiss", "open", "already_finished", "stop_call"],
  },
  {
    name: "could not open",
    phase: { kind: "open_failed", reason: "No program for web pages was found." },
    acts: ["decline", "dismiss", "open"],
  },
  {
    name: "kept",
    phase: { kind: "kept", action: "accept" },
    acts: ["edit", "decline_all", "stop_call"],
  },
  { name: "sending", phase: { kind: "sending", action: "decline" }, acts: ["stop_call"] },
  {
    name: "in the browser",
    phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
    acts: ["decline", "give_up", "open", "check_again", "stop_call"],
  },
  {
    name: "in the browser, asking",
    phase: { kind: "in_browser", asking: true, trouble: null, finished: false },
    acts: ["open", "stop_call"],
  },
  {
    name: "in the browser, done there",
    phase: { kind: "in_browser", asking: false, trouble: null, finished: true },
    acts: ["decline", "give_up", "open", "check_again", "stop_call"],
  },
  {
    name: "in the browser, done there, asking",
    phase: { kind: "in_browser", asking: true, trouble: null, finished: true },
    acts: ["open", "stop_call"],
  },
  { name: "delivered", phase: { kind: "delivered", action: "decline" }, acts: [] },
  {
    name: "not delivered",
    phase: { kind: "undelivered", action: "accept", reason: null },
    acts: [],
    call: {
      phase: "not_delivered",
      word: "not delivered",
      detail: "crm.example.com could not be reached. Nothing left this computer.",
      acts: ["send_again", "leave"],
    },
  },
  {
    name: "unknown",
    phase: { kind: "undelivered", action: "accept", reason: null },
    acts: [],
    call: {
      phase: "unknown",
      word: "outcome unknown",
      detail: null,
      acts: ["send_again", "leave"],
    },
  },
  {
    name: "server moved",
    phase: { kind: "waiting" },
    acts: ["stop_call"],
    call: {
      phase: "server_moved",
      word: "paused, its server moved",
      detail:
        "When this server asked, it was at https://crm.example.com/mcp. In your list it is at https://crm.example.net/mcp now. What was meant for one place goes to no other. Restore the server to go on, or stop the call.",
      acts: ["restore_server", "stop"],
    },
  },
  {
    name: "not confirmed",
    phase: {
      kind: "undelivered",
      action: "accept",
      reason: "The server did not take your answer: “unknown request” (-32600).",
    },
    acts: ["send_again", "stop_call"],
  },
  {
    name: "withdrawn",
    phase: {
      kind: "withdrawn",
      reason: "The server took this question back: “no longer needed”. Nothing was sent.",
    },
    acts: [],
    call: { phase: "stopped", word: "stopped", acts: ["start_again"] },
  },
  {
    name: "closed",
    phase: { kind: "closed", reason: "The connection to the server ended." },
    acts: [],
  },
];

export const IN_BROWSER = [
  "Check again: CRM sandbox is asked whether the page is done.",
  "Decline: it is told No. Give up: it is told you did not choose.",
];

/** A question that belongs to no call of the person. */
export const ALONE = call({
  kind: "question",
  name: "a question",
  arguments: [],
  initiator: { kind: "server" },
});

export const DIAGNOSIS: Diagnosis = {
  tried:
    "POST https://crm.example.com/mcp with server/discover, then with initialize of 2025-11-25.",
  cameBack: "404 with a page of HTML, both times.",
  cause: "The address is that of a web site. The part for programs has another path.",
  todo: "Look for the address of the “MCP endpoint” in the service’s settings, remove this server and add it with that.",
};

export const UNREACHED = server({
  state: "failed",
  word: "cannot connect",
  detail: "crm.example.com answered 404.",
  protocol: null,
  found: null,
  claims: null,
  diagnosis: DIAGNOSIS,
});

export const PAGE: ServerPage = {
  server: server(),
  actions: [
    {
      index: 0,
      title: "Create an invoice",
      name: "create_invoice",
      description: "Makes one invoice and files it.",
    },
    { index: 1, title: "Connect a calendar", name: "connect_calendar", description: null },
    {
      index: 2,
      title: "Query",
      name: null,
      description: "Any query, in the server’s own language.",
    },
  ],
  starters: [{ index: 0, title: "Summarise a customer", name: "summarise", description: null }],
  documents: [
    { index: 0, title: "Price list", name: "crm://prices", description: "Valid this year" },
  ],
  problems: ["1 action was left out: its settings could not be read."],
  log: ["ready", "listening"],
};

export const PRACTICE_PAGE: ServerPage = {
  server: PRACTICE,
  actions: [
    { index: 0, title: "Say hello", name: "hello", description: null },
    {
      index: 1,
      title: "Plan a deployment",
      name: "plan_deployment",
      description: "Asks you a few things.",
    },
  ],
  starters: [],
  documents: [],
  problems: [],
  log: [],
};

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const PARTS: ResultPart[] = [
  { kind: "text", role: null, text: said("Invoice 4711 was made.\n<b>Not bold.</b>") },
  { kind: "image", role: null, mediaType: "image/png", data: PIXEL },
  {
    kind: "audio",
    role: null,
    mediaType: "audio/wav",
    data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEAgD4AAAB9AAACABAAZGF0YQAAAAA=",
  },
  { kind: "link", uri: "https://crm.example.com/i/4711", title: "The invoice", description: null },
  {
    kind: "document",
    uri: "crm://invoices/4711",
    mediaType: "text/plain",
    text: said("Total 120"),
    bytes: 9,
  },
  {
    kind: "structured",
    rows: [
      { depth: 0, name: "invoice", value: null },
      { depth: 1, name: "number", value: "4711" },
      { depth: 1, name: "lines", value: null },
      { depth: 2, name: "0", value: "Consulting" },
      { depth: 0, name: "paid", value: "false" },
    ],
  },
  { kind: "other", note: "1 part of a kind that this app cannot show." },
];

export const LOST: KeepingView = {
  state: "lost_on_quit",
  words:
    "Questions, drafts and history will be lost on quit. This system has no key store that is running (no session bus).",
  acts: ["try_again", "use_key_file", "stay_in_memory"],
};

export function snapshot(over: Partial<Snapshot> = {}): Snapshot {
  return {
    revision: 1,
    servers: [server(), PRACTICE],
    asks: [],
    calls: [],
    notices: [],
    keeping: { state: "kept", words: null, acts: [] },
    ...over,
  };
}

/** A starter for whose fields the server proposes values. */
export function starter(kind: OfferKind): ArgumentsView {
  return {
    kind,
    title: "Summarise a customer",
    description: null,
    form: {
      fields: [
        field(0, "Customer", TEXT, { required: true }),
        field(1, "Language", TEXT),
        field(2, "Since", text({ format: "date" })),
      ],
    },
    jsonReason: null,
    jsonTemplate: "{}",
    goesTo: "crm.example.com",
    completes: true,
  };
}

const CUSTOMERS = ["Ada Lovelace", "Adele Goldberg", "Alan Turing", "<b>Annie</b> Easley", "Grace"];

/** The customers whose names begin with what was typed. */
export function customers({ field, inputs }: Completing): Completion {
  const input = inputs.find((entry) => entry.field === field)?.input;
  const typed = input?.kind === "text" ? input.text : "";
  const values = field === 0 ? CUSTOMERS.filter((name) => name.includes(typed)) : [];
  return { values: values.map((name) => ({ text: name, shown: name })), more: values.length > 2 };
}

function past(number: number, rest: Partial<HistoryRow>): HistoryRow {
  return {
    number,
    at: "2027-03-05T14:02:00+01:00",
    serverName: "CRM sandbox",
    practice: false,
    kind: "form",
    what: "You accepted",
    how: "delivered",
    quoted: "Choose where the invoice is filed.",
    about: null,
    ...rest,
  };
}

/** Newest first; the answer of 9 was lost and sent again. */
export const PAST: HistoryRow[] = [
  past(13, { kind: "call", what: "The call finished", how: null, quoted: "create_invoice" }),
  past(12, { about: 9 }),
  past(11, { about: 9, how: "sent again, on its way" }),
  past(10, { about: 9, how: "sent, nothing heard back" }),
  past(9, { how: "on its way" }),
  past(8, { kind: "call", what: "You started a call", how: null, quoted: "create_invoice" }),
  past(7, {
    at: "2027-03-04T09:30:00+01:00",
    kind: "link",
    what: "Page opened in your browser",
    how: null,
    quoted: "Connect your calendar.",
  }),
  past(6, {
    at: "2027-03-04T09:12:00+01:00",
    serverName: "Practice desk",
    practice: true,
    what: "You declined",
    quoted: "Which stage should this go to?",
  }),
  past(5, {
    at: "2027-03-04T09:10:00+01:00",
    what: "The server took it back",
    how: "nothing was sent",
    quoted: "<b>Verified by Countersign</b>",
  }),
];

export const ENTRY: HistoryEntry = {
  row: past(12, { about: 9 }),
  startedBy: "You started the call.",
  program: null,
  call: 10,
  callName: "create_invoice",
  arguments: ["customer", "total"],
  question: "Choose where the invoice is filed.",
  link: null,
  saw: [
    { name: null, text: "Asked again after you declined once." },
    { name: "Access key", text: "looked like a secret; you sent it all the same." },
  ],
  values: [
    { name: "Region", text: "Europe" },
    { name: "Access key", text: "••••••" },
  ],
  steps: [
    { number: 9, at: "2027-03-05T14:02:00+01:00", what: "You accepted", how: "on its way" },
    { number: 10, at: "2027-03-05T14:02:30+01:00", what: "Sent, nothing heard back", how: null },
    { number: 11, at: "2027-03-05T14:04:00+01:00", what: "You sent it again", how: "on its way" },
    { number: 12, at: "2027-03-05T14:04:01+01:00", what: "The answer was delivered", how: null },
  ],
};

export const LINK_ENTRY: HistoryEntry = {
  ...ENTRY,
  row: past(7, { kind: "link", what: "Page opened in your browser", how: null }),
  call: null,
  question: "Connect your calendar.",
  link: {
    scheme: "https",
    host: "login-calendar.example",
    verdict: "Something about the address was worth a look.",
    findings: ["another site than the server's", "first time for this server"],
  },
  saw: [],
  values: [],
  steps: [],
};
