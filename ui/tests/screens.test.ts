import axe from "axe-core";
import { afterEach, describe, expect, it } from "vitest";
import { commands } from "vitest/browser";
import { FakeBackend } from "../dev/fake";
import {
  ask,
  call,
  EVERYTHING,
  field,
  form,
  HOSTILE_ASK,
  LINKS,
  link,
  PARTS,
  said,
  server,
  TEXT,
} from "../dev/fixtures";
import { SCENES } from "../dev/scenes";
import type { AskView } from "../src/lib/wire";
import { all, one, openAsk, openWindow, press, size, textOf, userEvent } from "./desk";

const COMMAND =
  "npx --yes /opt/companies/acme/tools/model-context/servers/customer-relations/build/index.js --root /srv/data/customers/of/the/year --read-only --log /var/log/acme/customer-relations.log";

afterEach(() => size(1280, 800));

async function openScene(name: string) {
  const scene = SCENES.find((candidate) => candidate.name === name);
  if (!scene) throw new Error(`no scene ${name}`);
  await openWindow(scene.backend(), {
    ...(scene.list ? { list: scene.list } : {}),
    ...(scene.card ? { card: scene.card } : {}),
  });
  if (scene.card?.kind === "ask")
    await expect.poll(() => one("[data-testid='card']").dataset.armed).toBe("true");
}

async function problems(): Promise<string[]> {
  const { violations } = await axe.run(document.body, {
    resultTypes: ["violations"],
    rules: { region: { enabled: true } },
  });
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`,
  );
}

describe.each(["light", "dark"] as const)("axe finds nothing (%s)", (colorScheme) => {
  it.each(SCENES)("$name", async ({ name }) => {
    await commands.emulate({ colorScheme });
    await openScene(name);
    expect(await problems()).toEqual([]);
  });

  it("suggestions of the server", async () => {
    await commands.emulate({ colorScheme });
    await openScene("arguments, completed");
    await expect.poll(() => all("[data-testid='field']").length).toBe(3);
    await userEvent.type(one("[data-field='0'] input"), "A");
    await expect.poll(() => all("[data-testid='suggestion']").length).toBe(4);
    await userEvent.keyboard("{ArrowDown}");
    expect(await problems()).toEqual([]);
  });

  it("how a protocol was found out", async () => {
    await commands.emulate({ colorScheme });
    await openScene("server page, older protocol");
    await userEvent.click(one("[data-testid='protocol'] summary"));
    expect(await problems()).toEqual([]);
  });

  it("history, narrowed until nothing fits", async () => {
    await commands.emulate({ colorScheme });
    await openScene("history");
    await expect.poll(() => all("[data-testid='history-days']").length).toBe(1);
    await userEvent.selectOptions(one("[data-testid='history-days']"), "between");
    await userEvent.fill(one("[data-testid='history-from']"), "2027-03-04");
    await expect.poll(() => all("[data-testid='history-only']").length).toBe(1);
    expect(await problems()).toEqual([]);
    await userEvent.fill(one("[data-testid='history-to']"), "2027-03-01");
    await expect.poll(() => all("[data-testid='nothing-found']").length).toBe(1);
    expect(await problems()).toEqual([]);
  });

  it("an open list, an error and a dialog", async () => {
    await commands.emulate({ colorScheme });
    await openScene("form, every control");
    one("[data-field='0'] input").focus();
    one("[data-field='6'] input").focus();
    await expect.poll(() => all(".error").length).toBe(1);
    expect(await problems()).toEqual([]);
    await userEvent.fill(one("[data-field='0'] input"), "Ada");
    await userEvent.click(one("[data-act='dismiss']"));
    await expect.poll(() => all("dialog").length).toBe(1);
    expect(await problems()).toEqual([]);
  });
});

describe("hostile text stays text", () => {
  const FOREIGN = "a, iframe, script, form, object, embed, svg, link, [onerror], [onload]";

  it("in every part of a form card", async () => {
    await openAsk(HOSTILE_ASK);
    await userEvent.click(one(".details"));
    expect(all(`#app :is(${FOREIGN}), #app img`)).toEqual([]);
    expect(textOf("[data-testid='said']")).toContain("<img src=x onerror=alert(1)>");
    expect(textOf("[data-testid='call-line']")).toContain("<svg onload=alert(1)>");
  });

  it("in results, where only vetted pictures become pictures", async () => {
    const backend = new FakeBackend();
    backend.putCall({
      call: call({ phase: "done" }),
      notices: [],
      parts: PARTS,
      json: "<script>alert(1)</script>",
    });
    await openWindow(backend, { card: { kind: "call", call: 10 } });
    await expect.poll(() => all("[data-testid='result-part']").length).toBe(PARTS.length);
    expect(all(`#app :is(${FOREIGN})`)).toEqual([]);
    expect(all("img").map((img) => (img as HTMLImageElement).src.slice(0, 22))).toEqual([
      "data:image/png;base64,",
    ]);
    expect(textOf("[data-kind='text']")).toContain("<b>Not bold.</b>");
  });

  it("text_18 stands in the server's frame, or in an isolated chip of at most 40 letters: card, rows, review", async () => {
    await openAsk(HOSTILE_ASK);
    await userEvent.click(one(".details"));
    await userEvent.click(one("[data-field='1'] [data-option='1']"));
    await expect.poll(() => textOf("[data-testid='review']")).toContain("<script>");
    const foreign = (element: Element) => /[<>]|Verified by/.test(element.textContent ?? "");
    const outside = all("#app *").filter(
      (element) =>
        element.children.length === 0 &&
        foreign(element) &&
        !element.closest(".zone[role='region']"),
    );
    for (const place of ["call-line", "review", "ask-row"]) {
      expect(outside.some((element) => element.closest(`[data-testid='${place}']`))).toBe(true);
    }
    for (const element of outside) {
      expect(element.className).toContain("chip");
      expect(getComputedStyle(element).unicodeBidi).toBe("isolate");
      expect(element.textContent?.length).toBeLessThanOrEqual(40);
    }
  });

  it("text_18 stands in a chip in the row of a call", async () => {
    const backend = new FakeBackend();
    backend.putCall({
      call: { ...HOSTILE_ASK.call, phase: "done" },
      notices: [],
      parts: [],
      json: null,
    });
    await openWindow(backend, { list: { kind: "calls" } });
    const row = one("[data-testid='call-row']");
    const names = [...row.querySelectorAll("*")].filter(
      (element) => element.children.length === 0 && element.textContent?.includes("<b>pay</b>"),
    );
    expect(names.map((element) => element.className)).toEqual([expect.stringContaining("chip")]);
  });

  it("text_25 text_26 a name that could be taken for another is told where it is quoted", async () => {
    await openAsk(HOSTILE_ASK);
    expect(textOf("#ask100-heading")).toBe("CRM sandbox wants an answer");
    await userEvent.click(one(".details"));
    expect(textOf("[data-testid='claims-note']")).toBe(
      "It is a server, and no part of Countersign.",
    );
  });
});

describe("a window of 640 by 480", () => {
  const LONG = said(Array.from({ length: 300 }, (_, line) => `Line ${line}`).join("\n"));
  const FORTY = form(Array.from({ length: 40 }, (_, id) => field(id, `Field ${id}`, TEXT)));
  /** The whole of it is in the window, and nothing covers its middle. */
  const inside = (element: Element) => {
    const at = element.getBoundingClientRect();
    const middle = document.elementFromPoint(at.left + at.width / 2, at.top + at.height / 2);
    return (
      at.height > 0 &&
      at.top >= 0 &&
      at.left >= 0 &&
      at.bottom <= innerHeight &&
      at.right <= innerWidth &&
      element.contains(middle)
    );
  };

  afterEach(() => {
    document.documentElement.style.fontSize = "";
  });

  const VIEWS: [string, AskView][] = [
    ["a long message", ask({ message: LONG })],
    ["forty fields", ask({ body: FORTY })],
    ["forty fields below a long message", ask({ body: FORTY, message: LONG })],
    ["every control", ask({ body: form(EVERYTHING) })],
    ["a long link", ask({ body: link(LINKS.long) })],
    ["a risky link", ask({ body: link(LINKS.risky) })],
    [
      "an answer that is not confirmed",
      ask({
        phase: {
          kind: "undelivered",
          action: "accept",
          reason: `Not delivered: ${"why ".repeat(30)}.`,
        },
        acts: ["send_again", "stop_call"],
        consequences: [],
        message: LONG,
      }),
    ],
    [
      "one of three",
      ask({ of: 3, acts: ["decline", "dismiss", "accept", "decline_all", "stop_call"] }),
    ],
    ["a long command", ask({ server: server({ address: COMMAND }), message: LONG })],
  ];
  /** Width, height and size of the text in percent, with the least height of what scrolls. */
  const WINDOWS: [number, number, number, number][] = [
    [640, 480, 100, 96],
    [600, 480, 100, 96],
    [640, 480, 200, 60],
  ];

  it.each(WINDOWS.flatMap((window) => VIEWS.map(([name, view]) => ({ window, name, view }))))(
    "case_043 keeps header and buttons in sight: $name, $window",
    async ({ window, view }) => {
      const [width, height, percent, zone] = window;
      await size(width, height);
      document.documentElement.style.fontSize = `${percent}%`;
      await openAsk(view);
      const parts = [
        one("[data-testid='card'] h2"),
        one(".origin"),
        one(".for"),
        ...all("[data-act]"),
      ];
      expect(parts.filter((part) => !inside(part))).toEqual([]);
      expect(one(".zone").clientHeight).toBeGreaterThanOrEqual(zone);
      expect(one("[data-testid='card']").scrollHeight).toBe(
        one("[data-testid='card']").clientHeight,
      );
      expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
      expect(await problems()).toEqual([]);
    },
  );

  it.each(WINDOWS)(
    "says what was not seen yet, where it can be read: %s by %s, %s %%",
    async (width, height, percent) => {
      await size(width, height);
      document.documentElement.style.fontSize = `${percent}%`;
      const backend = await openAsk(ask({ body: FORTY }));
      await press("accept");
      await expect.poll(() => all("[data-testid='note']").length).toBe(1);
      const note = one("[data-testid='note']").getBoundingClientRect();
      const region = one("footer").getBoundingClientRect();
      expect(note.top).toBeGreaterThanOrEqual(region.top);
      expect(note.top).toBeLessThan(one("[data-act='accept']").getBoundingClientRect().top);
      expect(backend.answers).toEqual([]);
    },
  );

  it("fills a line with a long command instead of breaking it at its first blank", async () => {
    await size(640, 480);
    await openAsk(ask({ server: server({ address: COMMAND }) }));
    const lines = one(".origin .address").getClientRects();
    expect(lines[0]?.width).toBeGreaterThan(400);
    expect(one(".origin").tabIndex).toBe(0);
  });

  it("shows the list, then the card with a way back", async () => {
    await size(640, 480);
    const backend = new FakeBackend().put(ask());
    await openWindow(backend);
    await userEvent.click(one("[data-testid='ask-row']"));
    await expect.poll(() => document.activeElement?.id).toBe("ask100-heading");
    expect(one("[data-testid='inbox']").getClientRects().length).toBe(0);
    await userEvent.click(one("[data-testid='back']"));
    await expect.poll(() => document.activeElement).toBe(one("[data-testid='ask-row']"));
    expect(backend.answers).toEqual([]);
  });
});

describe("targets", () => {
  it.each(["form, every control", "link, risky", "phase, in the browser", "server page"])(
    "are at least 32 px high: %s",
    async (name) => {
      await openScene(name);
      const small = all(
        "#app .button, #app .place, #app .list-row, #app .option, #app input.box",
      ).filter(
        (element) =>
          element.getClientRects().length > 0 && element.getBoundingClientRect().height < 31.5,
      );
      expect(small).toEqual([]);
    },
  );
});
