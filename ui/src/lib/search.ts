/** Searching a list without regard to case, accents and the width of letters. */

/** What two texts have in common that a person would type alike. */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase();
}

/** A search over options by title and value; every option keeps its position. */
export class Search<Option extends { title: string; value: string | null }> {
  readonly all: (Option & { index: number })[];
  #folded: string[] | undefined;

  constructor(options: Option[]) {
    this.all = options.map((option, index) => ({ ...option, index }));
  }

  find(wanted: string): (Option & { index: number })[] {
    const folded = fold(wanted.trim());
    if (folded === "") return this.all;
    this.#folded ??= this.all.map(({ title, value }) => fold(`${title}\n${value ?? ""}`));
    const texts = this.#folded;
    return this.all.filter((_, at) => texts[at]?.includes(folded));
  }
}
