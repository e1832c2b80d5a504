/** Fields that ask for a secret, or in which one stands (case 044). */
import { describe, expect, it } from "vitest";
import { ask, entries, field, form, SECRETS, TEXT } from "../dev/fixtures";
import { review } from "../dev/review";
import { all, box, button, fill, one, openAsk, press, sent, textOf, userEvent } from "./desk";

const SECRET = "hunter2";
const CARD = "4111111111111111";

const guard = (at: number) => one(`[data-field='${at}'] [data-testid='guard']`);
const anyway = (at: number) => one(`[data-field='${at}'] [data-anyway]`) as HTMLInputElement;
const shows = () => one("[data-testid='app']").textContent;

/** Answers as Rust would: with what is wrong, else sent. */
async function openSecrets() {
  const backend = await openAsk(ask({ body: form(SECRETS) }));
  backend.answer = ({ inputs }) => {
    const { errors } = review({ fields: SECRETS }, inputs ?? []);
    return errors.length > 0 ? { kind: "invalid", errors } : { kind: "sent" };
  };
  await fill(0, "ada");
  return backend;
}

describe("a field that asks for a secret", () => {
  it("says so in the app's words, tied to its box, and a suspicious one only warns", async () => {
    await openSecrets();
    expect(guard(1).textContent).toContain("This asks for a password.");
    expect(box(1).getAttribute("aria-describedby")?.split(" ")).toContain(
      guard(1).querySelector("p")?.id,
    );
    expect(guard(2).dataset.level).toBe("suspicious");
    expect(guard(2).querySelector("input")).toBeNull();
    expect(all("[data-field='0'] [data-testid='guard']")).toEqual([]);
  });

  it("is hidden, and shown at a press", async () => {
    await openSecrets();
    await fill(1, SECRET);
    expect(box(1).type).toBe("password");
    await userEvent.click(one("[data-field='1'] [data-testid='bare']"));
    expect(box(1).type).toBe("text");
    expect(box(1).value).toBe(SECRET);
    await userEvent.click(one("[data-field='1'] [data-testid='bare']"));
    expect(box(1).type).toBe("password");
    expect(box(0).type).toBe("text");
    expect(box(2).type).toBe("text");
  });

  it("is hidden in a box for a date too", async () => {
    const date = field(
      0,
      "Card expires",
      { ...TEXT, format: "date" },
      { guard: { level: "secret", sentence: "This asks for a card." } },
    );
    await openAsk(ask({ body: form([date]) }));
    await fill(0, "2031-04-01");
    expect(box(0).type).toBe("password");
    expect(shows()).not.toContain("2031");
    await userEvent.click(one("[data-field='0'] [data-testid='bare']"));
    expect(box(0).type).toBe("text");
  });

  it("makes Decline the button that stands out", async () => {
    await openSecrets();
    expect(button("decline").classList).toContain("primary");
    expect(button("accept").classList).not.toContain("primary");
  });

  it("is sent only after the person chose so, which nothing does for them", async () => {
    const backend = await openSecrets();
    await fill(1, SECRET);
    expect(anyway(1).checked).toBe(false);
    await press("accept");
    await expect.poll(() => textOf("[data-field='1'] .error")).toContain("Held back");
    expect(document.activeElement).toBe(box(1));
    await userEvent.click(anyway(1));
    expect(await sent(backend)).toEqual([
      { field: 0, input: { kind: "text", text: "ada" } },
      { field: 1, input: { kind: "text", text: SECRET }, anyway: true },
    ]);
  });

  it("takes the choice back", async () => {
    const backend = await openSecrets();
    await fill(1, SECRET);
    await userEvent.click(anyway(1));
    await userEvent.click(anyway(1));
    await press("accept");
    await expect
      .poll(() => backend.answers.at(-1)?.inputs?.[1])
      .toEqual({
        field: 1,
        input: { kind: "text", text: SECRET },
      });
  });

  it("takes the server's suggestion as an entry once it is to be sent", async () => {
    const suggested = { kind: "text", text: "admin" } as const;
    const fields = SECRETS.filter(({ id }) => id === 1).map((view) => ({ ...view, suggested }));
    const backend = await openAsk(ask({ body: form(fields) }));
    expect(box(1).type).toBe("password");
    await userEvent.click(anyway(1));
    expect(await sent(backend)).toEqual([{ field: 1, input: suggested, anyway: true }]);
  });

  it("is bullets in the review line and in the JSON, until a press of its own", async () => {
    await openSecrets();
    await fill(1, SECRET);
    await userEvent.click(anyway(1));
    await expect.poll(() => textOf("[data-testid='review']")).toContain("••••••••");
    await userEvent.click(one("[data-testid='review'] .toggle"));
    expect(textOf("[data-testid='json']")).toContain("••••••••");
    expect(shows()).not.toContain(SECRET);
    await userEvent.click(one("[data-testid='bare-json']"));
    expect(textOf("[data-testid='json']")).toContain(SECRET);
    await userEvent.click(one("[data-testid='bare-json']"));
    expect(shows()).not.toContain(SECRET);
  });

  it("stays hidden when the question is over", async () => {
    const fields = SECRETS;
    const body = form(fields, [{ field: 1, input: { kind: "text", text: SECRET }, anyway: true }]);
    const backend = await openAsk(ask({ body }));
    backend.put(
      ask({
        body,
        revision: 2,
        phase: { kind: "withdrawn", reason: "The server took it back." },
        acts: [],
      }),
    );
    backend.changed();
    await expect.poll(() => box(1).readOnly).toBe(true);
    expect(box(1).type).toBe("password");
    expect(all("[data-anyway]")).toEqual([]);
    await userEvent.click(one("[data-field='1'] [data-testid='bare']"));
    expect(box(1).type).toBe("text");
  });
});

describe("a secret in a field that asks for none", () => {
  const NOTE = [field(0, "Note", TEXT), field(1, "Other", TEXT)];

  it("is told, hidden when its box is left, and sent only at the person's word", async () => {
    const backend = await openAsk(ask({ body: form(NOTE) }));
    expect(button("accept").classList).toContain("primary");
    await fill(0, CARD);
    await expect.poll(() => all("[data-field='0'] [data-testid='guard']").length).toBe(1);
    expect(box(0).type).toBe("text");
    expect(document.activeElement).toBe(box(0));
    await userEvent.click(box(1));
    await expect.poll(() => box(0).type).toBe("password");
    expect(button("accept").classList).toContain("primary");
    await userEvent.click(anyway(0));
    expect(await sent(backend)).toEqual([
      { field: 0, input: { kind: "text", text: CARD }, anyway: true },
    ]);
  });

  it("asks again for the next one in the same field", async () => {
    await openAsk(ask({ body: form(NOTE) }));
    await fill(0, CARD);
    await expect.poll(() => all("[data-field='0'] [data-anyway]").length).toBe(1);
    await userEvent.click(anyway(0));
    await fill(0, "4222222222222222");
    await expect.poll(() => anyway(0).checked).toBe(false);
  });
});

describe("a list whose entries are secrets", () => {
  const CODES = [field(0, "Recovery codes", entries(TEXT), { guard: SECRETS[1]?.guard ?? null })];
  const codes = () => all("[data-field='0'] input[data-entry]") as HTMLInputElement[];

  it("is hidden, shown at a press, and sent only after the person chose so", async () => {
    const backend = await openAsk(ask({ body: form(CODES) }));
    backend.answer = ({ inputs }) => {
      const { errors } = review({ fields: CODES }, inputs ?? []);
      return errors.length > 0 ? { kind: "invalid", errors } : { kind: "sent" };
    };
    for (const text of ["alpha-1", "beta-2"]) {
      await userEvent.click(one("[data-field='0'] [data-entry-add]"));
      await userEvent.keyboard(text);
    }
    expect(codes().map((code) => code.type)).toEqual(["password", "password"]);
    await userEvent.click(one("[data-field='0'] [data-testid='bare']"));
    expect(codes().map((code) => code.type)).toEqual(["text", "text"]);
    expect(codes()[0]?.getAttribute("aria-describedby")?.split(" ")).toContain(
      guard(0).querySelector("p")?.id,
    );
    await press("accept");
    await expect.poll(() => textOf("[data-field='0'] .error")).toContain("Held back");
    await userEvent.click(anyway(0));
    expect(await sent(backend)).toEqual([
      { field: 0, input: { kind: "entries", texts: ["alpha-1", "beta-2"] }, anyway: true },
    ]);
  });
});
