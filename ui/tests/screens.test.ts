import axe from "axe-core";
import { afterEach, describe, expect, it } from "vitest";
import { commands } from "vitest/browser";
import { FakeBackend } from "../dev/fake";
import {
  ask,
  call,
  field,
  form,
  HOSTILE_ASK,
  LINKS,
  link,
  PARTS,
  said,
  TEXT,
} from "../dev/fixtures";
import { SCENES } from "../dev/scenes";
import { all, one, openAsk, openWindow, size, textOf, userEvent } from "./desk";

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

  it("and stands inside the server's frame or in a chip", async () => {
    await openAsk(HOSTILE_ASK);
    const outside = all("[data-testid='card'] header, [data-testid='card'] footer")
      .flatMap((part) => [...part.querySelectorAll("*")])
      .filter((element) => element.children.length === 0 && /[<>]/.test(element.textContent ?? ""));
    expect(outside.filter((element) => !element.classList.contains("chip"))).toEqual([]);
  });
});

describe("a window of 640 by 480", () => {
  const LONG = said(Array.from({ length: 300 }, (_, line) => `Line ${line}`).join("\n"));
  const FORTY = form(Array.from({ length: 40 }, (_, id) => field(id, `Field ${id}`, TEXT)));
  const inside = (element: Element) => {
    const at = element.getBoundingClientRect();
    return (
      at.height > 0 &&
      at.top >= 0 &&
      at.left >= 0 &&
      at.bottom <= innerHeight &&
      at.right <= innerWidth
    );
  };

  it.each([
    ["a long message", ask({ message: LONG })],
    ["forty fields", ask({ body: FORTY })],
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
  ])("case_043 keeps header and buttons in sight: %s", async (_, view) => {
    await size(640, 480);
    await openAsk(view);
    const parts = [
      one("[data-testid='card'] h2"),
      one("[data-testid='call-line']"),
      ...all("[data-act]"),
    ];
    expect(parts.filter((part) => !inside(part))).toEqual([]);
    expect(one(".zone").clientHeight).toBeGreaterThanOrEqual(96);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(640);
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

  it("can be used with text twice as large", async () => {
    await size(640, 480);
    document.documentElement.style.fontSize = "200%";
    await openAsk(ask());
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(640);
    for (const button of all("[data-act]")) {
      button.scrollIntoView();
      expect(inside(button)).toBe(true);
    }
    document.documentElement.style.fontSize = "";
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
