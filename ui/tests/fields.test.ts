import { describe, expect, it } from "vitest";
import { ask, entries, field, form, many, number, options, TEXT, text } from "../dev/fixtures";
import type { Control, FieldInput, FieldView, Input } from "../src/lib/wire";
import { all, box, choose, fill, one, openAsk, press, sent, textOf, userEvent } from "./desk";

const CHOICE: Control = { kind: "choice", options: options("x", "y") };
const CHOICES: Control = {
  kind: "choices",
  options: options("Monday", "Tuesday", "Wednesday"),
  minItems: null,
  maxItems: null,
};
const YES_NO: Control = { kind: "yesNo" };
const LIST: Control = entries(TEXT);
const NUMBER: Control = number({ minimum: "18" });

const REQUIRED = { required: true };
const suggest = (suggested: Input) => ({ suggested });
const pick = (index: number): Input => ({ kind: "pick", index });
const flag = (value: boolean): Input => ({ kind: "flag", value });
const listed = (...texts: string[]): Input => ({ kind: "entries", texts });
const typed = (value: string): Input => ({ kind: "text", text: value });

async function check(view: FieldView, gesture: () => Promise<void>, expected: Input | null) {
  const backend = await openAsk(ask({ body: form([view]) }));
  await gesture();
  const entries: FieldInput[] = expected ? [{ field: view.id, input: expected }] : [];
  expect(await sent(backend)).toEqual(entries);
}

const nothing = async () => {};
const add = () => userEvent.click(one("[data-entry-add]"));
const entry = (at: number) => one(`[data-entry="${at}"]`) as HTMLInputElement;
const removeEntry = (at: number) => userEvent.click(one(`[data-entry-remove="${at}"]`));
const none = () => userEvent.click(one("[data-field='3'] .tools button:last-child"));

describe("what a gesture enters", () => {
  const table: [string, FieldView, () => Promise<void>, Input | null][] = [
    ["an untouched text", field(3, "T", text()), nothing, null],
    ["an untouched number is not its minimum", field(3, "N", NUMBER), nothing, null],
    ["an untouched suggestion", field(3, "T", text(), suggest(typed("Hello"))), nothing, null],
    ["a text", field(3, "T", text()), () => fill(3, "Ada"), typed("Ada")],
    [
      "a text that was emptied again",
      field(3, "T", text()),
      async () => {
        await fill(3, "A");
        await fill(3, "");
      },
      null,
    ],
    [
      "a suggestion that was cleared",
      field(3, "T", text(), suggest(typed("Hello"))),
      () => fill(3, ""),
      { kind: "empty" },
    ],
    ["a number as it was typed", field(3, "N", NUMBER), () => fill(3, "012.50"), typed("012.50")],
    ["a number that is none", field(3, "N", NUMBER), () => fill(3, "12abc"), typed("12abc")],
    [
      "blanks as they were typed",
      field(3, "M", text({ format: "email" })),
      () => fill(3, " a@b "),
      typed(" a@b "),
    ],
    ["yes", field(3, "Q", YES_NO, REQUIRED), () => choose(3, "yes"), flag(true)],
    ["no", field(3, "Q", YES_NO, REQUIRED), () => choose(3, "no"), flag(false)],
    ["an untouched optional yes or no", field(3, "Q", YES_NO), nothing, null],
    [
      "no answer after yes",
      field(3, "Q", YES_NO),
      async () => {
        await choose(3, "yes");
        await choose(3, "none");
      },
      null,
    ],
    [
      "no answer instead of a suggested yes",
      field(3, "Q", YES_NO, suggest(flag(true))),
      () => choose(3, "none"),
      { kind: "empty" },
    ],
    ["one of two", field(3, "C", CHOICE, REQUIRED), () => choose(3, 1), pick(1)],
    [
      "no answer instead of a suggested choice",
      field(3, "C", CHOICE, suggest(pick(0))),
      () => choose(3, "none"),
      { kind: "empty" },
    ],
    [
      "two of three, in the order of the form",
      field(3, "D", CHOICES),
      async () => {
        await choose(3, 2);
        await choose(3, 0);
      },
      { kind: "picks", indexes: [0, 2] },
    ],
    [
      "a tick taken back",
      field(3, "D", CHOICES),
      async () => {
        await choose(3, 2);
        await choose(3, 2);
      },
      null,
    ],
    [
      "suggested ticks taken away",
      field(3, "D", CHOICES, suggest({ kind: "picks", indexes: [1] })),
      () => choose(3, 1),
      { kind: "empty" },
    ],
    [
      "all",
      field(3, "D", CHOICES),
      () => userEvent.click(one("[data-field='3'] .tools button")),
      { kind: "picks", indexes: [0, 1, 2] },
    ],
    [
      "none, said on purpose, of a required one",
      field(3, "D", CHOICES, REQUIRED),
      none,
      { kind: "picks", indexes: [] },
    ],
    ["an untouched list of entries", field(3, "L", LIST), nothing, null],
    [
      "two entries as they were typed",
      field(3, "L", LIST),
      async () => {
        await add();
        await userEvent.fill(entry(0), " a ");
        await add();
        await userEvent.fill(entry(1), "b");
      },
      { kind: "entries", texts: [" a ", "b"] },
    ],
    ["an entry that was added and left empty", field(3, "L", LIST), add, listed("")],
    [
      "an entry that was added and removed",
      field(3, "L", LIST),
      async () => {
        await add();
        await removeEntry(0);
      },
      null,
    ],
    [
      "the middle one of three suggested entries removed",
      field(3, "L", LIST, suggest(listed("a", "b", "c"))),
      () => removeEntry(1),
      listed("a", "c"),
    ],
    ["an untouched suggested list", field(3, "L", LIST, suggest(listed("a"))), nothing, null],
    [
      "the only suggested entry removed",
      field(3, "L", LIST, suggest(listed("a"))),
      () => removeEntry(0),
      { kind: "empty" },
    ],
    [
      "the empty list, said on purpose",
      field(3, "L", LIST, REQUIRED),
      () => userEvent.click(one("[data-entry-empty]")),
      listed(),
    ],
    [
      "the empty list, taken back",
      field(3, "L", LIST),
      async () => {
        await userEvent.click(one("[data-entry-empty]"));
        await userEvent.click(one("[data-entry-leave]"));
      },
      null,
    ],
    [
      "a suggested empty list that is left out",
      field(3, "L", LIST, suggest(listed())),
      () => userEvent.click(one("[data-entry-leave]")),
      { kind: "empty" },
    ],
  ];
  it.each(table)("%s", (_, view, gesture, expected) => check(view, gesture, expected));

  it("goes back to the server's suggestion", async () => {
    const view = field(3, "T", text(), suggest(typed("Hello")));
    await check(
      view,
      async () => {
        await fill(3, "Bye");
        await userEvent.click(one("[data-field='3'] .button.quiet"));
        expect(box(3).value).toBe("Hello");
      },
      null,
    );
  });
});

describe("what a field looks like before it is touched", () => {
  it("chooses nothing where nothing was suggested", async () => {
    await openAsk(
      ask({
        body: form([
          field(0, "C", CHOICE, REQUIRED),
          field(1, "Q", YES_NO, REQUIRED),
          field(2, "D", CHOICES),
        ]),
      }),
    );
    expect(all("[data-testid='field'] input:checked")).toEqual([]);
  });

  it("shows an optional yes or no in three states, the third chosen", async () => {
    await openAsk(ask({ body: form([field(0, "Q", YES_NO)]) }));
    expect(all("[data-option]").map((option) => option.dataset.option)).toEqual([
      "yes",
      "no",
      "none",
    ]);
    expect(one("input:checked").dataset.option).toBe("none");
  });

  it("marks a suggestion in words, at the field and in the review line", async () => {
    await openAsk(ask({ body: form([field(0, "Copies", NUMBER, suggest(typed("20")))]) }));
    expect(textOf("[data-field='0'] .hint")).toContain("suggested by the server");
    expect(textOf("[data-testid='review']")).toContain("Copies = 20 (suggested by the server)");
  });

  it("says limits, required and optional in words", async () => {
    await openAsk(
      ask({
        body: form([
          field(0, "A", text({ minLength: 2, maxLength: 40 }), REQUIRED),
          field(1, "B", number({ integer: false, minimum: "0.5" })),
          field(2, "C", { ...CHOICES, minItems: 1, maxItems: 2 }),
        ]),
      }),
    );
    expect(textOf("[data-field='0'] .hint")).toBe("required · 2 to 40 characters");
    expect(textOf("[data-field='1'] .hint")).toBe(
      "optional, left out if empty · number, 0.5 or more",
    );
    expect(textOf("[data-field='2'] .hint")).toBe("optional · choose 1 to 2");
  });

  it("shows the value where it differs from the title", async () => {
    const option = { title: "Europe", value: "eu1", help: "Near you" };
    await openAsk(ask({ body: form([field(0, "R", { kind: "choice", options: [option] })]) }));
    expect(textOf("[data-field='0'] .option")).toBe("Europe eu1 Near you");
  });
});

describe("a searchable list", () => {
  const LIST = field(0, "Country", { kind: "choice", options: many(300) }, REQUIRED);
  const expanded = () => box(0).getAttribute("aria-expanded");
  const active = () => box(0).getAttribute("aria-activedescendant");

  it("is worked with the keyboard alone", async () => {
    const backend = await openAsk(ask({ body: form([LIST]) }));
    box(0).focus();
    await expect.poll(expanded).toBe("true");
    expect(active()).toBeNull();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    await expect.poll(() => textOf(`#${active()}`)).toBe("Option 2");
    await userEvent.keyboard("{Enter}");
    await expect.poll(expanded).toBe("false");
    expect(box(0).value).toBe("Option 2");
    expect(document.activeElement).toBe(box(0));
    expect(await sent(backend)).toEqual([{ field: 0, input: pick(1) }]);
  });

  it("finds by typing and reaches rows that are not drawn", async () => {
    const backend = await openAsk(ask({ body: form([LIST]) }));
    box(0).focus();
    await userEvent.keyboard("{ArrowUp}");
    await expect.poll(() => (active() ? textOf(`#${active()}`) : "")).toContain("Option 300");
    expect(all("[role='option']").length).toBeLessThan(60);
    await userEvent.keyboard("opt_299");
    await expect.poll(() => textOf("[role='listbox']")).toContain("");
    await userEvent.clear(box(0));
    await userEvent.keyboard("Option 298");
    await expect.poll(() => all("[role='option']").length).toBe(1);
    expect(one("[role='option']").getAttribute("aria-setsize")).toBe("1");
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => textOf("[data-field='0'] .chosen")).toBe("Sends opt_298");
    expect(await sent(backend)).toEqual([{ field: 0, input: pick(297) }]);
  });

  it("chooses nothing by being left", async () => {
    const backend = await openAsk(ask({ body: form([LIST]) }));
    box(0).focus();
    await userEvent.keyboard("{ArrowDown}");
    await userEvent.tab();
    await expect.poll(expanded).toBe("false");
    expect(await sent(backend)).toEqual([]);
  });

  it("is chosen from with the pointer and cleared where it is optional", async () => {
    const view = field(0, "Country", { kind: "choice", options: many(12) }, suggest(pick(4)));
    const backend = await openAsk(ask({ body: form([view]) }));
    expect(box(0).value).toBe("Option 5");
    await userEvent.click(box(0));
    await userEvent.click(one("[role='option'][data-row='6']"));
    expect(box(0).value).toBe("Option 7");
    await userEvent.click(one("[data-field='0'] .line .button"));
    expect(await sent(backend)).toEqual([{ field: 0, input: { kind: "empty" } }]);
  });
});

describe("a list of entries", () => {
  const PORTS = entries(number({ minimum: "1" }), { minItems: 1, maxItems: 2 });

  it("is written with the keyboard alone", async () => {
    const backend = await openAsk(ask({ body: form([field(0, "Ports", PORTS)]) }));
    one("[data-entry-add]").focus();
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => document.activeElement).toBe(entry(0));
    await userEvent.keyboard("80{Enter}");
    expect(document.activeElement).toBe(one("[data-entry-add]"));
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => document.activeElement).toBe(entry(1));
    await userEvent.keyboard("443");
    entry(0).focus();
    await userEvent.keyboard("{Enter}");
    expect(document.activeElement).toBe(entry(1));
    expect(await sent(backend)).toEqual([{ field: 0, input: listed("80", "443") }]);
  });

  it("says its limits, numbers its entries and stops at the most", async () => {
    await openAsk(ask({ body: form([field(0, "Ports", PORTS)]) }));
    expect(textOf("[data-field='0'] .hint")).toBe(
      "optional, left out if empty · entries: at most 2, each: whole number, 1 or more",
    );
    expect(all("[data-entry-empty]")).toEqual([]);
    await add();
    await add();
    expect(all("[data-field='0'] li label").map((label) => label.textContent)).toEqual([
      "Entry 1 of 2",
      "Entry 2 of 2",
    ]);
    expect(all("[data-entry-add]")).toEqual([]);
    expect(entry(0).inputMode).toBe("numeric");
  });

  it("keeps focus in the list when an entry goes", async () => {
    const view = field(0, "L", LIST, suggest(listed("a", "b")));
    await openAsk(ask({ body: form([view]) }));
    await removeEntry(1);
    expect(document.activeElement).toBe(entry(0));
    expect(entry(0).value).toBe("a");
    await removeEntry(0);
    await expect.poll(() => document.activeElement).toBe(one("[data-entry-add]"));
  });

  it("marks the wrong entry and takes focus there", async () => {
    const view = field(0, "Ports", PORTS, suggest(listed("80", "x")));
    const backend = await openAsk(ask({ body: form([view]) }));
    backend.answer = () => ({
      kind: "invalid",
      errors: [{ field: 0, code: "not_number", message: "Entry 2: Enter digits.", entry: 1 }],
    });
    await press("accept");
    await expect.poll(() => document.activeElement).toBe(entry(1));
    expect(entry(0).getAttribute("aria-invalid")).toBe("false");
    expect(entry(1).getAttribute("aria-invalid")).toBe("true");
    expect(entry(1).getAttribute("aria-describedby")).toContain(one(".error").id);
  });
});

describe("dates", () => {
  const AT = form([field(0, "At", text({ format: "date-time" }))]);
  const told = () => textOf("[data-testid='moment']");
  const zone = () => one("[data-field='0'] .zone input") as HTMLInputElement;

  async function moveTo(name: string) {
    await userEvent.click(zone());
    await userEvent.keyboard(name);
    await expect.poll(() => all("[role='option']").length).toBe(1);
    await userEvent.keyboard("{Enter}");
  }

  function pickDate(value: string) {
    const picker = one("[data-picker]") as HTMLInputElement;
    picker.value = value;
    picker.dispatchEvent(new Event("change", { bubbles: true }));
  }

  it("case_026 writes a picked day and a typed time with the offset of the zone", async () => {
    const backend = await openAsk(ask({ body: AT }));
    await expect.poll(() => zone().value).toBe("Europe/Berlin");
    pickDate("2027-03-05");
    await expect.poll(() => box(0).value).toBe("2027-03-05 ");
    expect(document.activeElement).toBe(box(0));
    expect(told()).toBe("Add the time of day, such as 14:30.");
    await userEvent.keyboard("14:30");
    await userEvent.tab();
    await expect.poll(() => box(0).value).toBe("2027-03-05T14:30:00+01:00");
    expect(await sent(backend)).toEqual([{ field: 0, input: typed("2027-03-05T14:30:00+01:00") }]);
  });

  it("keeps the time when another day is picked", async () => {
    await openAsk(ask({ body: AT }));
    await fill(0, "2027-03-05T14:30:15Z");
    await expect.poll(() => zone().value).toBe("Europe/Berlin");
    pickDate("2027-03-06");
    await expect.poll(() => box(0).value).toBe("2027-03-06T14:30:15+01:00");
  });

  it("case_026 leaves a typed time as it is", async () => {
    const view = field(0, "At", text({ format: "date-time" }));
    await check(view, () => fill(0, "2027-03-05T13:30:00Z"), typed("2027-03-05T13:30:00Z"));
  });

  it("writes a picked date as it is", async () => {
    const view = field(0, "On", text({ format: "date" }));
    await check(view, async () => pickDate("2027-03-05"), typed("2027-03-05"));
  });

  it("takes a time that was typed without an offset in the zone that is shown, in sight", async () => {
    const backend = await openAsk(ask({ body: AT }));
    await expect.poll(() => zone().value).toBe("Europe/Berlin");
    await fill(0, "2027-03-05 14:30");
    await expect.poll(told).toBe("the day 2027-03-05, 14:30 (UTC+01:00) in Europe/Berlin");
    expect(box(0).value).toBe("2027-03-05 14:30");
    await userEvent.tab();
    await expect.poll(() => box(0).value).toBe("2027-03-05T14:30:00+01:00");
    expect(await sent(backend)).toEqual([{ field: 0, input: typed("2027-03-05T14:30:00+01:00") }]);
  });

  it("keeps what the clock shows when the zone is changed", async () => {
    const backend = await openAsk(ask({ body: AT }));
    await expect.poll(() => zone().value).toBe("Europe/Berlin");
    await fill(0, "2027-03-05 14:30");
    await moveTo("utc");
    await expect.poll(() => box(0).value).toBe("2027-03-05T14:30:00+00:00");
    expect(zone().value).toBe("UTC");
    expect(await sent(backend)).toEqual([{ field: 0, input: typed("2027-03-05T14:30:00+00:00") }]);
  });

  it("explains an hour that the clock skips instead of moving it", async () => {
    const backend = await openAsk(ask({ body: AT }));
    await expect.poll(() => zone().value).toBe("Europe/Berlin");
    await fill(0, "2027-03-28 02:30");
    await expect.poll(told).toContain("02:30 on 28 March 2027 does not exist in Europe/Berlin");
    expect(box(0).getAttribute("aria-describedby")).toContain(one("[data-testid='moment']").id);
    await userEvent.tab();
    // What was entered stays in sight, without an offset: Rust refuses it.
    expect(await sent(backend)).toEqual([{ field: 0, input: typed("2027-03-28 02:30") }]);
  });

  it("offers both of an hour that comes twice and takes neither by itself", async () => {
    const backend = await openAsk(ask({ body: AT }));
    await fill(0, "2027-10-31 02:30");
    await expect.poll(() => all(".twice button").length).toBe(2);
    await userEvent.tab();
    expect(box(0).value).toBe("2027-10-31 02:30");
    await userEvent.click(all(".twice button")[1] as HTMLElement);
    await expect.poll(() => box(0).value).toBe("2027-10-31T02:30:00+01:00");
    expect(await sent(backend)).toEqual([{ field: 0, input: typed("2027-10-31T02:30:00+01:00") }]);
  });
});

describe("many checkboxes", () => {
  const LIMITS = { minItems: 1, maxItems: 3 };
  const MANY = (count: number) =>
    field(3, "Tags", { kind: "choices", options: many(count), ...LIMITS });
  const rows = () => all("[data-field='3'] [role='listitem']");
  const at = () => document.activeElement?.closest("[data-row]")?.getAttribute("data-row");

  it("are one stop of the Tab key and are moved through with the arrows", async () => {
    const backend = await openAsk(ask({ body: form([MANY(10_000)]) }));
    box(3).focus();
    await userEvent.tab();
    await expect.poll(at).toBe("0");
    await userEvent.keyboard(" {ArrowDown}{ArrowDown} {End}");
    await expect.poll(at).toBe("9999");
    expect(rows().length).toBeLessThan(60);
    expect(rows().at(-1)?.getAttribute("aria-posinset")).toBe("10000");
    expect(rows().at(-1)?.getAttribute("aria-setsize")).toBe("10000");
    await userEvent.keyboard(" {Home}");
    await expect.poll(at).toBe("0");
    await userEvent.tab();
    expect(document.activeElement?.textContent).toBe("Select none");
    expect(textOf("[data-field='3'] .tools")).toContain("3 of 10000 chosen");
    expect(await sent(backend)).toEqual([
      { field: 3, input: { kind: "picks", indexes: [0, 2, 9999] } },
    ]);
  });

  it("case_004 when all are taken back, say that none is too few until the person leaves the field out", async () => {
    const days: Control = { ...CHOICES, minItems: 1, maxItems: 2 };
    const suggested = { kind: "picks" as const, indexes: [1] };
    const backend = await openAsk(
      ask({ body: form([field(0, "Days", days, suggest(suggested))]) }),
    );
    await userEvent.click(one("[data-option='1']"));
    await expect
      .poll(() => backend.drafts.at(-1)?.inputs)
      .toEqual([{ field: 0, input: { kind: "picks", indexes: [] } }]);
    await userEvent.click(one("[data-leave-out]"));
    expect(textOf("[data-field='0'] .tools")).toContain("0 of");
    expect(await sent(backend)).toEqual([{ field: 0, input: { kind: "empty" } }]);
  });

  it("say their limits in words and offer no “all” beyond them", async () => {
    await openAsk(ask({ body: form([MANY(12)]) }));
    expect(textOf("[data-field='3'] .hint")).toContain("choose 1 to 3");
    expect(all("[data-field='3'] .tools button").map((button) => button.textContent)).toEqual([
      "Select none",
    ]);
  });

  it("are all of what is shown chosen at once, beside what was chosen before", async () => {
    const control: Control = { kind: "choices", options: many(20), minItems: null, maxItems: null };
    const backend = await openAsk(ask({ body: form([field(3, "Tags", control)]) }));
    await choose(3, 4);
    await fill(3, "option 1");
    await expect.poll(() => rows().length).toBe(11);
    await userEvent.click(one("[data-field='3'] .tools button"));
    expect(await sent(backend)).toEqual([
      {
        field: 3,
        input: { kind: "picks", indexes: [0, 4, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18] },
      },
    ]);
  });
});

describe("a search", () => {
  const places = [
    { title: "Zürich", value: "zrh", help: null },
    { title: "Łódź", value: null, help: null },
    { title: "São Paulo", value: "gru", help: null },
    ...many(9),
  ];

  it.each([
    ["ZURICH", ["Zürich"]],
    ["sao", ["São Paulo"]],
    ["GRU", ["São Paulo"]],
    ["ódz", ["Łódź"]],
    ["ｚｒｈ", ["Zürich"]],
    ["  paulo ", ["São Paulo"]],
    ["nowhere", []],
  ])("for “%s” looks at titles and values, without case and accents", async (wanted, titles) => {
    await openAsk(ask({ body: form([field(0, "City", { kind: "choice", options: places })]) }));
    await fill(0, wanted);
    await expect
      .poll(() => all("[role='option'] [dir='auto']").map((title) => title.textContent))
      .toEqual(titles);
    expect(textOf("[data-field='0'] .count")).toBe(
      titles.length === 0 ? "Nothing matches." : "1 match.",
    );
  });
});

describe("what is wrong", () => {
  const FORM = form([
    field(0, "Handle", text(), REQUIRED),
    field(1, "Note", text()),
    field(2, "Pick", CHOICE, REQUIRED),
  ]);
  const INVALID = {
    kind: "invalid" as const,
    errors: [
      { field: 2, code: "required" as const, message: "Choose one." },
      { field: 0, code: "required" as const, message: "Type something here." },
    ],
  };

  it("is shown at a field only after it was left", async () => {
    await openAsk(ask({ body: FORM }));
    expect(all(".error")).toEqual([]);
    box(0).focus();
    await userEvent.tab();
    await expect
      .poll(() => all(".error").map((error) => error.textContent))
      .toEqual(["! Type something here."]);
    expect(box(0).getAttribute("aria-invalid")).toBe("true");
    expect(box(0).getAttribute("aria-describedby")).toContain(one(".error").id);
  });

  it("case_002 is all shown after Send, with focus in the first wrong field", async () => {
    const backend = await openAsk(ask({ body: FORM }));
    backend.answer = () => INVALID;
    await press("accept");
    await expect.poll(() => document.activeElement).toBe(box(0));
    expect(all(".error").length).toBe(2);
    expect(textOf("[data-testid='error-summary']")).toContain(
      "2 fields need a look. Nothing was sent.",
    );
    await userEvent.click(all("[data-testid='error-summary'] button")[1] as HTMLElement);
    expect(document.activeElement).toBe(one("[data-field='2'] input"));
  });

  it("is asked of Rust while typing, once and not at each letter", async () => {
    const backend = await openAsk(ask({ body: FORM }));
    box(0).focus();
    await userEvent.keyboard("Ada");
    await expect
      .poll(() => backend.drafts.at(-1)?.inputs)
      .toEqual([{ field: 0, input: typed("Ada") }]);
    expect(backend.drafts.length).toBe(1);
    expect(textOf("[data-testid='review']")).toContain("Handle = Ada");
  });
});

describe("Enter in a text box", () => {
  it("moves on to the next field and sends nothing", async () => {
    const backend = await openAsk(
      ask({ body: form([field(0, "A", text()), field(1, "B", text())]) }),
    );
    box(0).focus();
    await userEvent.keyboard("yes please{Enter}");
    expect(document.activeElement).toBe(box(1));
    await userEvent.keyboard("{Enter}{Enter}");
    expect(document.activeElement).toBe(box(1));
    expect(backend.answers).toEqual([]);
  });
});
