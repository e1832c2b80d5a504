/** Opens the window with a made-up backend behind it, and the few gestures that every test needs. */
import { expect } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte/pure";
import { FakeBackend } from "../dev/fake";
import { ask } from "../dev/fixtures";
import App from "../src/App.svelte";
import type { CardPlace, ListPlace } from "../src/lib/desk.svelte";
import type { Act, AskView, FieldInput } from "../src/lib/wire";

export const ASK: CardPlace = { kind: "ask", ask: 100 };

export async function openWindow(
  backend: FakeBackend,
  { list, card }: { list?: ListPlace; card?: CardPlace } = {},
): Promise<void> {
  const target = document.createElement("div");
  target.id = "app";
  document.body.replaceChildren(target);
  render(App, {
    target,
    props: { backend, ...(list ? { list } : {}), ...(card ? { card } : {}) },
  });
  await until(() => one("[data-testid='app']").dataset.ready, "true");
}

/** Waits frame by frame: expect.poll would move a clock that a test holds. */
export async function until<T>(read: () => T, expected: T): Promise<void> {
  for (let tries = 0; tries < 120; tries += 1) {
    if (JSON.stringify(read()) === JSON.stringify(expected)) return;
    await frame();
  }
  expect(read()).toEqual(expected);
}

export function frame(): Promise<unknown> {
  return new Promise((done) => requestAnimationFrame(done));
}

/** One question, open and armed. */
export async function openAsk(
  view: AskView = ask(),
  backend = new FakeBackend(),
): Promise<FakeBackend> {
  backend.armedIn = 0;
  backend.put(view);
  await openWindow(backend, { card: { kind: "ask", ask: view.id } });
  await armed();
  return backend;
}

export async function armed(): Promise<void> {
  await until(() => card()?.dataset.armed, "true");
}

export function card(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-testid='card']");
}

export function one(selector: string): HTMLElement {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`nothing matches ${selector}`);
  return found;
}

export function all(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

export function button(act: Act): HTMLElement {
  return one(`[data-act="${act}"]`);
}

export async function press(act: Act): Promise<void> {
  await userEvent.click(button(act));
}

/** Presses a control that is dead, as a hasty person would. */
export async function pressDead(act: Act): Promise<void> {
  await userEvent.click(button(act), { force: true });
}

/** Presses Send and says what went with it. */
export async function sent(backend: FakeBackend): Promise<FieldInput[] | null | undefined> {
  const before = backend.answers.length;
  await press("accept");
  await expect.poll(() => backend.answers.length).toBe(before + 1);
  return backend.answers[before]?.inputs;
}

export function box(field: number): HTMLInputElement {
  return one(`[data-field="${field}"] input:not([data-picker])`) as HTMLInputElement;
}

export async function fill(field: number, text: string): Promise<void> {
  await userEvent.fill(box(field), text);
}

export async function choose(field: number, option: string | number): Promise<void> {
  await userEvent.click(one(`[data-field="${field}"] [data-option="${option}"]`));
}

export function said(): string {
  return one("[data-testid='said-by-app']").textContent?.trim() ?? "";
}

export function textOf(selector: string): string {
  return one(selector).textContent?.replace(/\s+/g, " ").trim() ?? "";
}

export async function size(width: number, height: number): Promise<void> {
  await page.viewport(width, height);
}

export { userEvent };
