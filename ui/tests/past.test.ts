/** History, its entries, and what is kept by choice. */
import { afterEach, describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import { call, ENTRY, LINK_ENTRY, LOST, PAST } from "../dev/fixtures";
import type { HistoryRow, KeepingState } from "../src/lib/wire";
import { ANYTHING, asked, isBackwards, type Sought, told } from "../src/list/sought";
import { all, frame, one, openWindow, said, size, textOf, userEvent } from "./desk";

afterEach(() => size(1280, 800));

function rows(): string[] {
  return all("[data-testid='entry-row']").map(
    (row) => row.textContent?.replace(/\s+/g, " ").trim() ?? "",
  );
}

async function openHistory(past: HistoryRow[] = PAST, backend = new FakeBackend()) {
  backend.past = past;
  backend.entry = (number) => (number === 7 ? LINK_ENTRY : ENTRY);
  await openWindow(backend, { list: { kind: "history" } });
  if (past.length > 0) await expect.poll(() => rows().length).toBeGreaterThan(0);
  return backend;
}

function many(count: number): HistoryRow[] {
  const [first] = PAST;
  if (!first) throw new Error("no row");
  return Array.from({ length: count }, (_, at) => ({
    ...first,
    number: count - at,
    quoted: `call ${count - at}`,
  }));
}

describe("history", () => {
  it("has one line for a decision, with what became of it, under the day", async () => {
    await openHistory();
    expect(rows().filter((row) => row.includes("You accepted"))).toEqual([
      "CRM sandbox 14:02 You accepted, delivered Choose where the invoice is filed.",
    ]);
    expect(all(".history h3").map((day) => day.textContent)).toEqual([
      "5 March 2027",
      "4 March 2027",
    ]);
    await expect.poll(() => textOf("section.open")).toContain("Choose an entry");
    expect(rows().at(-1)).toContain("The server took it back, nothing was sent");
    const foreign = all(".history *").filter(
      (element) => element.children.length === 0 && element.textContent?.includes("<b>"),
    );
    expect(foreign.map((element) => [element.tagName, element.className])).toEqual([
      ["BDI", expect.stringContaining("chip")],
    ]);
  });

  it("says what it is for while it is empty, and once what would be lost", async () => {
    const backend = new FakeBackend();
    backend.world = { ...backend.world, keeping: LOST };
    await openHistory([], backend);
    await expect.poll(() => textOf("[data-testid='empty-history']")).toContain("what you decided");
    expect(textOf("main.list").match(/lost on quit/g)?.length).toBe(1);
    expect(textOf("section.open")).not.toContain("Choose an entry");
  });

  it("finds by words, server and what happened", async () => {
    const backend = await openHistory();
    await userEvent.fill(one("[data-testid='history-search']"), "calendar");
    await expect.poll(() => rows().length).toBe(1);
    await userEvent.selectOptions(one("[data-testid='history-server']"), "1");
    await userEvent.selectOptions(one("[data-testid='history-show']"), "declined");
    await expect
      .poll(() => backend.searched.at(-1))
      .toEqual({ server: 1, show: "declined", kind: null, text: "calendar", from: null, to: null });
    await expect
      .poll(() => textOf("[data-testid='history-only']"))
      .toBe("Only: “calendar”, CRM sandbox, You declined");
  });

  it("finds by kind and by days, and one press shows everything again", async () => {
    const backend = await openHistory();
    await userEvent.selectOptions(one("[data-testid='history-kind']"), "call");
    await expect.poll(() => rows().length).toBe(2);
    await userEvent.selectOptions(one("[data-testid='history-kind']"), "form");
    await userEvent.selectOptions(one("[data-testid='history-days']"), "between");
    await userEvent.fill(one("[data-testid='history-from']"), "2027-03-01");
    await userEvent.fill(one("[data-testid='history-to']"), "2027-03-04");
    await expect
      .poll(() => backend.searched.at(-1))
      .toEqual({ ...asked(ANYTHING, ""), kind: "form", from: "2027-03-01", to: "2027-03-04" });
    await expect.poll(() => rows().length).toBe(2);
    expect(textOf("[data-testid='history-only']")).toBe(
      "Only: Questions, 1 March 2027 to 4 March 2027",
    );
    await userEvent.click(one("[data-testid='show-all']"));
    await expect.poll(() => rows().length).toBe(6);
    expect(all("[data-testid='history-only'], [data-testid='history-from']")).toEqual([]);
    expect(document.activeElement).toBe(one("[data-testid='history-search']"));
    expect(said()).toBe("Everything in history is shown");
    expect(backend.searched.at(-1)).toEqual(asked(ANYTHING, ""));
  });

  it("says why nothing is found, with a way back to everything", async () => {
    await openHistory();
    await userEvent.selectOptions(one("[data-testid='history-kind']"), "server");
    await expect
      .poll(() => textOf("[data-testid='nothing-found']"))
      .toBe("Nothing in history fits: Servers");
    await userEvent.selectOptions(one("[data-testid='history-days']"), "between");
    await userEvent.fill(one("[data-testid='history-from']"), "2027-03-05");
    await userEvent.fill(one("[data-testid='history-to']"), "2027-03-04");
    await expect
      .poll(() => textOf("[data-testid='nothing-found']"))
      .toContain("“From” is later than “To”");
    expect(all("[data-testid='empty-history']")).toEqual([]);
    await userEvent.click(one("[data-testid='show-all']"));
    await expect.poll(() => rows().length).toBe(6);
  });

  it.each<[Partial<Sought>, string | null, string | null, string[]]>([
    [{}, null, null, []],
    [{ days: "today" }, "2027-03-05", "2027-03-05", ["Today"]],
    [{ days: "week" }, "2027-02-27", "2027-03-05", ["Last 7 days"]],
    [{ days: "month" }, "2027-02-04", "2027-03-05", ["Last 30 days"]],
    [{ days: "between" }, null, null, []],
    [{ days: "between", from: "2027-01-02" }, "2027-01-02", null, ["Since 2 January 2027"]],
    [{ days: "between", to: "2027-01-02" }, null, "2027-01-02", ["Up to 2 January 2027"]],
    [
      { days: "between", from: "2027-01-02", to: "2027-01-02" },
      "2027-01-02",
      "2027-01-02",
      ["2 January 2027"],
    ],
    [{ days: "between", from: "someday" }, "someday", null, ["Since someday"]],
    [{ days: null, from: "2027-01-02" }, null, null, []],
  ])("days are asked for as they are told: %o", (chosen, from, to, words) => {
    const sought = { ...ANYTHING, ...chosen };
    expect(asked(sought, "2027-03-05")).toMatchObject({ from, to });
    expect(told(sought, () => "CRM")).toEqual(words);
    expect(isBackwards(sought)).toBe(false);
  });

  it("keeps what was read while the clock goes on", async () => {
    const backend = await openHistory(many(150));
    one("main.list").scrollTop = 1_000_000;
    await expect.poll(() => rows().length).toBeGreaterThan(60);
    const read = rows().length;
    const asks = backend.searched.length;
    backend.changed();
    await expect.poll(() => backend.searched.length).toBeGreaterThan(asks);
    for (let frames = 0; frames < 10; frames += 1) await frame();
    expect(rows().length).toBeGreaterThanOrEqual(read);
    expect(backend.searched.slice(asks).length).toBe(1);
  });

  it("reads older entries as one scrolls to them, each once", async () => {
    await openHistory(many(150));
    expect(rows().length).toBeLessThan(150);
    for (let turns = 0; turns < 10 && rows().length < 150; turns += 1) {
      one("main.list").scrollTop = 1_000_000;
      await new Promise((done) => setTimeout(done, 100));
    }
    expect(rows().length).toBe(150);
    expect(new Set(rows()).size).toBe(150);
  });

  it("lets newer entries join without losing what was read", async () => {
    const backend = await openHistory(many(3));
    backend.past = many(5);
    backend.changed();
    await expect.poll(() => rows().length).toBe(5);
    expect(rows()[0]).toContain("call 5");
  });

  it("goes through rows with the arrow keys and shows each entry", async () => {
    await openHistory();
    one("[data-entry='12']").focus();
    await userEvent.keyboard("{ArrowDown}{ArrowDown}");
    await expect.poll(() => one("[data-testid='entry-card']").dataset.entry).toBe("7");
    await expect
      .poll(() => textOf("[data-testid='entry-link']"))
      .toContain("first time for this server");
    expect(document.activeElement).toBe(one("button[data-entry='7']"));
    await userEvent.keyboard("{Enter}");
    await expect.poll(() => document.activeElement?.tagName).toBe("H2");
    await userEvent.keyboard("{ArrowLeft}");
    await expect.poll(() => document.activeElement).toBe(one("button[data-entry='7']"));
  });

  it("tells every step of an entry, names of arguments, and values where they are kept", async () => {
    await openHistory();
    await userEvent.click(one("[data-entry='12']"));
    await expect.poll(() => all("[data-testid='entry-steps'] li").length).toBe(4);
    expect(textOf("[data-testid='entry-values']")).toContain("Region: Europe");
    expect(textOf("[data-testid='entry-card']")).toContain(
      "customer, total (values are not kept here)",
    );
    await userEvent.click(one("[data-testid='open-call']"));
    await expect.poll(() => all("[data-testid='call-card']").length).toBe(1);
  });

  it("exports what is found and names the file", async () => {
    const backend = await openHistory();
    await userEvent.selectOptions(one("[data-testid='history-kind']"), "link");
    await userEvent.selectOptions(one("[data-testid='history-days']"), "between");
    await userEvent.fill(one("[data-testid='history-from']"), "2027-03-01");
    await expect.poll(() => rows().length).toBe(1);
    await userEvent.click(one("[data-testid='export-csv']"));
    await expect
      .poll(() => textOf("[data-testid='exported']"))
      .toContain("/home/ada/Downloads/countersign-history-2027-03-05.csv");
    expect(all("[data-testid='exported'] [data-testid='copy']").length).toBe(1);
    expect(textOf("[data-testid='exported']")).toContain(
      "2 entries in the file, only what fits: Web pages, Since 1 March 2027",
    );
    expect(backend.exports).toEqual([
      { asked: { ...asked(ANYTHING, ""), kind: "link", from: "2027-03-01" }, format: "csv" },
    ]);
  });

  it("names what is broken, and what verifying cannot see", async () => {
    const backend = new FakeBackend();
    backend.verification = {
      holds: false,
      sentence: "9 entries looked at. One thing is not as it was written:",
      troubles: ["Entry 4 was changed or moved."],
      more: 2,
      notes: ["The key store was not asked. An older copy of the whole file would not be noticed."],
    };
    await openHistory(PAST, backend);
    await userEvent.click(one("[data-testid='verify']"));
    await expect.poll(() => one("[data-testid='verified']").dataset.holds).toBe("false");
    const text = textOf("[data-testid='verified']");
    for (const part of ["Entry 4 was changed or moved.", "and 2 more", "would not be noticed"]) {
      expect(text).toContain(part);
    }
  });

  it("is usable at 640 by 480", async () => {
    await size(640, 480);
    await openHistory();
    await userEvent.selectOptions(one("[data-testid='history-days']"), "between");
    const pane = one("main.list");
    expect(pane.scrollWidth).toBe(pane.clientWidth);
    await userEvent.click(one("[data-entry='12']"));
    await expect.poll(() => all("[data-testid='entry-card']").length).toBe(1);
    await userEvent.click(one("[data-testid='back']"));
    await expect.poll(() => document.activeElement).toBe(one("button[data-entry='12']"));
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(640);
  });
});

describe("settings", () => {
  const choice = (name: string) => one(`[data-choice='${name}']`) as HTMLInputElement;

  async function openSettings() {
    const backend = new FakeBackend();
    await openWindow(backend);
    await userEvent.click(one("[data-testid='settings']"));
    await expect.poll(() => all("[data-choice]").length).toBe(8);
    return backend;
  }

  it("asks before anything is forgotten, and changes nothing without the word", async () => {
    const backend = await openSettings();
    await userEvent.click(choice("results-no"));
    await userEvent.click(one("[data-confirm='safe']"));
    expect(backend.choosings).toEqual([]);
    expect([choice("results-yes").checked, choice("results-no").checked]).toEqual([true, false]);
    await userEvent.click(choice("results-no"));
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => choice("results-no").checked).toBe(true);
    await userEvent.click(choice("history-month"));
    expect(textOf("dialog")).toContain("older than 30 days are removed for good");
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => choice("history-month").checked).toBe(true);
    await userEvent.click(choice("history-year"));
    await expect.poll(() => choice("history-year").checked).toBe(true);
    expect(backend.choosings.at(-1)).toEqual({
      keepResults: false,
      keepValues: false,
      history: "year",
    });
  });

  it.each<[KeepingState, RegExp]>([
    ["opening", /^What is kept$/],
    ["kept", /stand encrypted on this computer/],
    ["kept_by_file", /stand encrypted on this computer/],
    ["lost_on_quit", /Nothing is kept on this computer at the moment/],
  ])("says whether anything is kept, as it is now: %s", async (state, words) => {
    const backend = await openSettings();
    backend.world = { ...backend.world, keeping: { ...LOST, state } };
    backend.changed();
    await expect.poll(() => textOf("[data-testid='settings-card'] header")).toMatch(words);
  });

  it("keeps what was entered only by choice", async () => {
    const backend = await openSettings();
    expect(choice("values-no").checked).toBe(true);
    await userEvent.click(choice("values-yes"));
    await expect.poll(() => choice("values-yes").checked).toBe(true);
    expect(backend.choosings.map(({ keepValues }) => keepValues)).toEqual([true]);
  });
});

describe("a finished call", () => {
  it("says that its result was not kept, runs again and can be forgotten", async () => {
    const backend = new FakeBackend();
    backend.putCall({
      call: call({ phase: "done", word: "done", acts: ["start_again"] }),
      notices: ["The result was not kept."],
      parts: [],
      json: null,
    });
    await openWindow(backend, { list: { kind: "calls" }, card: { kind: "call", call: 10 } });
    await expect
      .poll(() => textOf("[data-testid='result-notice']"))
      .toBe("The result was not kept.");
    expect(textOf("[data-callact='start_again']")).toBe("Run again");
    await userEvent.click(one("[data-testid='forget-call']"));
    expect(backend.forgotten).toEqual([]);
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => backend.forgotten).toEqual([10]);
    await expect.poll(() => all("[data-testid='call-row']").length).toBe(0);
  });
});
