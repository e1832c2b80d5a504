import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../dev/fake";
import { ask, call, field, form, LINKS, link, TEXT } from "../dev/fixtures";
import type { Act } from "../src/lib/wire";
import {
  ASK,
  all,
  button,
  card,
  frame,
  one,
  openAsk,
  openWindow,
  press,
  pressDead,
  said,
  until,
  userEvent,
} from "./desk";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const disabled = (act: Act) => button(act).getAttribute("aria-disabled");

async function openGuarded(view = ask()): Promise<FakeBackend> {
  const backend = new FakeBackend().put(view);
  await openWindow(backend, { card: ASK });
  await until(() => backend.showings.length, 1);
  await until(() => vi.getTimerCount(), 1);
  return backend;
}

describe("accepting controls", () => {
  const cards: [Act, ReturnType<typeof ask>][] = [
    ["accept", ask()],
    ["open", ask({ body: link(LINKS.plain) })],
    [
      "check_again",
      ask({
        body: link(LINKS.plain),
        phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
        acts: ["decline", "give_up", "open", "check_again"],
      }),
    ],
    [
      "send_again",
      ask({
        phase: { kind: "undelivered", action: "accept", reason: "Not delivered." },
        acts: ["decline", "send_again"],
      }),
    ],
    [
      "already_finished",
      ask({ body: link(LINKS.plain), acts: ["decline", "dismiss", "already_finished", "open"] }),
    ],
  ];
  it.each(cards)(
    "%s is dead until the card was on the screen for as long as Rust says",
    async (act, view) => {
      const backend = await openGuarded(view);
      expect(card()?.dataset.armed).toBe("false");
      expect(disabled(act)).toBe("true");
      expect(disabled("decline")).toBe("false");
      await pressDead(act);
      expect(backend.answers).toEqual([]);
      vi.advanceTimersByTime(699);
      await frame();
      expect(disabled(act)).toBe("true");
      vi.advanceTimersByTime(1);
      await until(() => disabled(act), "false");
      await press(act);
      await until(() => backend.answers.map((answer) => answer.act), [act]);
    },
  );

  it("say why, when they are pressed too early", async () => {
    const backend = await openGuarded();
    await pressDead("accept");
    await until(said, "This was only just shown. Look at it, then press again.");
    expect(backend.answers).toEqual([]);
  });

  it("do not answer a press that began while they were dead", async () => {
    const backend = await openGuarded();
    button("accept").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    button("accept").dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    button("accept").click();
    expect(backend.answers).toEqual([]);
  });

  it.each([
    ["a window that gets focus", () => window.dispatchEvent(new Event("focus"))],
    ["a window that changes size", () => window.dispatchEvent(new Event("resize"))],
  ])("are dead again after %s", async (_, happens) => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    happens();
    await until(() => disabled("accept"), "true");
    await vi.advanceTimersByTimeAsync(200);
    await until(() => backend.showings.length, 2);
    await until(() => vi.getTimerCount(), 1);
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
  });

  it("are dead again when the card changes, and the new revision is reported", async () => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    backend.put(
      ask({ revision: 2, message: { text: "Something else.", leftOut: 0, whole: null } }),
    );
    backend.changed();
    await until(() => disabled("accept"), "true");
    await until(() => backend.showings.at(-1), { ask: 100, revision: 2 });
  });

  it("stay armed when something else changes", async () => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    backend.put(ask({ id: 101, call: call({ id: 11 }) }));
    backend.changed();
    await until(() => all("[data-testid='ask-row']").length, 2);
    expect(card()?.dataset.armed).toBe("true");
    expect(backend.showings.length).toBe(1);
  });
});

describe("one gesture never answers twice", () => {
  it("keeps every answering control dead for 300 ms after the release", async () => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    backend.answer = () => ({ kind: "not_possible", reason: "Not now." });
    await press("decline");
    await until(() => disabled("decline"), "true");
    expect(disabled("dismiss")).toBe("true");
    expect(disabled("accept")).toBe("true");
    await pressDead("dismiss");
    vi.advanceTimersByTime(299);
    await pressDead("dismiss");
    expect(backend.answers.length).toBe(1);
    await vi.advanceTimersByTimeAsync(300);
    await until(() => disabled("decline"), "false");
  });

  it("waits for a key that is held", async () => {
    const backend = await openGuarded();
    backend.answer = () => ({ kind: "not_possible", reason: "Not now." });
    button("decline").focus();
    await userEvent.keyboard("{Enter>}");
    await until(() => backend.answers.length, 1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(disabled("dismiss")).toBe("true");
    await userEvent.keyboard("{/Enter}");
    await vi.advanceTimersByTimeAsync(300);
    await until(() => disabled("dismiss"), "false");
  });

  it.each(["Enter", " "])("ignores %j when it repeats", async (key) => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    button("accept").focus();
    const repeat = new KeyboardEvent("keydown", {
      key,
      repeat: true,
      bubbles: true,
      cancelable: true,
    });
    button("accept").dispatchEvent(repeat);
    expect(repeat.defaultPrevented).toBe(true);
    expect(backend.answers).toEqual([]);
  });

  it("ignores a repeated Ctrl+Enter and takes a fresh one", async () => {
    const backend = await openAsk();
    one("h2[id='ask100-heading']").focus();
    const shortcut = (repeat: boolean) =>
      one("h2[id='ask100-heading']").dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, repeat, bubbles: true }),
      );
    shortcut(true);
    expect(backend.answers).toEqual([]);
    shortcut(false);
    await until(() => backend.answers.map((answer) => answer.act), ["accept"]);
  });
});

describe("what a call comes to", () => {
  const done = (over = {}) => call({ phase: "done", word: "done", acts: ["start_again"], ...over });

  it("never offers to start anything on the card that was answered", async () => {
    const backend = await openGuarded();
    vi.advanceTimersByTime(700);
    await until(() => card()?.dataset.armed, "true");
    await press("accept");
    backend.put(
      ask({ revision: 2, phase: { kind: "delivered", action: "accept" }, acts: [], call: done() }),
    );
    backend.changed();
    await until(() => all("[data-testid='see-result']").length, 1);
    expect(all("[data-testid='card'] :is([data-act], [data-callact])")).toEqual([]);
    expect(backend.callActs).toEqual([]);
  });

  it("starts nothing again with a click that was on its way when it was shown", async () => {
    const backend = new FakeBackend();
    backend.putCall({
      call: call({ phase: "sending", acts: ["stop"] }),
      notices: [],
      parts: [],
      json: null,
    });
    await openWindow(backend, { card: { kind: "call", call: 10 } });
    await until(() => all("[data-callact='stop']").length, 1);
    expect(one("[data-callact='stop']").getAttribute("aria-disabled")).toBe("false");
    backend.putCall({ call: done(), notices: [], parts: [], json: null });
    backend.changed();
    await until(() => all("[data-callact='start_again']").length, 1);
    one("[data-callact='start_again']").click();
    await vi.advanceTimersByTimeAsync(699);
    expect(one("[data-callact='start_again']").getAttribute("aria-disabled")).toBe("true");
    one("[data-callact='start_again']").click();
    expect(backend.callActs).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await until(() => one("[data-callact='start_again']").getAttribute("aria-disabled"), "false");
    await userEvent.click(one("[data-callact='start_again']"));
    await until(() => backend.callActs, [{ call: 10, act: "start_again" }]);
  });

  it("waits for a pointer that rests on the button pressed down", async () => {
    const backend = new FakeBackend();
    backend.putCall({
      call: call({ phase: "sending", acts: ["stop"] }),
      notices: [],
      parts: [],
      json: null,
    });
    await openWindow(backend, { card: { kind: "call", call: 10 } });
    await until(() => all("[data-callact='stop']").length, 1);
    window.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    backend.putCall({ call: done(), notices: [], parts: [], json: null });
    backend.changed();
    await until(() => all("[data-callact='start_again']").length, 1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(one("[data-callact='start_again']").getAttribute("aria-disabled")).toBe("true");
    window.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
    await vi.advanceTimersByTimeAsync(701);
    await until(() => one("[data-callact='start_again']").getAttribute("aria-disabled"), "false");
  });
});

describe("case_155 arrival", () => {
  it("moves no focus, answers nothing and is announced once", async () => {
    const backend = await openAsk(ask({ body: form([field(0, "Name", TEXT)]) }));
    const box = one("#ask100-0");
    box.focus();
    await userEvent.keyboard("ye");
    backend.put(ask({ id: 101, call: call({ id: 11 }) }));
    backend.changed();
    await userEvent.keyboard("s please{Enter}");
    await until(said, "CRM sandbox asks a question, 2 waiting");
    expect(document.activeElement).toBe(box);
    expect(card()?.dataset.ask).toBe("100");
    expect(backend.answers).toEqual([]);
  });

  it("merges several into one sentence", async () => {
    const backend = await openAsk();
    backend.put(...[101, 102, 103].map((id) => ask({ id, call: call({ id }) })));
    backend.changed();
    await until(said, "3 new questions, 4 waiting");
  });
});
