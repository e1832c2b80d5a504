import { describe, expect, it } from "vitest";
import { ask, LINKS, link } from "../dev/fixtures";
import type { Inspection } from "../src/lib/wire";
import { all, button, one, openAsk, press, textOf, userEvent } from "./desk";

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
    await openLink({ ...LINKS.punycode, asSent: "https://аррӏе.com/signin" });
    expect(textOf("[data-testid='as-sent']")).toBe("https://аррӏе.com/signin");
    expect(textOf("[data-testid='domain']")).toBe("xn--80ak6aa92e.com");
    expect(textOf("[data-testid='unicode-host']")).toBe("аррӏе.com");
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
    expect(names.map((name) => name.value)).toEqual(["apple.com", "xn--80ak6aa92e.com"]);
    expect(names.some((name) => name.checked)).toBe(false);
    await userEvent.click(names[1] as HTMLElement);
    await press("open");
    await expect.poll(() => backend.answers[0]?.domain).toBe("xn--80ak6aa92e.com");
  });
});
