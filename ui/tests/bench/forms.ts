/**
 * What a large form costs the window, as ratios to an empty card within one run: from the press that opens it to the
 * frame that shows it, and from a letter to the frame that shows that. Figures are medians over batches that take turns.
 * Nothing is asserted but that the form is there.
 */
import { expect, it } from "vitest";
import { FakeBackend } from "../../dev/fake";
import { ask, field, form, many, text } from "../../dev/fixtures";
import { all, box, card, one, openWindow } from "../desk";
import { middle, next, painted } from "../measure";

const BATCHES = 21;
const EMPTY = 100;
const SMALL = 101;
const LARGE = 102;

it("a form with 64 fields and a list of 2,000", async () => {
  const backend = new FakeBackend();
  backend.armedIn = 0;
  const list = field(0, "Customer", { kind: "choice", options: many(2_000) });
  const others = Array.from({ length: 63 }, (_, at) => field(at + 1, `Field ${at + 1}`, text()));
  backend.put(
    ask({ id: EMPTY, body: form([]) }),
    ask({ id: SMALL, body: form([field(1, "Field 1", text())]) }),
    ask({ id: LARGE, body: form([list, ...others]) }),
  );
  await openWindow(backend);

  const shown: Times = { large: [], empty: [] };
  const typed: Times = { large: [], empty: [] };
  const searched: Times = { large: [], empty: [] };
  for (let batch = 0; batch <= BATCHES; batch += 1) {
    const empty = await open(EMPTY, 0);
    const large = await open(LARGE, 64);
    const letter = await type(1, "a");
    const search = await type(0, "Option 1999");
    expect(all("[role='option']").length).toBe(1);
    await open(SMALL, 1);
    const alone = await type(1, "a");
    // The first batch warms both up.
    if (batch === 0) continue;
    shown.large.push(large);
    shown.empty.push(empty);
    typed.large.push(letter);
    typed.empty.push(alone);
    searched.large.push(search);
    searched.empty.push(alone);
  }
  report("a form of 64 fields with a list of 2,000, shown", shown, "an empty card");
  report("a letter in that form", typed, "a letter in a form of one field");
  report("a search in that list", searched, "a letter in a form of one field");
}, 120_000);

type Times = { large: number[]; empty: number[] };

async function open(id: number, fields: number): Promise<number> {
  const start = performance.now();
  one(`[data-testid='ask-row'][data-ask='${id}']`).click();
  while (
    card()?.dataset.ask !== String(id) ||
    card()?.dataset.phase !== "waiting" ||
    all("[data-testid='field']").length !== fields
  ) {
    await next();
  }
  await painted();
  return performance.now() - start;
}

async function type(id: number, entered: string): Promise<number> {
  const at = box(id);
  at.focus();
  await painted();
  const start = performance.now();
  at.value = entered;
  at.dispatchEvent(new InputEvent("input", { bubbles: true }));
  await painted();
  return performance.now() - start;
}

function report(what: string, { large, empty }: Times, beside: string) {
  const ratios = large.map((time, at) => time / (empty[at] ?? time));
  const [ratio, least, most] = [middle(ratios), Math.min(...ratios), Math.max(...ratios)];
  console.log(
    `${what}: ${middle(large).toFixed(1)} ms (from ${Math.min(...large).toFixed(1)}); ${beside}: ${middle(empty).toFixed(1)} ms\n` +
      `  ratio ${ratio.toFixed(2)} (from ${least.toFixed(2)} to ${most.toFixed(2)} over ${ratios.length} batches)`,
  );
}
