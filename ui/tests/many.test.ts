/** An inbox with many questions: groups, filters, order, paused servers, keys and places over thousands of rows. */
import axe from "axe-core";
import { beforeEach, describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import { ask, call, LINKS, link, PHASES, PRACTICE, said, server } from "../dev/fixtures";
import { crowd, SCENES } from "../dev/scenes";
import { ALL, items } from "../src/list/items";
import {
  all,
  button,
  frame,
  one,
  openWindow,
  size,
  said as spoken,
  textOf,
  until,
  userEvent,
} from "./desk";

beforeEach(async () => {
  document.documentElement.style.fontSize = "";
  await size(1280, 800);
});

function scene(name: string): FakeBackend {
  const found = SCENES.find((candidate) => candidate.name === name);
  if (!found) throw new Error(`no scene ${name}`);
  return found.backend();
}

/** So many questions, each with its own words, of two servers in turn. */
function different(count: number, from = 0): ReturnType<typeof ask>[] {
  const other = server({ id: 4, name: "Other" });
  return Array.from({ length: count }, (_, at) => {
    const id = 10_000 + from + at;
    const odd = (from + at) % 2 === 1;
    return ask({
      id,
      ...(odd ? { server: other } : {}),
      message: said(`Question ${from + at}?`),
      call: call({ id, ...(odd ? { server: 4, serverName: "Other" } : {}) }),
    });
  });
}

async function open(backend: FakeBackend, card?: number): Promise<void> {
  await openWindow(backend, card === undefined ? {} : { card: { kind: "ask", ask: card } });
  await until(() => all(".inbox").length, 1);
}

const rows = () => all("[data-testid='ask-row']").map((row) => Number(row.dataset.ask));
const active = () => Number((document.activeElement as HTMLElement | null)?.dataset.ask);
const list = () => one("[data-pane='list']");

async function arrive(backend: FakeBackend, ...views: ReturnType<typeof ask>[]): Promise<void> {
  const before = backend.snapshots;
  backend.put(...views);
  backend.changed();
  await until(() => backend.snapshots > before, true);
  await frame();
  await frame();
}

async function select(control: string, value: string): Promise<void> {
  await userEvent.selectOptions(one(`[data-testid='${control}']`), value);
}

describe("many alike", () => {
  it("consent_06_a_hundred_questions_are_one_row_that_opens_and_a_pause_answers_none", async () => {
    const backend = scene("inbox, many");
    await open(backend);
    const group = () => one("[data-testid='ask-group']");
    expect(textOf("[data-testid='ask-group'] .line")).toBe(
      "asks the same 100 times: “Delete this record?”",
    );
    expect(rows()).toEqual([101, 102, 103]);
    expect(group().getAttribute("aria-expanded")).toBe("false");
    expect(textOf("[data-testid='inbox-count']")).toBe("102 waiting");
    group().focus();
    await userEvent.keyboard("{Enter}");
    await until(() => rows().length, 103);
    expect(group().getAttribute("aria-expanded")).toBe("true");
    // One question of it is opened and read alone; nothing can be done with all of them.
    await userEvent.click(one("[data-ask='2003']"));
    await until(() => one("[data-testid='card']").dataset.ask, "2003");
    expect(all(".inbox [data-act]")).toEqual([]);
    await userEvent.click(one(".group [data-testid='pause']"));
    await until(() => all("[data-testid='held']").length, 2);
    expect(backend.pauses).toEqual([{ server: 1, paused: true }]);
    expect(textOf("[data-testid='held'][data-server='1'] p")).toContain(
      "CRM sandbox is paused: 101 questions are held.",
    );
    expect(textOf("[data-testid='inbox-count']")).toBe("1 waiting");
    // The open card stays, and says so; it has no way to answer.
    expect(one("[data-testid='card']").dataset.ask).toBe("2003");
    await until(() => all("[data-testid='card'] [data-act='accept']").length, 0);
    await userEvent.click(one("[data-testid='card'] [data-testid='resume']"));
    await until(() => all("[data-testid='ask-group']").length, 1);
    expect(backend.answers).toEqual([]);
  });

  it.each([
    [1100, 760, 100],
    [1000, 760, 100],
    [640, 480, 100],
    [640, 480, 200],
  ])(
    "its pause is a button beside the facts, and covers none: %d by %d at %d percent",
    async (width, height, percent) => {
      await size(width, height);
      document.documentElement.style.fontSize = `${percent}%`;
      await open(scene("inbox, many"));
      const pause = one(".group [data-testid='pause']");
      const at = pause.getBoundingClientRect();
      const row = one("[data-testid='ask-group']").getBoundingClientRect();
      expect(at.width).toBeGreaterThan(at.height * 1.5);
      expect(Math.round(at.height)).toBe(32 * (percent / 100));
      expect([at.bottom < row.bottom, at.right < row.right, at.left > row.left]).toEqual([
        true,
        true,
        true,
      ]);
      for (const word of all(
        "[data-testid='ask-group'] .facts > *, [data-testid='ask-group'] .line",
      )) {
        const { right, bottom } = word.getBoundingClientRect();
        expect(right <= at.left || bottom <= at.top).toBe(true);
      }
      expect(textOf(".group [data-testid='pause']")).toBe("Pause this server: CRM sandbox");
    },
  );

  it("a server's name has its line to itself, whatever is counted below", async () => {
    await size(1100, 760);
    await open(scene("inbox, many"));
    const row = one("[data-testid='server-row'][data-server='1']");
    const name = row.querySelector("bdi")?.getBoundingClientRect();
    const count = row.querySelector(".count")?.getBoundingClientRect();
    expect(name && count && name.bottom <= count.top).toBe(true);
  });

  it("a group stays open while its oldest question goes away", async () => {
    const backend = new FakeBackend();
    backend.put(...crowd(10).slice(0, 10));
    await open(backend);
    await userEvent.click(one("[data-testid='ask-group']"));
    await until(() => rows().length, 10);
    backend.asks.delete(2000);
    await arrive(backend);
    await until(() => rows().length, 9);
    expect(textOf("[data-testid='ask-group'] .line")).toContain("9 times");
  });
});

describe("paused", () => {
  it("is not announced, and its line is the last", async () => {
    const backend = scene("inbox, many");
    await open(backend);
    const held = all("[data-testid='held']");
    expect(held.map((line) => line.textContent?.replace(/\s+/g, " ").trim())).toEqual([
      "Build farm is paused: 12 questions are held. Resume Build farm",
    ]);
    expect(all(".inbox ul")[0]?.lastElementChild?.contains(held[0] ?? null)).toBe(true);
    const before = spoken();
    const farm = server({ id: 3, name: "Build farm", paused: true });
    await arrive(
      backend,
      ask({ id: 1100, server: farm, held: true, call: call({ id: 1100, server: 3 }) }),
    );
    await until(() => textOf("[data-testid='held'] p").includes("13 questions"), true);
    expect(spoken()).toBe(before);
    await userEvent.click(one("[data-testid='held'] [data-testid='resume']"));
    await until(() => all("[data-testid='held']").length, 0);
    expect(backend.pauses).toEqual([{ server: 3, paused: false }]);
    expect(spoken()).toContain("Build farm is resumed");
  });

  it("is begun and ended on the server's page", async () => {
    const backend = scene("server page, paused");
    await openWindow(backend, { list: { kind: "server", server: 3 } });
    expect(textOf("[data-testid='paused']")).toContain("12 questions are held");
    await userEvent.click(one("[data-testid='resume']"));
    await until(() => all("[data-testid='paused']").length, 0);
    await userEvent.click(one("[data-testid='pause']"));
    await until(() => all("[data-testid='paused']").length, 1);
    expect(backend.pauses.map(({ paused }) => paused)).toEqual([false, true]);
  });

  it("is begun in the details of a card", async () => {
    const backend = new FakeBackend();
    backend.put(ask());
    await open(backend, 100);
    await userEvent.click(one(".details"));
    await userEvent.click(one("[data-testid='card'] [data-testid='pause']"));
    await until(() => all("[data-testid='card'] [data-testid='resume']").length, 1);
    expect(all("[data-act='accept'], [data-act='decline']")).toEqual([]);
    expect(all("[data-testid='field'] input:not([readonly], [type='radio'])").length).toBe(0);
  });
});

describe("filters and order", () => {
  it("show what was chosen, and are remembered", async () => {
    const backend = new FakeBackend();
    backend.put(
      ask({ id: 1 }),
      ask({ id: 2, body: link(LINKS.notice) }),
      ask({ id: 3, server: PRACTICE, call: call({ id: 12, server: 2 }) }),
    );
    await open(backend);
    expect(rows()).toEqual([1, 2, 3]);
    await select("in-order", "newest");
    expect(rows()).toEqual([3, 2, 1]);
    await select("of-kind", "form");
    expect(rows()).toEqual([3, 1]);
    await select("of-server", "1");
    expect(rows()).toEqual([1]);
    await userEvent.click(one("[data-testid='calls']"));
    await until(() => rows(), []);
    await userEvent.click(one("[data-testid='inbox']"));
    await until(() => rows(), [1]);
    backend.asks.delete(1);
    await arrive(backend);
    await until(() => all("[data-testid='none-chosen']").length, 1);
    expect(textOf("[data-testid='none-chosen']")).toContain("None of the 2 questions");
    const show = all(".inbox button").find((shown) => shown.textContent === "Show all");
    await userEvent.click(show as HTMLElement);
    await until(() => rows(), [3, 2]);
  });

  it("states stand in words", async () => {
    const backend = new FakeBackend();
    const phases = PHASES.map(({ phase, call: over }, at) =>
      ask({ id: at + 1, phase, call: call({ ...over, id: at + 1 }) }),
    );
    backend.put(...phases, ask({ id: 99 }));
    await open(backend);
    const words = all("[data-testid='ask-row'] .word").map((word) => word.textContent);
    expect(words).toEqual([
      "Opening",
      "May have opened",
      "Could not open",
      "Kept: answer",
      "Sending",
      "In your browser",
      "Asking the server",
      "Page is done",
      "Page is done",
      "Declined",
      "Not delivered",
      "Outcome unknown",
      "Paused, its server moved",
      "Not confirmed",
      "Withdrawn",
      ...words.slice(15, -1),
      "Waiting",
    ]);
  });

  it("what was asked again says so", async () => {
    const backend = new FakeBackend();
    backend.put(ask());
    const [row] = backend.world.asks;
    if (row) backend.world.asks = [{ ...row, again: "asked again (3rd time)" }];
    await open(backend);
    expect(textOf("[data-testid='again']")).toBe("asked again (3rd time)");
  });

  it("a page that may have opened has its own words", async () => {
    await openWindow(scene("phase, may have opened"), { card: { kind: "ask", ask: 100 } });
    await until(() => all("[data-act='already_finished']").length, 1);
    const words = (act: "already_finished" | "open") => button(act).textContent?.trim();
    expect(words("already_finished")).toMatch(/^It opened/);
    expect(words("open")).toMatch(/^Open again/);
    expect(textOf("[data-testid='state']")).toContain("Your browser may have opened this");
  });
});

describe("thousands", () => {
  it("are walked with arrows, Home and End", async () => {
    const backend = new FakeBackend();
    backend.put(...different(5_000));
    for (const view of backend.asks.values()) backend.calls.delete(view.call.id);
    backend.world = { ...backend.world, calls: [] };
    await open(backend);
    await until(() => rows().includes(10_005), true);
    expect(rows().length).toBeLessThan(60);
    one("[data-ask='10000']").focus();
    for (let presses = 0; presses < 30; presses += 1) await userEvent.keyboard("{ArrowDown}");
    expect(active()).toBe(10_030);
    await until(() => one("[data-testid='card']").dataset.ask, "10030");
    await userEvent.keyboard("{End}");
    expect(active()).toBe(14_999);
    await until(() => rows().includes(14_995), true);
    await userEvent.keyboard("{ArrowUp}{ArrowUp}");
    expect(active()).toBe(14_997);
    await userEvent.keyboard("{Home}");
    expect(active()).toBe(10_000);
    const item = one("[data-ask='10000']").closest("li");
    expect([item?.ariaSetSize, item?.ariaPosInSet]).toEqual(["5000", "1"]);
    const { violations } = await axe.run(document.body, { resultTypes: ["violations"] });
    expect(violations.map(({ id }) => id)).toEqual([]);
  }, 60_000);

  it.each([150, 1_000])(
    "what is looked at stays in place when rows come above (%s)",
    async (count) => {
      const backend = new FakeBackend();
      backend.put(...different(count));
      backend.world = { ...backend.world, calls: [] };
      await open(backend);
      await select("in-order", "newest");
      list().scrollTop = 3_000;
      await frame();
      await frame();
      const inView = rows().find((id) => {
        const { top } = one(`[data-ask='${id}']`).getBoundingClientRect();
        return top > 200 && top < 600;
      });
      const place = () => Math.round(one(`[data-ask='${inView}']`).getBoundingClientRect().top);
      const before = place();
      // Scrolling is in whole pixels.
      const stays = () => Math.abs(place() - before) <= 1;
      await arrive(backend, ...different(40, count));
      await until(() => rows().includes(10_000 + count + 39), true);
      await until(stays, true);
      backend.asks.delete(10_000 + count + 3);
      await arrive(backend);
      await until(stays, true);
    },
  );

  it("an open card stays while a flood comes in", async () => {
    const backend = new FakeBackend();
    backend.put(...different(3));
    await open(backend, 10_001);
    await until(() => one("[data-testid='card']").dataset.ask, "10001");
    const card = one("[data-testid='card']");
    const at = card.getBoundingClientRect().top;
    await arrive(backend, ...different(500, 3));
    await until(() => rows().length > 3, true);
    expect(one("[data-testid='card']")).toBe(card);
    expect([card.dataset.ask, card.getBoundingClientRect().top]).toEqual(["10001", at]);
  });
});

it("lines are made of rows alone", () => {
  const backend = new FakeBackend();
  backend.put(...crowd(5));
  const key = "group 1 form Delete this record?";
  const shape = (open: string[], choice = ALL) =>
    items(backend.world.asks, choice, new Set(open)).map((line) =>
      line.kind === "ask" ? line.ask.id : `${line.kind} ${line.count}`,
    );
  expect(shape([])).toEqual(["group 5", 101, 102, 103, "held 12"]);
  expect(shape([key])).toEqual(["group 5", 2000, 2001, 2002, 2003, 2004, 101, 102, 103, "held 12"]);
  expect(shape([key], { ...ALL, order: "newest", server: 1, kind: "form" })).toEqual([
    103,
    "group 5",
    2004,
    2003,
    2002,
    2001,
    2000,
  ]);
  expect(shape([], { ...ALL, server: 3 })).toEqual(["held 12"]);
});
