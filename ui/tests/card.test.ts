import { describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import {
  ask,
  CONSEQUENCES,
  call,
  field,
  form,
  LINKS,
  link,
  PHASES,
  TEXT,
  said as text,
} from "../dev/fixtures";
import type { Act } from "../src/lib/wire";
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
      options: Array.from({ length: 9 }, (_, at) => ({ title: `C${at}`, value: null })),
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
    "could not open": [
      "Could not open your browser",
      ["Decline", "Dismiss", "Open in browser"],
      [],
    ],
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
    delivered: ["Declined", [], ["Stop the call"]],
    "not delivered": ["Not delivered", [], ["Send again", "Leave it"]],
    unknown: ["Outcome unknown", [], ["Send again", "Leave it"]],
    closed: ["Over", [], ["Stop the call"]],
  };
  it.each(PHASES)("$name", async ({ name, phase, acts: list, call: over }) => {
    const browser =
      phase.kind === "opening" || phase.kind === "open_failed" || phase.kind === "in_browser";
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
      backend.putCall({ call: question.call, parts: [], json: null });
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
