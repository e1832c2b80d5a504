/**
 * What a person has entered into one form so far, and what Rust says of it.
 *
 * A field that was not touched has no entry. The meaning of every entry is decided in Rust.
 */
import { released } from "../released";
import type { FieldError, FieldGuard, FieldInput, FieldView, Input, Review } from "../wire";

const TYPING_MS = 250;

export class Draft {
  inputs = $state.raw<ReadonlyMap<number, Input>>(new Map());
  /** Fields that the person wants sent although they ask for a secret or hold one. */
  anyway = $state.raw<ReadonlySet<number>>(new Set());
  review = $state.raw<Review | null>(null);
  /** Fields that were left once: only they show what is wrong with them. */
  left = $state.raw<ReadonlySet<number>>(new Set());
  /** What was wrong at the last Send, until the next: the summary does not shrink under a pointer. */
  failures = $state.raw<FieldError[] | null>(null);
  /** Entries that Rust has not heard of yet. */
  pending = $state(false);

  #check: (inputs: FieldInput[]) => Promise<Review>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest = 0;

  constructor(check: (inputs: FieldInput[]) => Promise<Review>) {
    this.#check = check;
  }

  /** Takes over what was entered earlier. */
  begin(inputs: FieldInput[], review: Review | null): void {
    this.inputs = new Map(inputs.map((entry) => [entry.field, entry.input]));
    this.anyway = new Set(inputs.filter((entry) => entry.anyway).map((entry) => entry.field));
    this.review = review;
  }

  /** `null` takes the entry back: the field is untouched again. */
  set(field: number, input: Input | null): void {
    const next = new Map(this.inputs);
    if (input) next.set(field, input);
    else next.delete(field);
    this.inputs = next;
    this.#changed();
  }

  /** The person's choice to send a secret of this field, or not. A suggestion is then an entry of their own. */
  setAnyway(field: FieldView, on: boolean): void {
    const next = new Set(this.anyway);
    if (on) next.add(field.id);
    else next.delete(field.id);
    this.anyway = next;
    if (on && field.suggested && !this.inputs.has(field.id)) this.set(field.id, field.suggested);
    else this.#changed();
  }

  /** What was chosen for one secret is not chosen for the next that stands in the same field. */
  forgetAnyway(field: number): void {
    if (!this.anyway.has(field)) return;
    const next = new Set(this.anyway);
    next.delete(field);
    this.anyway = next;
  }

  #changed(): void {
    this.pending = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), TYPING_MS);
  }

  async leave(field: number): Promise<void> {
    await released();
    this.left = new Set(this.left).add(field);
    await this.check();
  }

  /** Send was pressed and something was wrong: every field shows what. */
  get tried(): boolean {
    return this.failures !== null;
  }

  /** The entries in the order of the form. */
  list(): FieldInput[] {
    return [...this.inputs]
      .map(([field, input]) =>
        this.anyway.has(field) ? { field, input, anyway: true } : { field, input },
      )
      .sort((a, b) => a.field - b.field);
  }

  /** Asks Rust about the entries as they are; an answer that comes late is dropped. */
  async check(): Promise<void> {
    clearTimeout(this.#timer);
    const run = ++this.#latest;
    try {
      const review = await this.#check(this.list());
      await released();
      if (run !== this.#latest) return;
      this.review = review;
      this.pending = false;
    } catch {
      // The question is gone; its card says so.
    }
  }

  /** Stops the clock, and hands in what was not handed in yet. */
  close(): void {
    clearTimeout(this.#timer);
    if (this.pending) void this.check();
  }

  /** An answer was given: nothing more may be handed in. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#latest += 1;
    this.pending = false;
  }

  failed(errors: FieldError[]): void {
    this.failures = errors;
    const none = { willSend: [], leftOut: [], json: null, exact: null, errors, guarded: [] };
    this.review = { ...(this.review ?? none), json: null, exact: null, errors };
  }

  /** What the guard says of the value that stands in a field. */
  guardOf(field: number): FieldGuard | null {
    return this.review?.guarded.find((found) => found.field === field)?.guard ?? null;
  }

  errorOf(field: number): string | null {
    if (!this.tried && !this.left.has(field)) return null;
    return this.review?.errors.find((error) => error.field === field)?.message ?? null;
  }

  /** Which entry of a list is wrong. */
  wrongEntry(field: number): number | null {
    return this.review?.errors.find((error) => error.field === field)?.entry ?? null;
  }
}

/** What a field holds now: the entry, else the server's suggestion, else nothing. */
export function held(view: FieldView, inputs: ReadonlyMap<number, Input>): Input | null {
  return inputs.get(view.id) ?? view.suggested;
}

/** What stands for "nothing" in a field: a cleared suggestion is said, an untouched field is not. */
export function nothing(view: FieldView): Input | null {
  return view.suggested ? { kind: "empty" } : null;
}

/** Ids of elements are made of positions, never of the server's keys. */
export function controlId(prefix: string, field: number): string {
  return `${prefix}-${field}`;
}

/** Moves focus into a field: what is wrong in it, else its box, its chosen or first option, its first button. */
export function focusField(prefix: string, field: number): void {
  const root = document.getElementById(`${controlId(prefix, field)}-field`);
  const control =
    root?.querySelector<HTMLElement>("input:checked") ??
    root?.querySelector<HTMLElement>("[data-entry][aria-invalid='true']") ??
    root?.querySelector<HTMLElement>("input:not([tabindex='-1']), textarea") ??
    root?.querySelector<HTMLElement>("button");
  control?.focus();
  root?.scrollIntoView({ block: "nearest" });
}
