import { describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import {
  ALONE,
  ask,
  CONSEQUENCES,
  call,
  EVERYTHING,
  field,
  form,
  LINKS,
  link,
  PHASES,
  TEXT,
  said as text,
} from "../dev/fixtures";
import type { Act, AskView } from "../src/lib/wire";
import {
  ASK,
  all,
  armed,
  box,
  button,
  card,
  choose,
  fill,
  one,
  openAsk,
  openWindow,
  press,
  said,
  size,
  textOf,
  userEvent,
} from "./desk";

const heading = () => one("#ask100-heading");
const acts = () => all("[data-testid='card'] [data-act]").map((element) => element.dataset.act);
const answered = (backend: FakeBackend) => backend.answers.map((answer) => answer.act);

describe("a card says", () => {
  it("who asks, since when, for what, where to and what each answer means", async () => {
    await openAsk();
    expect(textOf("#ask100-heading")).toBe("CRM sandbox wants an answer");
    expect(textOf(".origin")).toContain("https://crm.example.com · in your list since 3 May");
    expect(textOf("[data-testid='call-line']")).toBe("create_invoice(customer: “Ada”, total: 120)");
    expect(textOf("[data-testid='goes-to']")).toBe("crm.example.com");
    expect(textOf("[data-testid='consequences']")).toBe(CONSEQUENCES.join(" "));
    expect(textOf("[data-act='accept']")).toContain("Ctrl+Enter");
  });

  it("case_041 what the server calls itself only as a quoted claim", async () => {
    await openAsk();
    await userEvent.click(one(".details"));
    expect(textOf("dl")).toContain("calls itself “Acme CRM”");
  });

  it("case_042 every line of the message", async () => {
    await openAsk(ask({ message: text("Step 1\nStep 2\nStep 3") }));
    // biome-ignore lint/performance/useDomNodeTextContent: the lines as they are laid out are the point.
    expect(one("[data-testid='said']").innerText.split("\n")).toEqual([
      "Step 1",
      "Step 2",
      "Step 3",
    ]);
  });

  it("case_016 a plain question has one button more than Decline and Dismiss", async () => {
    const backend = await openAsk(ask({ body: form([]), message: text("Remove 3 drafts?") }));
    expect(acts()).toEqual(["decline", "dismiss", "accept"]);
    await press("accept");
    await expect.poll(() => backend.answers[0]?.inputs).toEqual([]);
  });

  it("case_021 why it cannot be answered, with no Send", async () => {
    await openAsk(
      ask({ body: { kind: "unusable", reason: "“where” cannot be shown.", raw: "{}" } }),
    );
    expect(acts()).toEqual(["decline", "dismiss"]);
    expect(textOf("[data-testid='reason']")).toBe("“where” cannot be shown.");
    expect(textOf("[data-testid='raw']")).toBe("{}");
  });

  it("Practice in words", async () => {
    const server = { ...ask().server, practice: true };
    await openAsk(ask({ server }));
    expect(textOf("[data-testid='card'] .practice-word")).toBe("Practice");
    expect(textOf("[data-testid='ask-row'] .practice-word")).toBe("Practice");
  });
});

describe("focus", () => {
  it("is never on an answering control when a card opens", async () => {
    await openAsk();
    expect(document.activeElement).toBe(document.body);
  });

  it("goes from the list to the card's heading with Enter, back with Left", async () => {
    const backend = new FakeBackend();
    backend.armedIn = 0;
    backend.put(ask(), ask({ id: 101, call: call({ id: 11 }) }));
    await openWindow(backend);
    one("[data-testid='ask-row'][data-ask='100']").focus();
    await userEvent.keyboard("{ArrowDown}");
    await expect.poll(() => card()?.dataset.ask).toBe("101");
    expect(document.activeElement).toBe(one("[data-testid='ask-row'][data-ask='101']"));
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => document.activeElement?.id).toBe("ask101-heading");
    await userEvent.keyboard("{ArrowLeft}");
    await expect
      .poll(() => document.activeElement)
      .toBe(one("[data-testid='ask-row'][data-ask='101']"));
    expect(backend.answers).toEqual([]);
  });

  it("cycles through the panes with F6", async () => {
    await openAsk();
    one("[data-testid='ask-row']").focus();
    await userEvent.keyboard("{F6}");
    expect(document.activeElement).toBe(heading());
    await userEvent.keyboard("{F6}");
    expect(document.activeElement).toBe(one("[data-testid='inbox']"));
    await userEvent.keyboard("{Shift>}{F6}{/Shift}");
    expect(document.activeElement).toBe(heading());
  });

  it("returns to the list after an answer, and the next card stays away", async () => {
    const backend = await openAsk(
      ask(),
      new FakeBackend().put(ask({ id: 101, call: call({ id: 11 }) })),
    );
    await press("accept");
    await expect.poll(() => textOf("[data-testid='state']")).toContain("Sent");
    expect(document.activeElement).toBe(one("[data-testid='ask-row'][data-ask='100']"));
    backend.take(100);
    backend.changed();
    await expect.poll(() => all("[data-testid='ask-row']").length).toBe(1);
    expect(card()?.dataset.ask).toBe("100");
    expect(textOf("[data-testid='state']")).toContain("Sent");
    expect(acts()).toEqual([]);
    await expect
      .poll(() => document.activeElement)
      .toBe(one("[data-testid='ask-row'][data-ask='101']"));
  });
});

describe("Escape", () => {
  it("case_047 dismisses when pressed twice, and says so after the first", async () => {
    const backend = await openAsk();
    heading().focus();
    await userEvent.keyboard("{Escape}");
    expect(said()).toBe("Press Escape again to dismiss");
    expect(backend.answers).toEqual([]);
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => answered(backend)).toEqual(["dismiss"]);
  });

  it("starts over after another key", async () => {
    const backend = await openAsk();
    heading().focus();
    await userEvent.keyboard("{Escape}{ArrowUp}{Escape}");
    expect(backend.answers).toEqual([]);
  });

  it("first closes an open list and leaves the field", async () => {
    const view = field(0, "Country", {
      kind: "choice",
      options: Array.from({ length: 9 }, (_, at) => ({ title: `C${at}`, value: null, help: null })),
    });
    const backend = await openAsk(ask({ body: form([view]) }));
    box(0).focus();
    await expect.poll(() => box(0).getAttribute("aria-expanded")).toBe("true");
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => box(0).getAttribute("aria-expanded")).toBe("false");
    expect(document.activeElement).toBe(heading());
    expect(backend.answers).toEqual([]);
  });

  it("does nothing when it repeats", async () => {
    const backend = await openAsk();
    heading().focus();
    for (const repeat of [false, true, true]) {
      heading().dispatchEvent(
        new KeyboardEvent("keydown", { key: "Escape", repeat, bubbles: true }),
      );
    }
    expect(backend.answers).toEqual([]);
  });

  it("asks first when something was entered, with focus on the safe side", async () => {
    const backend = await openAsk(ask({ body: form([field(0, "Name", TEXT)]) }));
    await fill(0, "Ada");
    await press("dismiss");
    await expect.poll(() => textOf("dialog h2")).toBe("Dismiss without sending?");
    expect(document.activeElement).toBe(one("[data-confirm='safe']"));
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => document.querySelector("dialog")).toBeNull();
    expect(backend.answers).toEqual([]);
    await press("dismiss");
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => answered(backend)).toEqual(["dismiss"]);
  });

  it("leaves a card that waits for the browser", async () => {
    const backend = await openAsk(
      ask({
        body: link(LINKS.plain),
        phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
        acts: ["decline", "give_up", "open", "check_again"],
      }),
    );
    heading().focus();
    await userEvent.keyboard("{Escape}{Escape}");
    expect(backend.answers).toEqual([]);
    expect(document.activeElement).toBe(one("[data-testid='ask-row']"));
  });
});

describe("every phase has its own state and way on", () => {
  const expected: Record<string, [string | null, string[], string[]]> = {
    opening: ["Opening your browser", ["Stop the call"], []],
    "may have opened": [
      "Your browser may have opened this",
      ["Stop the call", "Decline", "Dismiss", "Open again", "It opened"],
      [],
    ],
    "could not open": ["Could not open your browser", ["Decline", "Dismiss", "Try again"], []],
    kept: ["Kept", ["Decline all", "Stop the call", "Edit"], []],
    sending: ["Sending", ["Stop the call"], []],
    "in the browser": [
      "Finish in your browser, then come back",
      ["Stop the call", "Decline", "Give up", "Open again", "Check again"],
      [],
    ],
    "in the browser, asking": [
      "Finish in your browser, then come back",
      ["Stop the call", "Open again"],
      [],
    ],
    "in the browser, done there": [
      "The server says that the page is done",
      ["Stop the call", "Decline", "Give up", "Open again", "Check again"],
      [],
    ],
    "in the browser, done there, asking": [
      "The server says that the page is done",
      ["Stop the call", "Open again"],
      [],
    ],
    delivered: ["Declined", [], ["Stop the call"]],
    "not delivered": ["Not delivered", [], ["Send again", "Leave it"]],
    unknown: ["Outcome unknown", [], ["Send again", "Leave it"]],
    "server moved": ["Paused", ["Stop the call"], ["Restore the server"]],
    "not confirmed": ["Not confirmed", ["Stop the call", "Send again"], []],
    withdrawn: ["Withdrawn", [], ["Start again"]],
    closed: ["Over", [], ["Stop the call"]],
  };
  it.each(PHASES)("$name", async ({ name, phase, acts: list, call: over }) => {
    const browser =
      phase.kind === "opening" ||
      phase.kind === "may_be_open" ||
      phase.kind === "open_failed" ||
      phase.kind === "in_browser";
    await openAsk(
      ask({
        phase,
        acts: list,
        call: call(over),
        of: 2,
        ...(browser ? { body: link(LINKS.plain) } : {}),
      }),
    );
    const [title, buttons, callActs] = expected[name] ?? [null, [], []];
    expect(textOf("[data-testid='state'] .title")).toBe(title);
    const label = (element: HTMLElement) =>
      (element.textContent ?? "").replace(/ for CRM.*$/, "").trim();
    expect(all("[data-testid='card'] [data-act]").map(label)).toEqual(buttons);
    expect(all("[data-testid='card'] [data-callact]").map(label)).toEqual(callActs);
  });

  it("tells what may have happened when nothing was heard back", async () => {
    const backend = await openAsk(
      ask({
        phase: { kind: "undelivered", action: "accept", reason: null },
        acts: [],
        call: call({ phase: "unknown", acts: ["send_again", "leave"] }),
      }),
    );
    expect(textOf("[data-testid='call-detail']")).toBe(
      "We sent it but heard nothing back. It may have arrived. Sending again could do it twice.",
    );
    await expect
      .poll(() => one("[data-callact='send_again']").getAttribute("aria-disabled"))
      .toBe("false");
    await userEvent.click(one("[data-callact='send_again']"));
    await expect.poll(() => backend.callActs).toEqual([{ call: 10, act: "send_again" }]);
  });

  it("highlights Check again when the person comes back, and sends nothing", async () => {
    const backend = await openAsk(
      ask({
        body: link(LINKS.plain),
        phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
        acts: ["decline", "give_up", "open", "check_again"],
      }),
    );
    window.dispatchEvent(new Event("focus"));
    await expect.poll(() => button("check_again").classList.contains("attention")).toBe(true);
    expect(backend.answers).toEqual([]);
  });
});

describe("a page that is done, says the server", () => {
  const opened = (finished: boolean, revision: number) =>
    ask({
      revision,
      body: link(LINKS.plain),
      phase: { kind: "in_browser", asking: false, trouble: null, finished },
      acts: ["decline", "give_up", "open", "check_again"],
    });

  it("is announced, emphasises Check again and sends nothing", async () => {
    const backend = await openAsk(opened(false, 1));
    expect(button("check_again").classList.contains("attention")).toBe(false);
    backend.put(opened(true, 2));
    backend.changed();
    await expect.poll(() => button("check_again").classList.contains("attention")).toBe(true);
    expect(said()).toBe("CRM sandbox says that the page is done");
    expect(textOf("[data-testid='ask-row'] .facts .word")).toBe("Page is done");
    expect(document.activeElement).toBe(document.body);
    expect(backend.answers).toEqual([]);
  });

  it("is announced once, also while another card is open", async () => {
    const backend = new FakeBackend().put(opened(false, 1));
    await openAsk(ask({ id: 101, call: call({ id: 11 }) }), backend);
    backend.put(opened(true, 2));
    backend.changed();
    await expect.poll(said).toBe("CRM sandbox says that the page is done");
    backend.put(ask({ id: 102, call: call({ id: 12 }) }));
    backend.changed();
    await expect.poll(said).toBe("CRM sandbox asks a question, 2 waiting");
  });
});

describe("an answer that goes its own way", () => {
  const REASON = "The server did not take your answer: “unknown request” (-32600).";
  const lost = () =>
    ask({
      body: form([field(0, "Name", TEXT)], [{ field: 0, input: { kind: "text", text: "Ada" } }]),
      phase: { kind: "undelivered", action: "accept", reason: REASON },
      acts: ["send_again", "stop_call"],
    });

  it("says why it is not confirmed, keeps the answer in sight and is sent again by the person", async () => {
    const backend = await openAsk(lost());
    expect(textOf("[data-testid='state']")).toBe(`Not confirmed ${REASON}`);
    expect(textOf("[data-testid='review']")).toContain("Your answer: Name = Ada");
    expect(textOf("[data-testid='review']")).toContain("Meant for crm.example.com");
    expect(textOf("[data-testid='ask-row'] .facts .word")).toBe("Not confirmed");
    await press("send_again");
    await expect.poll(() => answered(backend)).toEqual(["send_again"]);
    expect(backend.answers[0]?.inputs).toBeNull();
    await expect.poll(said).toBe("Sent again");
    expect(textOf("[data-testid='state']")).toContain("Sent On its way to crm.example.com.");
  });
});

describe("a question that goes away while something is entered", () => {
  const REASON = "The server took this question back: “no longer needed”. Nothing was sent.";
  const everything = (over: Partial<AskView>) => ask({ body: form(EVERYTHING), ...over });
  const withdrawn = (over: Partial<AskView> = {}) =>
    everything({
      revision: 2,
      phase: { kind: "withdrawn", reason: REASON },
      acts: [],
      call: call({ phase: "stopped", word: "stopped", acts: ["start_again"] }),
      ...over,
    });

  it("case_070 says that it was withdrawn, and announces it politely", async () => {
    const backend = await openAsk(everything({}));
    backend.put(withdrawn());
    backend.changed();
    await expect.poll(() => card()?.dataset.phase).toBe("withdrawn");
    expect(textOf("[data-testid='state']")).toBe(`Withdrawn ${REASON}`);
    expect(said()).toBe(`CRM sandbox: ${REASON}`);
    expect(textOf("[data-testid='ask-row'] .facts .word")).toBe("Withdrawn");
    expect(acts()).toEqual([]);
    expect(backend.answers).toEqual([]);
  });

  it("case_068 keeps what was entered in its place, with the focus, read only and to be copied", async () => {
    const backend = await openAsk(everything({}));
    await choose(3, "yes");
    await choose(7, 0);
    await fill(0, "Ada Lovelace");
    box(0).focus();
    const before = box(0);
    backend.put(withdrawn());
    backend.changed();
    await expect.poll(() => box(0).readOnly).toBe(true);
    expect(box(0)).toBe(before);
    expect(document.activeElement).toBe(before);
    await userEvent.keyboard("x");
    expect(box(0).value).toBe("Ada Lovelace");
    await expect.poll(() => textOf("[data-field='0'] [data-testid='copy']")).toBe("Copy Your name");
    expect(textOf("[data-field='0'] .hint")).toBe("what you entered, read only");
    expect(textOf("[data-field='1'] .hint")).toBe("left empty, read only");
    expect(textOf("[data-field='10'] .hint")).toBe("suggested by the server, read only");
    expect(all("[data-testid='review']")).toEqual([]);
    await choose(3, "no");
    one("[data-field='3'] [data-option='yes']").focus();
    await userEvent.keyboard("{ArrowRight}");
    await choose(7, 2);
    await userEvent.click(box(6), { force: true });
    await userEvent.keyboard("{ArrowDown}{Enter}");
    const checked = () =>
      all("[data-field] input:checked").map((input) => (input as HTMLInputElement).dataset.option);
    expect(checked()).toEqual(["yes", "none", "0", "1"]);
    expect(all("[role='option']")).toEqual([]);
    expect(box(6).value).toBe("");
    // The last letters may still be handed in; nothing that came after.
    await expect
      .poll(() => backend.drafts.at(-1)?.inputs)
      .toEqual([
        { field: 0, input: { kind: "text", text: "Ada Lovelace" } },
        { field: 3, input: { kind: "flag", value: true } },
        { field: 7, input: { kind: "picks", indexes: [0, 1] } },
      ]);
    expect(backend.answers).toEqual([]);
  });

  it("shows what was kept when it is opened later", async () => {
    const text = { field: 0, input: { kind: "text" as const, text: "Ada" } };
    await openAsk(withdrawn({ body: form(EVERYTHING, [text]) }));
    expect(box(0).value).toBe("Ada");
    expect(said()).toBe("");
  });

  it("leaves the focus in the card when the button that had it goes away", async () => {
    const backend = await openAsk(everything({}));
    button("accept").focus();
    backend.put(withdrawn());
    backend.changed();
    await expect.poll(() => document.activeElement).toBe(heading());
  });

  it("can be asked again where the call can be started again, and not by a press that was on its way", async () => {
    const backend = await openAsk(everything({}));
    backend.put(withdrawn());
    backend.changed();
    await expect.poll(() => all("[data-callact='start_again']").length).toBe(1);
    one("[data-callact='start_again']").click();
    expect(backend.callActs).toEqual([]);
    await expect
      .poll(() => one("[data-callact='start_again']").getAttribute("aria-disabled"))
      .toBe("false");
    await userEvent.click(one("[data-callact='start_again']"));
    await expect.poll(() => backend.callActs).toEqual([{ call: 10, act: "start_again" }]);
  });

  it("says what became of the answer as the reason has it", async () => {
    const reason = "The question ended while your answer was on its way. It may have arrived.";
    await openAsk(withdrawn({ phase: { kind: "closed", reason } }));
    expect(textOf("[data-testid='state']")).toBe(`Over ${reason}`);
    await openAsk(withdrawn({ phase: { kind: "closed", reason: "The connection ended." } }));
    expect(textOf("[data-testid='state']")).toBe("Over The connection ended. Nothing was sent.");
    expect(box(0).readOnly).toBe(true);
  });

  it("stays readable when the app has forgotten it", async () => {
    const backend = await openAsk(everything({}));
    await fill(0, "Ada");
    backend.take(100);
    backend.changed();
    await expect.poll(() => card()?.dataset.phase).toBe("gone");
    expect(box(0).value).toBe("Ada");
    expect(box(0).readOnly).toBe(true);
  });
});

describe("a question that the server asks by itself", () => {
  it("says so in place of a call, on its card and in Details", async () => {
    await openAsk(ask({ call: ALONE }));
    expect(textOf("[data-testid='call-line']")).toBe("asked by the server itself");
    await userEvent.click(one(".details"));
    expect(textOf("dl")).toContain(
      "none of yours that can be told; asked by the server itself at 14:02",
    );
  });

  it("leads to no result when it is over", async () => {
    const over = { ...ALONE, phase: "done" as const, word: "done", acts: [] };
    await openAsk(ask({ call: over, phase: { kind: "delivered", action: "accept" }, acts: [] }));
    expect(all("[data-testid='see-result']")).toEqual([]);
  });
});

describe("several questions in one call", () => {
  const MANY = {
    of: 3,
    acceptLabel: "Keep answer",
    acts: ["decline", "dismiss", "accept", "decline_all", "stop_call"] as Act[],
  };

  it("are counted, kept and can be edited", async () => {
    const body = form([field(0, "Name", TEXT)]);
    const backend = await openAsk(ask({ ...MANY, body }));
    expect(textOf("[data-testid='position']")).toBe("Question 1 of 3 in this call");
    expect(textOf("[data-act='accept']")).toContain("Keep answer");
    await fill(0, "Ada");
    backend.answer = () => ({ kind: "kept", open: 2 });
    await press("accept");
    await expect
      .poll(() => textOf("[data-testid='state']"))
      .toBe("Kept Sent when all 3 questions of this call are answered, 2 to go.");
    const draft = [{ field: 0, input: { kind: "text" as const, text: "Ada" } }];
    backend.put(
      ask({
        ...MANY,
        revision: 2,
        phase: { kind: "kept", action: "accept" },
        acts: ["edit", "decline_all", "stop_call"],
        body: form([field(0, "Name", TEXT)], draft),
      }),
    );
    backend.changed();
    await expect.poll(acts).toEqual(["decline_all", "stop_call", "edit"]);
    expect(textOf("[data-testid='review']")).toContain("Your answer: Name = Ada");
    backend.answer = () => {
      backend.put(ask({ ...MANY, revision: 3, body: form([field(0, "Name", TEXT)], draft) }));
      return { kind: "sent" };
    };
    await expect.poll(() => button("edit").getAttribute("aria-disabled")).toBe("false");
    await press("edit");
    await expect.poll(() => all("[data-testid='field']").length).toBe(1);
    expect(box(0).value).toBe("Ada");
    expect(document.activeElement).toBe(heading());
  });

  it("can all be declined, or the call stopped, from the header", async () => {
    const backend = await openAsk(ask(MANY));
    expect(all("header [data-act]").map((element) => element.dataset.act)).toEqual([
      "decline_all",
      "stop_call",
    ]);
    await press("stop_call");
    await expect.poll(() => answered(backend)).toEqual(["stop_call"]);
    expect(textOf("[data-testid='state']")).toBe("Call stopped No answer was sent.");
  });
});

describe("an answer that does not come through", () => {
  it.each([
    [
      { kind: "already_answered" as const },
      "This was answered already, perhaps in another window.",
    ],
    [
      { kind: "changed" as const },
      "The card changed since you looked. Read it again, then answer.",
    ],
    [
      { kind: "too_soon" as const, waitMs: 10_000 },
      "This was only just shown. Look at it, then press again.",
    ],
    [{ kind: "not_possible" as const, reason: "The call has ended." }, "The call has ended."],
  ])("is told: %j", async (answer, note) => {
    const backend = await openAsk();
    backend.answer = () => answer;
    await press("accept");
    await expect.poll(() => textOf("[data-testid='note']")).toBe(note);
    expect(said()).toBe(note);
  });
});

describe("what will be sent", () => {
  it("is shown as JSON by one key, from anywhere on the card, and hidden by it again", async () => {
    await openAsk(ask({ body: form([field(0, "Nick", TEXT)]) }));
    await fill(0, "Ada");
    await expect.poll(() => textOf("[data-testid='review']")).toContain("Nick = Ada");
    await userEvent.keyboard("{Alt>}j{/Alt}");
    await expect.poll(() => textOf("[data-testid='json']")).toContain('"Nick": "Ada"');
    expect(box(0).value).toBe("Ada");
    await userEvent.keyboard("{Alt>}j{/Alt}");
    await expect.poll(() => all("[data-testid='json']").length).toBe(0);
  });

  it("names what is missing in chips of at most 40 letters", async () => {
    const label = "x".repeat(119);
    await openAsk(ask({ body: form([field(0, label, TEXT, { required: true })]) }));
    expect(all("footer .chip").map((chip) => chip.textContent)).toEqual([`${"x".repeat(39)}…`]);
  });
});

describe("what is below the fold", () => {
  it("is shown by the first Send instead of sending", async () => {
    await size(1280, 600);
    const fields = Array.from({ length: 20 }, (_, id) => field(id, `Field ${id}`, TEXT));
    const backend = await openAsk(ask({ body: form(fields) }));
    expect(textOf("[data-testid='more-below']")).toContain("More below");
    await press("accept");
    await expect.poll(() => textOf("[data-testid='note']")).toContain("you have not seen yet");
    expect(one(".zone").scrollTop).toBeGreaterThan(0);
    expect(backend.answers).toEqual([]);
    await press("accept");
    await expect.poll(() => answered(backend)).toEqual(["accept"]);
    await size(1280, 800);
  });
});

describe("the window", () => {
  it("starts with one clear action that leads to the first question", async () => {
    const { PRACTICE, PRACTICE_PAGE, snapshot } = await import("../dev/fixtures");
    const backend = new FakeBackend();
    backend.world = snapshot({ servers: [PRACTICE] });
    backend.pages.set(2, PRACTICE_PAGE);
    const question = ask({ server: PRACTICE });
    backend.start = () => {
      backend.putCall({ call: question.call, notices: [], parts: [], json: null });
      return { kind: "started", call: 10 };
    };
    await openWindow(backend);
    await userEvent.click(one("[data-testid='first-question']"));
    await expect
      .poll(() => backend.starts)
      .toEqual([
        { offer: { server: 2, kind: "action", index: 1 }, args: { kind: "fields", fields: [] } },
      ]);
    backend.put(question);
    backend.changed();
    await expect.poll(() => card()?.dataset.ask).toBe("100");
    await expect.poll(() => document.activeElement).toBe(heading());
  });

  it("says what an empty inbox is for", async () => {
    await openWindow(new FakeBackend());
    expect(textOf("[data-testid='empty-inbox']")).toContain("its question waits here");
  });

  it("reads the snapshot again once for many changes that come together", async () => {
    const backend = await openAsk();
    const before = backend.snapshots;
    for (let change = 0; change < 50; change += 1) backend.changed();
    await expect.poll(() => backend.snapshots).toBe(before + 2);
    expect(backend.snapshots).toBe(before + 2);
  });

  it("keeps what was entered when the person goes elsewhere", async () => {
    const backend = await openAsk();
    await choose(0, 1);
    await userEvent.click(one("[data-testid='calls']"));
    await expect
      .poll(() => backend.drafts.at(-1))
      .toEqual({ ask: 100, inputs: [{ field: 0, input: { kind: "pick", index: 1 } }] });
    expect(backend.answers).toEqual([]);
  });

  it("says when a question is gone", async () => {
    await openWindow(new FakeBackend(), { card: ASK });
    await expect.poll(() => textOf("#ask100-heading")).toBe("This question is over");
  });

  it("has a guard that is armed before anything is pressed in these tests", async () => {
    await openAsk();
    await armed();
  });
});
