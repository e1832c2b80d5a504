import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeBackend } from "../dev/fake";
import { customers, PAGE, starter } from "../dev/fixtures";
import type { Completion } from "../src/lib/wire";
import { all, box, frame, one, openWindow, until, userEvent } from "./desk";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const shown = () => all("[data-testid='suggestion']").map((option) => option.textContent?.trim());
const expanded = () => box(0).getAttribute("aria-expanded");
/** What the box points at, as a screen reader would follow it. */
const active = () => {
  const id = box(0).getAttribute("aria-activedescendant");
  return id === null ? null : document.getElementById(id)?.textContent?.trim();
};

async function openStarter(completes = true): Promise<FakeBackend> {
  const backend = new FakeBackend();
  backend.pages.set(1, PAGE);
  backend.offers = (offer) => ({ ...starter(offer.kind), completes });
  backend.completion = customers;
  await openWindow(backend, {
    list: { kind: "server", server: 1 },
    card: { kind: "start", offer: { server: 1, kind: "starter", index: 0 } },
  });
  await until(() => all("[data-testid='field']").length, 3);
  box(0).focus();
  return backend;
}

async function type(text: string): Promise<void> {
  await userEvent.keyboard(text);
  await vi.advanceTimersByTimeAsync(250);
  await frame();
}

describe("suggestions of the server", () => {
  it("are asked for once the typing rests, with everything that was entered", async () => {
    const backend = await openStarter();
    await userEvent.keyboard("Ad");
    await vi.advanceTimersByTimeAsync(249);
    expect(backend.completed).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(backend.completed).toEqual([
      {
        server: 1,
        kind: "starter",
        index: 0,
        field: 0,
        inputs: [{ field: 0, input: { kind: "text", text: "Ad" } }],
      },
    ]);
    await until(shown, ["Ada Lovelace", "Adele Goldberg"]);
    expect(expanded()).toBe("true");
    expect(active()).toBeNull();
    expect(document.activeElement).toBe(box(0));
  });

  it("are chosen with the keyboard alone; what is chosen is what is entered", async () => {
    const backend = await openStarter();
    backend.completion = () => ({
      values: [
        { text: "first", shown: "first" },
        { text: "a\u202eb", shown: "a[U+202E]b" },
      ],
      more: false,
    });
    await type("a");
    await userEvent.keyboard("{ArrowUp}");
    expect(active()).toBe("a[U+202E]b");
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    expect(active()).toBe("a[U+202E]b");
    await userEvent.keyboard("{Enter}");
    expect(box(0).value).toBe("a\u202eb");
    expect(document.activeElement).toBe(box(0));
    expect(expanded()).toBe("false");
    await userEvent.click(one("[data-testid='run']"));
    await until(() => backend.starts[0]?.args ?? null, {
      kind: "fields",
      fields: [{ field: 0, input: { kind: "text", text: "a\u202eb" } }],
    });
  });

  it("are chosen with the pointer", async () => {
    await openStarter();
    await type("A");
    await until(() => shown().length, 4);
    await userEvent.click(all("[data-testid='suggestion']")[1] as HTMLElement);
    expect(box(0).value).toBe("Adele Goldberg");
    expect(document.activeElement).toBe(box(0));
    expect(shown()).toEqual([]);
  });

  it("come with Down in an empty box, and go with Escape", async () => {
    const backend = await openStarter();
    await userEvent.keyboard("{ArrowDown}");
    await until(() => shown().length, 5);
    expect(backend.completed[0]?.inputs).toEqual([]);
    await userEvent.keyboard("{Escape}");
    expect(shown()).toEqual([]);
    expect(box(0).value).toBe("");
  });

  it("are not entered by leaving or by Enter without a choice", async () => {
    await openStarter();
    await type("Ad");
    await until(() => shown().length, 2);
    await userEvent.keyboard("{Enter}");
    expect(document.activeElement).toBe(box(1));
    expect(box(0).value).toBe("Ad");
    box(0).focus();
    await type("a");
    await until(() => shown().length, 1);
    await userEvent.keyboard("{ArrowDown}{Tab}");
    expect(box(0).value).toBe("Ada");
    expect(shown()).toEqual([]);
  });

  it("of an older question are dropped, in whatever order they come", async () => {
    const backend = await openStarter();
    const answers: ((completion: Completion) => void)[] = [];
    backend.completion = () => new Promise((done) => answers.push(done));
    await type("A");
    await type("d");
    expect(box(0).value).toBe("Ad");
    answers[1]?.({ values: [{ text: "new", shown: "new" }], more: false });
    await until(shown, ["new"]);
    answers[0]?.({ values: [{ text: "old", shown: "old" }], more: false });
    await frame();
    expect(shown()).toEqual(["new"]);
    await type("e");
    await userEvent.keyboard("{Tab}");
    answers[2]?.({ values: [{ text: "late", shown: "late" }], more: false });
    await frame();
    expect(shown()).toEqual([]);
  });

  it("are hidden when there are none and when asking fails", async () => {
    const backend = await openStarter();
    await type("A");
    await until(() => shown().length, 4);
    await type("zz");
    await until(shown, []);
    expect(expanded()).toBe("false");
    backend.completion = () => Promise.reject({ code: "gone", message: "It is no longer here." });
    await type("q");
    expect(expanded()).toBe("false");
    expect(box(0).value).toBe("Azzq");
    expect(all("[data-testid='start-card'] .note")).toEqual([]);
  });

  it("stand as plain text in the server's frame, and say when there are more", async () => {
    await openStarter();
    await type("A");
    await until(() => shown().length, 4);
    expect(shown()).toContain("<b>Annie</b> Easley");
    expect(all(".suggest b")).toEqual([]);
    expect(all(".quoted [data-testid='suggestion']").length).toBe(4);
    expect(one("[data-testid='suggestions']").textContent).toContain("There are more.");
  });

  it("are offered to text fields only, and only where the server can", async () => {
    await openStarter();
    expect([0, 1, 2].map((field) => box(field).getAttribute("role"))).toEqual([
      "combobox",
      "combobox",
      null,
    ]);
    const backend = await openStarter(false);
    await type("A");
    expect(box(0).getAttribute("role")).toBeNull();
    expect(backend.completed).toEqual([]);
  });
});
