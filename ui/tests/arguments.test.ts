import { describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import { ARGUMENTS } from "../dev/fixtures";
import type { ArgumentsReading, ArgumentsView, JsonTrouble } from "../src/lib/wire";
import { all, box, choose, fill, one, openWindow, textOf, userEvent } from "./desk";

const OFFER = { server: 1, kind: "action", index: 0 } as const;
const JSON_ONLY = { ...ARGUMENTS, form: null, jsonReason: "Too deep to draw." };
const COLON: JsonTrouble = { line: 3, column: 7, message: "A colon must stand here." };

async function open(view: ArgumentsView, reading: (text: string) => Partial<ArgumentsReading>) {
  const backend = new FakeBackend();
  backend.offers = () => view;
  backend.reading = reading;
  await openWindow(backend, { card: { kind: "start", offer: OFFER } });
  await expect.poll(() => all("[data-testid='run']").length).toBe(1);
  return backend;
}

const editor = () => one("[data-testid='json-editor']") as HTMLTextAreaElement;
const note = () => all("footer [role='status']").map((element) => element.textContent ?? "");
const run = () => userEvent.click(one("[data-testid='run']"));
const cross = () => userEvent.click(one("[data-testid='way']"));
const sent = (backend: FakeBackend) => backend.starts.map(({ args }) => args);

describe("arguments as JSON", () => {
  it("say where and why they are none, and one press goes there", async () => {
    const backend = await open(JSON_ONLY, () => ({ trouble: COLON }));
    await userEvent.fill(editor(), '{\n  "ä": "😀",\n  "b" 2\n}');
    await expect
      .poll(() => textOf("[data-testid='json-trouble'] span"))
      .toBe("! Line 3, column 7: A colon must stand here.");
    expect(textOf(".numbers")).toBe("1 2 3 4");
    expect(editor().getAttribute("aria-invalid")).toBe("true");
    expect(editor().getAttribute("aria-describedby")).toContain(
      one("[data-testid='json-trouble']").id,
    );
    await userEvent.click(one("[data-testid='json-trouble'] button"));
    expect(document.activeElement).toBe(editor());
    expect(editor().value.slice(editor().selectionStart, editor().selectionEnd)).toBe("2");
    expect(backend.starts).toEqual([]);
  });

  it("are not sent while they are none, also before that was said", async () => {
    const backend = await open(JSON_ONLY, () => ({ trouble: { ...COLON, line: 1, column: 2 } }));
    await userEvent.fill(editor(), "{");
    await run();
    await expect.poll(() => all("[data-testid='json-trouble']").length).toBe(1);
    expect(document.activeElement).toBe(editor());
    expect(backend.starts).toEqual([]);
  });

  it("that do not fit are told once and can be sent: the server decides", async () => {
    const backend = await open(JSON_ONLY, (text) => ({
      findings: text.includes("x") ? ["/a: is not of type “number”"] : [],
    }));
    await userEvent.fill(editor(), '{"a": "x"}');
    await run();
    await expect
      .poll(note)
      .toEqual([expect.stringContaining("Press Run again to send it anyway.")]);
    expect(textOf("[data-testid='json-findings'] li")).toBe("/a: is not of type “number”");
    expect(backend.starts).toEqual([]);
    await run();
    await expect.poll(() => sent(backend)).toEqual([{ kind: "json", text: '{"a": "x"}' }]);
  });

  it("that were changed after the warning are judged anew", async () => {
    const backend = await open(JSON_ONLY, () => ({ findings: ["/a: is less than 2"] }));
    await userEvent.fill(editor(), '{"a": 1}');
    await run();
    await expect.poll(() => note().length).toBe(1);
    await userEvent.fill(editor(), '{"a": 0}');
    await run();
    await expect.poll(() => backend.readings.at(-1)).toBe('{"a": 0}');
    expect(backend.starts).toEqual([]);
  });

  it("that fit are sent as they stand", async () => {
    const backend = await open(JSON_ONLY, () => ({}));
    await userEvent.fill(editor(), '{"a":1E400}');
    await run();
    await expect.poll(() => sent(backend)).toEqual([{ kind: "json", text: '{"a":1E400}' }]);
  });
});

describe("between fields and JSON", () => {
  it("nothing is lost either way while nothing is changed", async () => {
    const backend = await open(ARGUMENTS, () => ({}));
    await choose(0, 1);
    await fill(1, "12abc");
    await cross();
    await expect.poll(() => document.activeElement).toBe(editor());
    await cross();
    await expect.poll(() => all("[data-testid='field']").length).toBe(3);
    expect(box(1).value).toBe("12abc");
    expect(backend.readings).toEqual([]);
    const text = one("[data-testid='way']").textContent;
    expect(text).toBe("Enter it as JSON");
  });

  it("what was written as JSON fills the fields, and comes back in its own words", async () => {
    const written = '{ "copies":   4 }';
    const backend = await open(ARGUMENTS, () => ({
      fields: [{ field: 1, input: { kind: "text", text: "4" } }],
    }));
    await cross();
    await expect.poll(() => all("[data-testid='json-editor']").length).toBe(1);
    await userEvent.fill(editor(), written);
    await cross();
    await expect.poll(() => all("[data-testid='field']").length).toBe(3);
    expect(box(1).value).toBe("4");
    await cross();
    await expect.poll(() => editor().value).toBe(written);
    await cross();
    await expect.poll(() => all("[data-testid='field']").length).toBe(3);
    await run();
    await expect
      .poll(() => sent(backend))
      .toEqual([{ kind: "fields", fields: [{ field: 1, input: { kind: "text", text: "4" } }] }]);
  });

  it("what the fields cannot hold stays JSON, with the reason", async () => {
    await open(ARGUMENTS, () => ({ noFields: "The form has no field “more”." }));
    await cross();
    await expect.poll(() => all("[data-testid='json-editor']").length).toBe(1);
    await userEvent.fill(editor(), '{"more": []}');
    await cross();
    await expect
      .poll(note)
      .toEqual([
        "The fields cannot take this over: The form has no field “more”. It stays as it is.",
      ]);
    expect(editor().value).toBe('{"more": []}');
  });
});
