import { describe, expect, it, vi } from "vitest";
import { ask, LINKS, link } from "../dev/fixtures";
import type { Act, Inspection } from "../src/lib/wire";
import { all, button, one, openAsk, press, said, textOf, userEvent } from "./desk";

const openLink = (inspection: Inspection, over = {}) =>
  openAsk(ask({ body: link(inspection, over) }));
const typed = () => one("[data-testid='typed-domain']") as HTMLInputElement;
const has = (selector: string) => document.querySelector(selector) !== null;

describe("what a link card shows", () => {
  it("the domain large and the whole address, never as a link", async () => {
    await openLink(LINKS.notice);
    expect(textOf("[data-testid='domain']")).toBe("login-calendar.example");
    expect(textOf("[data-testid='host']")).toBe("eu.login-calendar.example");
    expect(one("[data-testid='shown-url']").textContent).toBe(LINKS.notice.shown);
    expect(getComputedStyle(one("[data-testid='domain']")).fontSize).toBe("24px");
    expect(one("[data-testid='host'] bdi").dir).toBe("ltr");
    expect(getComputedStyle(one("[data-testid='shown-url']")).userSelect).toBe("text");
    expect(all("a")).toEqual([]);
  });

  it("case_049 all of a very long address, with the buttons in reach", async () => {
    const backend = await openLink(LINKS.long);
    expect(one("[data-testid='shown-url']").textContent).toBe(LINKS.long.shown);
    expect(textOf("[data-testid='domain']")).toBe("pay.example");
    expect(one(".shown").scrollHeight).toBeGreaterThan(one(".shown").clientHeight);
    await press("open");
    await expect.poll(() => backend.answers.map((answer) => answer.act)).toEqual(["open"]);
  });

  it("the form as sent where it differs, and the other writing of the name", async () => {
    await openLink(LINKS.readable);
    expect(textOf("[data-testid='as-sent']")).toBe("https://bücher.example/konto");
    expect(textOf("[data-testid='domain']")).toBe("xn--bcher-kva.example");
    expect(textOf("[data-testid='unicode-host']")).toBe("bücher.example");
  });

  it("the practice page in plain words", async () => {
    await openLink(LINKS.practice, { practicePage: true });
    expect(textOf("[data-testid='link-facts']")).toContain(
      "This computer (practice page, served by Countersign)",
    );
    expect(has("[data-testid='domain']")).toBe(false);
  });
});

describe("levels", () => {
  it.each([
    ["plain", LINKS.plain, true, true, false],
    ["notice", LINKS.notice, true, true, false],
    ["risky", LINKS.risky, true, false, true],
    ["refused", LINKS.refused, false, false, false],
  ] as const)("%s", async (verdict, inspection, opens, copies, gate) => {
    await openLink(inspection);
    expect(one("[data-testid='link-facts']").dataset.verdict).toBe(verdict);
    expect(has("[data-act='open']")).toBe(opens);
    expect(has("[data-testid='copy']")).toBe(copies);
    expect(has("[data-testid='gate']")).toBe(gate);
    expect(has("[data-act='decline']") && has("[data-act='dismiss']")).toBe(true);
    expect(all("[data-finding]").map((finding) => finding.textContent?.trim())).toEqual(
      inspection.findings.map((finding) => finding.sentence),
    );
  });
});

describe("a risky link", () => {
  it("opens nothing before the domain is typed, and says why", async () => {
    const backend = await openLink(LINKS.risky);
    expect(textOf("[data-act='open']")).toContain("Type the domain to continue");
    await press("open");
    await expect.poll(() => document.activeElement).toBe(typed());
    expect(textOf("[data-testid='gate']")).toContain("Nothing was opened.");
    expect(backend.answers).toEqual([]);
  });

  it("sends what was typed, tells a wrong domain, and lets copy only after the right one", async () => {
    const backend = await openLink(LINKS.risky);
    backend.answer = () => ({
      kind: "wrong_domain",
      message: "This link does not go to paypal.com.",
    });
    await userEvent.fill(typed(), "paypal.com");
    await press("open");
    await expect
      .poll(() => textOf("[data-testid='gate']"))
      .toContain("This link does not go to paypal.com.");
    expect(backend.answers[0]?.domain).toBe("paypal.com");
    expect(document.activeElement).toBe(typed());
    expect(has("[data-testid='copy']")).toBe(false);
    backend.answer = () => ({ kind: "sent" });
    await userEvent.fill(typed(), "paypa1.example");
    expect(has("[data-testid='copy']")).toBe(true);
    await expect.poll(() => button("open").getAttribute("aria-disabled")).toBe("false");
    await press("open");
    await expect.poll(() => backend.answers[1]?.domain).toBe("paypa1.example");
  });

  it("takes no paste, no drop and no Enter", async () => {
    const backend = await openLink(LINKS.risky);
    for (const event of [
      new ClipboardEvent("paste", { bubbles: true, cancelable: true }),
      new DragEvent("drop", { bubbles: true, cancelable: true }),
      new InputEvent("beforeinput", {
        inputType: "insertFromPaste",
        bubbles: true,
        cancelable: true,
      }),
    ]) {
      typed().dispatchEvent(event);
      expect(event.defaultPrevented).toBe(true);
    }
    typed().focus();
    await userEvent.keyboard("paypa1.example{Enter}");
    expect(backend.answers).toEqual([]);
  });

  it("in technical form is told from its look-alike by choosing", async () => {
    const backend = await openLink(LINKS.punycode);
    expect(has("[data-testid='typed-domain']")).toBe(false);
    const names = all("[data-testid='gate'] input") as HTMLInputElement[];
    expect(names.map((name) => name.value).sort()).toEqual(["apple.com", "xn--80ak6aa92e.com"]);
    expect(names.some((name) => name.checked)).toBe(false);
    const named = (value: string) => names.find((name) => name.value === value) as HTMLElement;
    await userEvent.click(named("apple.com"));
    expect(textOf("[data-testid='gate']")).toContain("This link does not go to apple.com.");
    expect(has("[data-testid='copy']")).toBe(false);
    await userEvent.click(named("xn--80ak6aa92e.com"));
    expect(textOf("[data-testid='gate']")).not.toContain("does not go to");
    expect(has("[data-testid='copy']")).toBe(true);
    await press("open");
    await expect.poll(() => backend.answers[0]?.domain).toBe("xn--80ak6aa92e.com");
  });

  it("and its look-alike stand in an order that tells nothing, and stay in it", async () => {
    const chance = vi.spyOn(Math, "random");
    const order = () =>
      (all("[data-testid='gate'] input") as HTMLInputElement[]).map((name) => name.value);
    const orders: string[][] = [];
    for (const chosen of [0.49, 0.5]) {
      chance.mockReturnValue(chosen);
      const backend = await openLink(LINKS.punycode);
      orders.push(order());
      chance.mockReturnValue(0.99 - chosen);
      backend.put(ask({ revision: 2, body: link(LINKS.punycode) }));
      backend.changed();
      await expect.poll(() => backend.showings.at(-1)?.revision).toBe(2);
      expect(order()).toEqual(orders.at(-1));
    }
    chance.mockRestore();
    expect(orders[0]).toEqual(orders[1]?.toReversed());
  });

  it("says at once when the imitated name is typed", async () => {
    const backend = await openLink(LINKS.risky);
    await userEvent.fill(typed(), "PayPal.com.");
    expect(textOf("[data-testid='gate']")).toContain("This link does not go to paypal.com.");
    expect(typed().getAttribute("aria-invalid")).toBe("true");
    expect(has("[data-testid='copy']")).toBe(false);
    expect(backend.answers).toEqual([]);
  });
});

describe("without a browser", () => {
  const nowhere = (inspection: Inspection) =>
    ask({
      body: link(inspection),
      acts: ["decline", "dismiss", "already_finished", "stop_call"],
      notices: ["No web browser was found on this computer."],
    });

  it("an ordinary address can be copied", async () => {
    await openAsk(nowhere(LINKS.notice));
    expect(has("[data-act='open']")).toBe(false);
    expect(has("[data-testid='copy']")).toBe(true);
    expect(textOf("[data-act='already_finished']")).toContain("I already finished: check");
    expect(textOf("[data-testid='link-facts']")).toContain("made for you alone");
  });

  it("a risky one is copied, and said to be finished, only with its domain", async () => {
    const backend = await openAsk(nowhere(LINKS.risky));
    expect(has("[data-testid='copy']")).toBe(false);
    expect(textOf("[data-act='already_finished']")).toContain("Type the domain to continue");
    await press("already_finished");
    await expect.poll(() => document.activeElement).toBe(typed());
    expect(backend.answers).toEqual([]);
    await userEvent.fill(typed(), "paypa1.example");
    expect(has("[data-testid='copy']")).toBe(true);
    await press("already_finished");
    await expect
      .poll(() => backend.answers.map(({ act, domain }) => [act, domain]))
      .toEqual([["already_finished", "paypa1.example"]]);
  });
});

describe("a browser that was asked", () => {
  it("is not said to have opened anything", async () => {
    const backend = await openAsk(
      ask({
        body: link(LINKS.plain, { opened: 1 }),
        phase: { kind: "in_browser", asking: false, trouble: null, finished: false },
        acts: ["decline", "give_up", "open", "check_again", "stop_call"],
      }),
    );
    const card = () => textOf("[data-testid='card']");
    expect(card()).toContain("Your browser was asked to open it once.");
    expect(card()).toContain("Whether the page came cannot be seen from here.");
    expect(card()).not.toMatch(/\bopened\b/i);
    backend.answer = () => ({ kind: "opened" });
    await press("open");
    await expect.poll(said).toBe("Your browser was asked to open it");
    expect(card()).not.toMatch(/\bopened\b/i);
  });
});

describe("a server that is quicker than the answer of the app", () => {
  it("asks again, and the card is of that and can be pressed", async () => {
    const waits = { kind: "in_browser", asking: false, trouble: null, finished: false } as const;
    const over = {
      body: link(LINKS.practice, { practicePage: true, opened: 1 }),
      phase: waits,
      acts: ["decline", "give_up", "open", "check_again", "stop_call"] as Act[],
    };
    const backend = await openAsk(ask({ ...over, revision: 1 }));
    backend.act = async (answer) => {
      backend.answers.push(answer);
      backend.put(ask({ ...over, revision: 2 }));
      backend.changed();
      await expect.poll(() => backend.showings.at(-1)?.revision).toBe(2);
      return { kind: "sent" };
    };
    await press("check_again");
    await expect.poll(() => backend.answers.length).toBe(1);
    await press("check_again");
    await expect.poll(() => backend.answers.map((answer) => answer.revision)).toEqual([1, 2]);
  });
});
