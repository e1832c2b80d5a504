/** Where focus goes between the panes. Panes are marked `data-pane`, rows carry `data-row-of-list`. */
import { tick } from "svelte";

const PANES = ["places", "list", "card"];

/** Focus to the row that `selector` finds, else the first row, else the list's heading, else the way back to it. */
export async function focusList(selector: string): Promise<void> {
  await tick();
  const list = pane("list");
  const row =
    list?.querySelector<HTMLElement>(selector) ??
    list?.querySelector<HTMLElement>("[data-row-of-list]") ??
    list?.querySelector<HTMLElement>("h2");
  if (row && shown(row)) row.focus();
  else document.querySelector<HTMLElement>("[data-back]")?.focus();
}

/** Focus to the heading of what is open; only after the person asked for it. */
export async function focusCard(): Promise<void> {
  await tick();
  pane("card")?.querySelector<HTMLElement>("h2")?.focus();
}

/** Reading a card replaces the heading that stood in for it; focus that was there goes along. */
export async function withHeading(
  root: HTMLElement | undefined,
  change: () => void,
): Promise<void> {
  const before = root?.querySelector("h2");
  const had = before != null && before === document.activeElement;
  change();
  if (!had) return;
  await tick();
  root?.querySelector<HTMLElement>("h2")?.focus();
}

/** F6 and Shift+F6: from pane to pane. */
export function cyclePanes(back: boolean): void {
  const open = PANES.map(pane).filter((element) => element !== null && shown(element));
  const at = open.findIndex((element) => element?.contains(document.activeElement));
  const next = open[(at + (back ? -1 : 1) + open.length) % open.length];
  const target =
    next?.dataset.pane === "card"
      ? next.querySelector<HTMLElement>("h2")
      : (next?.querySelector<HTMLElement>("[aria-current='true']") ??
        next?.querySelector<HTMLElement>("[data-row-of-list]") ??
        next?.querySelector<HTMLElement>("button, h2"));
  target?.focus();
}

/** Up and Down in a list of rows; Home and End too. Returns the row that got focus. */
export function moveInList(event: KeyboardEvent): HTMLElement | null {
  if (event.ctrlKey || event.altKey || event.metaKey) return null;
  const list = event.currentTarget;
  const from = event.target;
  if (!(list instanceof HTMLElement) || !(from instanceof HTMLElement)) return null;
  const rows = [...list.querySelectorAll<HTMLElement>("[data-row-of-list]")];
  const at = rows.indexOf(from);
  if (at < 0) return null;
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
  const row = to === undefined ? undefined : rows[to];
  if (to !== undefined) event.preventDefault();
  row?.focus();
  return row ?? null;
}

/** Keeps focus in the list when the row that had it goes away. */
export function keepFocus(list: HTMLElement): () => void {
  let inside = false;
  const into = () => {
    inside = true;
  };
  const out = (event: FocusEvent) => {
    // A row that is taken out of the page is left for nothing.
    if (event.relatedTarget !== null) inside = false;
  };
  const changed = new MutationObserver(() => {
    if (inside && (document.activeElement === null || document.activeElement === document.body)) {
      (
        list.querySelector<HTMLElement>("[data-row-of-list]") ??
        list.querySelector<HTMLElement>("h2")
      )?.focus();
    }
  });
  const pressed = (event: PointerEvent) => {
    if (event.target instanceof Node && !list.contains(event.target)) inside = false;
  };
  list.addEventListener("focusin", into);
  list.addEventListener("focusout", out);
  window.addEventListener("pointerdown", pressed);
  changed.observe(list, { childList: true, subtree: true });
  return () => {
    list.removeEventListener("focusin", into);
    list.removeEventListener("focusout", out);
    window.removeEventListener("pointerdown", pressed);
    changed.disconnect();
  };
}

function pane(name: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-pane="${name}"]`);
}

function shown(element: HTMLElement): boolean {
  return element.getClientRects().length > 0;
}
