/** Every form with keys alone: filled, looked at, sent, declined, dismissed. */
import { beforeEach, describe, expect, it } from "vitest";
import { commands } from "vitest/browser";
import type { FakeBackend } from "../dev/fake";
import { ask, form } from "../dev/fixtures";
import { FORMS } from "../dev/forms";
import type { FieldView, Input } from "../src/lib/wire";
import { all, one, openAsk, size, textOf, until, userEvent } from "./desk";

const act = () => (document.activeElement as HTMLElement | null)?.dataset.act;
const own = () => document.activeElement?.closest<HTMLElement>("[data-field]")?.dataset.field;

beforeEach(() => size(1280, 800));

async function start(fields: FieldView[]): Promise<FakeBackend> {
  await commands.emulate({ colorScheme: "light" });
  const backend = await openAsk(ask({ body: form(fields) }));
  one("#ask100-heading").focus();
  return backend;
}

/** Tab until something has focus that is looked for; how often it was pressed. */
async function tabTo(found: () => boolean, most = 120): Promise<number> {
  for (let presses = 0; presses < most; presses += 1) {
    if (found()) return presses;
    await userEvent.tab();
  }
  throw new Error(
    `not reached with ${most} times Tab; at ${document.activeElement?.outerHTML.slice(0, 200)}`,
  );
}

/** Puts something that fits into the field that has focus, and says what that should have made of it. */
async function fill({ control }: FieldView): Promise<Input> {
  switch (control.kind) {
    case "text": {
      const text =
        control.format === "date"
          ? "2027-03-05"
          : control.format === "date-time"
            ? "2027-03-05T13:30:00Z"
            : "Ada";
      await userEvent.keyboard(`{Control>}a{/Control}${text}`);
      return { kind: "text", text };
    }
    case "number":
      await userEvent.keyboard("{Control>}a{/Control}42");
      return { kind: "text", text: "42" };
    case "yesNo":
      await userEvent.keyboard(" ");
      return { kind: "flag", value: true };
    case "choice":
      if (control.options.length > 7) await userEvent.keyboard("{ArrowDown}{Enter}");
      else await userEvent.keyboard(" ");
      return { kind: "pick", index: 0 };
    case "choices":
      if (control.options.length > 7) await userEvent.tab();
      await userEvent.keyboard(" ");
      return { kind: "picks", indexes: [0] };
    case "entries":
      await userEvent.keyboard(" Ada");
      return { kind: "entries", texts: ["Ada"] };
  }
}

describe.each(FORMS)("%s", (_, fields) => {
  it("is filled, looked at as JSON and sent", async () => {
    const backend = await start(fields);
    const expected = [];
    for (const field of fields) {
      await tabTo(() => own() === String(field.id));
      const focused = document.activeElement as HTMLInputElement;
      // An optional choice begins at "No answer"; the first of its options is one press up.
      if (focused.type === "radio" && focused.dataset.option === "none") {
        const first = field.control.kind === "choice" ? field.control.options.length : 2;
        for (let up = 0; up < first; up += 1) await userEvent.keyboard("{ArrowUp}");
        expected.push({
          field: field.id,
          input:
            field.control.kind === "choice"
              ? { kind: "pick", index: 0 }
              : { kind: "flag", value: true },
        });
      } else expected.push({ field: field.id, input: await fill(field) });
    }
    await until(() => all(".review .toggle").length, 1);
    await tabTo(() => document.activeElement?.classList.contains("toggle") ?? false);
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => all("[data-testid='json']").length).toBe(1);
    expect(textOf("[data-testid='json']")).toContain('"action": "accept"');
    await tabTo(() => act() === "accept");
    await userEvent.keyboard("{Enter}");
    await expect
      .poll(() => backend.answers.map(({ act: given, inputs }) => ({ given, inputs })))
      .toEqual([{ given: "accept", inputs: expected }]);
  }, 60_000);

  it("is declined", async () => {
    const backend = await start(fields);
    await tabTo(() => act() === "decline");
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => backend.answers.map((answer) => answer.act)).toEqual(["decline"]);
  });

  it("is dismissed", async () => {
    const backend = await start(fields);
    await userEvent.keyboard("{Escape}{Escape}");
    await expect.poll(() => backend.answers.map((answer) => answer.act)).toEqual(["dismiss"]);
  });

  it("says what is missing, all of it, and leads there", async () => {
    const backend = await start(fields);
    const missing = fields.filter((field) => field.required && field.suggested === null);
    backend.answer = () =>
      missing.length === 0
        ? { kind: "sent" }
        : {
            kind: "invalid",
            errors: missing.map(({ id }) => ({
              field: id,
              code: "required",
              message: "Fill this in.",
            })),
          };
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await expect
      .poll(() => backend.answers.length + all("[data-testid='note']").length)
      .toBeGreaterThan(0);
    // With fields that were never in view the first press only goes there.
    if (backend.answers.length === 0) await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await expect.poll(() => backend.answers.length).toBe(1);
    if (missing.length === 0) return;
    await expect.poll(() => all(".error").length).toBe(missing.length);
    expect(own()).toBe(String(missing[0]?.id));
    await tabBackTo(() => document.activeElement?.classList.contains("jump") ?? false);
    await userEvent.keyboard("{Enter}");
    expect(own()).toBe(String(missing.at(-1)?.id));
  });
});

async function tabBackTo(found: () => boolean) {
  for (let presses = 0; presses < 120 && !found(); presses += 1)
    await userEvent.tab({ shift: true });
  expect(found()).toBe(true);
}
