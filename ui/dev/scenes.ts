/** Every screen worth looking at, by name. The gallery shows one; axe looks at all of them. */
import type { CardPlace, ListPlace } from "../src/lib/desk.svelte";
import { FakeBackend } from "./fake";
import * as fixture from "./fixtures";
import { bodies } from "./forms";

export type Scene = {
  name: string;
  backend: () => FakeBackend;
  list?: ListPlace;
  card?: CardPlace;
};

const ASK: CardPlace = { kind: "ask", ask: 100 };

function desk(...asks: ReturnType<typeof fixture.ask>[]): FakeBackend {
  const backend = new FakeBackend();
  backend.armedIn = 0;
  backend.pages.set(1, fixture.PAGE);
  backend.pages.set(2, fixture.PRACTICE_PAGE);
  return backend.put(...asks);
}

function askScene(name: string, view: ReturnType<typeof fixture.ask>): Scene {
  return { name, backend: () => desk(view, ...others()), card: ASK };
}

function others() {
  return [
    fixture.ask({
      id: 101,
      askedAt: "2027-03-05T13:40:00+01:00",
      body: fixture.link(fixture.LINKS.notice),
      message: fixture.said("Connect your calendar."),
      call: fixture.call({ id: 11, name: "connect_calendar", arguments: [] }),
    }),
    fixture.ask({
      id: 102,
      askedAt: "2027-03-05T09:12:00+01:00",
      server: fixture.PRACTICE,
      message: fixture.said("Which stage should this go to?"),
      call: fixture.call({
        id: 12,
        server: 2,
        serverName: "Practice desk",
        practice: true,
        name: "plan_deployment",
      }),
    }),
    fixture.ask({
      id: 103,
      message: fixture.said("Remove 3 drafts?"),
      phase: { kind: "undelivered", action: "accept", reason: null },
      acts: [],
      call: fixture.call({
        id: 13,
        name: "remove_drafts",
        phase: "unknown",
        word: "outcome unknown",
        acts: ["send_again", "leave"],
      }),
    }),
  ];
}

/** One server asks the same a hundred times, another is paused, and two more ask something of their own. */
export function crowd(same = 100): ReturnType<typeof fixture.ask>[] {
  const paused = fixture.server({ id: 3, name: "Build farm", paused: true });
  const held = Array.from({ length: 12 }, (_, at) =>
    fixture.ask({
      id: 1000 + at,
      server: paused,
      held: true,
      acts: ["stop_call"],
      consequences: [],
      notices: [
        "You paused Build farm: this question is held. Nothing is sent for it until you resume and answer.",
      ],
      message: fixture.said(`Use runner ${at + 1}?`),
      call: fixture.call({ id: 1000 + at, server: 3, serverName: "Build farm" }),
    }),
  );
  const alike = Array.from({ length: same }, (_, at) =>
    fixture.ask({
      id: 2000 + at,
      message: fixture.said("Delete this record?"),
      call: fixture.call({ id: 2000 + at, name: "clean_up", arguments: [] }),
    }),
  );
  return [...alike, ...others(), ...held];
}

function crowded(): FakeBackend {
  const backend = desk(...crowd());
  const paused = fixture.server({ id: 3, name: "Build farm", paused: true });
  backend.world = { ...backend.world, servers: [fixture.server(), fixture.PRACTICE, paused] };
  backend.pages.set(3, { ...fixture.PAGE, server: paused });
  return backend;
}

export const SCENES: Scene[] = [
  { name: "inbox, many", backend: crowded, card: { kind: "ask", ask: 2000 } },
  { name: "inbox, a held question", backend: crowded, card: { kind: "ask", ask: 1000 } },
  { name: "server page, paused", backend: crowded, list: { kind: "server", server: 3 } },
  { name: "first start", backend: () => desk() },
  {
    name: "empty inbox",
    backend: () =>
      desk().putCall({
        call: fixture.call({ phase: "done", word: "done", acts: [] }),
        notices: [],
        parts: [],
        json: null,
      }),
  },
  {
    name: "questions that are lost on quit",
    backend: () => {
      const backend = desk(fixture.ask(), ...others());
      backend.world = { ...backend.world, keeping: fixture.LOST };
      return backend;
    },
  },
  askScene("form", fixture.ask()),
  askScene("form, every control", fixture.ask({ body: fixture.form(fixture.EVERYTHING) })),
  askScene("form, asks for a password", fixture.ask({ body: fixture.form(fixture.SECRETS) })),
  askScene(
    "form, a password and a card to be sent anyway",
    fixture.ask({
      body: fixture.form(fixture.SECRETS, [
        { field: 0, input: { kind: "text", text: "4111111111111111" }, anyway: true },
        { field: 1, input: { kind: "text", text: "hunter2" }, anyway: true },
      ]),
    }),
  ),
  askScene(
    "form, over with a password in it",
    fixture.ask({
      body: fixture.form(fixture.SECRETS, [
        { field: 0, input: { kind: "text", text: "ada" } },
        { field: 1, input: { kind: "text", text: "hunter2" } },
      ]),
      phase: { kind: "withdrawn", reason: "The server took it back." },
      acts: [],
      acceptLabel: null,
      consequences: [],
    }),
  ),
  askScene(
    "form, question only",
    fixture.ask({
      body: fixture.form([]),
      message: fixture.said("Remove 3 drafts?"),
      acceptLabel: "Send answer",
    }),
  ),
  askScene(
    "form with lists of entries",
    fixture.ask({
      body: fixture.form([
        fixture.field(
          0,
          "Ports",
          fixture.entries(fixture.number({ minimum: "1", maximum: "65535" }), { unique: true }),
          {
            help: "Where the service listens",
            suggested: { kind: "entries", texts: ["80", "443"] },
          },
        ),
        fixture.field(1, "Tags", fixture.entries(fixture.TEXT, { maxItems: 3 }), {
          required: true,
        }),
        fixture.field(2, "Plan", {
          kind: "choice",
          options: [
            { title: "Small", value: "s", help: "One seat." },
            { title: "Large", value: "l", help: "Any number of seats.\nBilled per month." },
          ],
        }),
      ]),
    }),
  ),
  askScene(
    "form, one of three",
    fixture.ask({
      position: 1,
      of: 3,
      acceptLabel: "Keep answer",
      acts: ["decline", "dismiss", "accept", "decline_all", "stop_call"],
      notices: ["Asked again after you declined (3rd time)."],
    }),
  ),
  ...bodies().map(([name, body]) => askScene(`form, ${name}`, fixture.ask({ body }))),
  askScene("form, hostile", fixture.HOSTILE_ASK),
  askScene(
    "practice",
    fixture.ask({
      server: fixture.PRACTICE,
      goesTo: "Practice desk on this computer",
      call: fixture.call({
        server: 2,
        serverName: "Practice desk",
        practice: true,
        name: "plan_deployment",
        arguments: [],
      }),
    }),
  ),
  ...Object.entries(fixture.LINKS).map(([name, inspection]) =>
    askScene(
      `link, ${name}`,
      fixture.ask({
        message: fixture.said("Connect your calendar."),
        body: fixture.link(inspection, { practicePage: name === "practice" }),
        acts: [
          "decline",
          "dismiss",
          ...(inspection.verdict === "refused" ? [] : (["open"] as const)),
          "stop_call",
        ],
        ...(name === "practice" ? { server: fixture.PRACTICE } : {}),
      }),
    ),
  ),
  ...(["notice", "risky"] as const).map((name) =>
    askScene(
      `link, no browser, ${name}`,
      fixture.ask({
        message: fixture.said("Connect your calendar."),
        body: fixture.link(fixture.LINKS[name]),
        notices: [
          "No web browser was found on this computer. Copy the address and open it elsewhere; when you finished there, say so here.",
        ],
        acts: ["decline", "dismiss", "already_finished", "stop_call"],
      }),
    ),
  ),
  askScene(
    "link, risky, in the browser",
    fixture.ask({
      message: fixture.said("Connect your calendar."),
      body: fixture.link(fixture.LINKS.punycode, { opened: 1 }),
      notices: ["The server still waits for the page."],
      phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
      acts: ["decline", "give_up", "open", "check_again", "stop_call"],
      consequences: fixture.IN_BROWSER,
    }),
  ),
  askScene(
    "unusable",
    fixture.ask({
      body: {
        kind: "unusable",
        reason:
          "The question has no “requestedSchema”, so nothing can be asked for. You can decline or dismiss it.",
        raw: '{\n  "message": "Pick one",\n  "schema": { "type": "object" }\n}',
      },
    }),
  ),
  ...fixture.PHASES.map(({ name, phase, acts, call }) =>
    askScene(
      `phase, ${name}`,
      fixture.ask({
        phase,
        acts,
        call: fixture.call(call),
        ...(phase.kind === "undelivered" ? { consequences: [] } : {}),
        ...(phase.kind === "in_browser" ? { consequences: fixture.IN_BROWSER } : {}),
        body:
          phase.kind === "opening" ||
          phase.kind === "may_be_open" ||
          phase.kind === "open_failed" ||
          phase.kind === "in_browser"
            ? fixture.link(fixture.LINKS.notice, { opened: phase.kind === "in_browser" ? 1 : 0 })
            : fixture.form(
                [fixture.REGION, fixture.COPIES, fixture.NOTE],
                [{ field: 0, input: { kind: "pick", index: 0 } }],
              ),
      }),
    ),
  ),
  {
    name: "call, result",
    backend: () =>
      desk().putCall({
        call: fixture.call({ phase: "done", word: "done", acts: ["start_again"] }),
        notices: [],
        parts: fixture.PARTS,
        json: '{\n  "ok": true\n}',
      }),
    card: { kind: "call", call: 10 },
  },
  {
    name: "call, running",
    backend: () =>
      desk().putCall({
        call: fixture.call({
          phase: "sending",
          word: "running",
          progress: { percent: 40, message: "Reading customers" },
        }),
        notices: [],
        parts: [],
        json: null,
      }),
    card: { kind: "call", call: 10 },
  },
  askScene(
    "form, asked by the server itself",
    fixture.ask({ message: fixture.said("Which region is yours?"), call: fixture.ALONE }),
  ),
  askScene(
    "phase, withdrawn, every control",
    fixture.ask({
      body: fixture.form(fixture.EVERYTHING, [
        { field: 0, input: { kind: "text", text: "Ada Lovelace" } },
        { field: 3, input: { kind: "flag", value: true } },
        { field: 6, input: { kind: "pick", index: 2 } },
        { field: 7, input: { kind: "picks", indexes: [0, 2] } },
        { field: 10, input: { kind: "empty" } },
      ]),
      phase: {
        kind: "withdrawn",
        reason: "The server took this question back: “no longer needed”. Nothing was sent.",
      },
      acts: [],
    }),
  ),
  {
    name: "call, only a question",
    backend: () =>
      desk().putCall({
        call: { ...fixture.ALONE, phase: "done", word: "done", acts: [] },
        notices: [],
        parts: [],
        json: "{}",
      }),
    list: { kind: "calls" },
    card: { kind: "call", call: 10 },
  },
  {
    name: "server page, older protocol",
    backend: () => {
      const backend = desk();
      const server = fixture.server({
        protocol: "2025-11-25",
        found: "it does not know server/discover (-32601)",
      });
      backend.world = fixture.snapshot({ servers: [server, fixture.PRACTICE] });
      return backend;
    },
    list: { kind: "server", server: 1 },
  },
  {
    name: "server page, diagnosis",
    backend: () => {
      const backend = desk();
      backend.world = fixture.snapshot({ servers: [fixture.UNREACHED, fixture.PRACTICE] });
      backend.pages.set(1, {
        ...fixture.PAGE,
        server: fixture.UNREACHED,
        actions: [],
        starters: [],
        documents: [],
        problems: [],
      });
      return backend;
    },
    list: { kind: "server", server: 1 },
  },
  {
    name: "arguments, completed",
    backend: () => {
      const backend = desk();
      backend.offers = (offer) => fixture.starter(offer.kind);
      backend.completion = (asked) => fixture.customers(asked);
      return backend;
    },
    list: { kind: "server", server: 1 },
    card: { kind: "start", offer: { server: 1, kind: "starter", index: 0 } },
  },
  { name: "server page", backend: () => desk(...others()), list: { kind: "server", server: 1 } },
  {
    name: "arguments, fields",
    backend: () => {
      const backend = desk();
      backend.offers = (offer) => ({
        ...fixture.ARGUMENTS,
        kind: offer.kind,
        description: "Makes one invoice and files it.",
      });
      return backend;
    },
    list: { kind: "server", server: 1 },
    card: { kind: "start", offer: { server: 1, kind: "action", index: 0 } },
  },
  {
    name: "arguments, JSON",
    backend: () => {
      const backend = desk();
      backend.offers = (offer) => ({
        kind: offer.kind,
        title: "Query",
        description: null,
        form: null,
        jsonReason: "One field (“where”) is a group of fields, which cannot be drawn here.",
        jsonTemplate: '{\n  "where": {}\n}',
        goesTo: "crm.example.com",
        completes: false,
      });
      return backend;
    },
    list: { kind: "server", server: 1 },
    card: { kind: "start", offer: { server: 1, kind: "action", index: 2 } },
  },
  { name: "add a server", backend: () => desk(), card: { kind: "add" } },
  { name: "history, empty", backend: () => desk(), list: { kind: "history" } },
  {
    name: "history",
    backend: () => {
      const backend = desk();
      backend.past = fixture.PAST;
      backend.entry = () => fixture.ENTRY;
      return backend;
    },
    list: { kind: "history" },
    card: { kind: "entry", entry: 12 },
  },
  {
    name: "history, an entry of a page",
    backend: () => {
      const backend = desk();
      backend.past = fixture.PAST;
      backend.entry = () => fixture.LINK_ENTRY;
      backend.world = { ...backend.world, keeping: fixture.LOST };
      return backend;
    },
    list: { kind: "history" },
    card: { kind: "entry", entry: 7 },
  },
  {
    name: "settings",
    backend: () => desk(),
    list: { kind: "settings" },
    card: { kind: "settings" },
  },
];
