/**
 * What 5,000 questions cost the window, as ratios to 10 within one run: from a change to the frame that shows it, and
 * from an arrow key to the frame that shows that. Figures are medians over batches. Nothing is asserted but that the
 * rows are there.
 */
import { expect, it } from "vitest";
import { FakeBackend } from "../../dev/fake";
import { ask, call, said } from "../../dev/fixtures";
import type { AskView } from "../../src/lib/wire";
import { all, one, openWindow, userEvent } from "../desk";
import { middle, next, painted } from "../measure";

const BATCHES = 15;

it("5,000 questions", async () => {
  const few = await measured(10, (at) => `Question ${at}?`);
  const many = await measured(5_000, (at) => `Question ${at}?`);
  const same = await measured(5_000, () => "The same?");
  console.log(`a snapshot: ${few.bytes} bytes of 10, ${many.bytes} of 5,000`);
  report("a change with 5,000 questions", many.change, few.change, "with 10");
  report("a change with 5,000 alike", same.change, few.change, "with 10");
  report("an arrow key with 5,000 questions", many.arrow, few.arrow, "with 10");
  console.log(
    `rows in the page: ${few.rows} of 10, ${many.rows} of 5,000, ${same.rows} of 5,000 alike`,
  );
}, 300_000);

function question(id: number, words: string): AskView {
  return ask({ id, message: said(words), call: call({ id, name: "clean_up" }) });
}

async function measured(count: number, words: (at: number) => string) {
  const backend = new FakeBackend();
  const views = Array.from({ length: count }, (_, at) => question(1000 + at, words(at)));
  backend.put(...views);
  await openWindow(backend);
  const rows = () => all("[data-testid='ask-row'], [data-testid='ask-group']").length;
  expect(rows()).toBeGreaterThan(0);
  const change: number[] = [];
  const arrow: number[] = [];
  for (let batch = 0; batch <= BATCHES; batch += 1) {
    const words = `Draft ${batch}`;
    backend.put(question(1000, words));
    // It comes as a text from the program.
    const text = JSON.stringify(backend.world);
    backend.snapshot = async () => JSON.parse(text);
    const begun = performance.now();
    backend.changed();
    while (all(".inbox [data-ask='1000']")[0]?.textContent?.includes(words) !== true) await next();
    await painted();
    // The first batch warms up.
    if (batch > 0) change.push(performance.now() - begun);
  }
  one("[data-row-of-list][data-ask='1000']").focus();
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const begun = performance.now();
    await userEvent.keyboard(batch % 2 === 0 ? "{ArrowDown}" : "{ArrowUp}");
    await painted();
    arrow.push(performance.now() - begun);
  }
  return { change, arrow, rows: rows(), bytes: JSON.stringify(backend.world).length };
}

function report(what: string, many: number[], few: number[], beside: string) {
  const ratio = middle(many) / middle(few);
  console.log(
    `${what}: ${middle(many).toFixed(1)} ms (from ${Math.min(...many).toFixed(1)}); ${beside}: ${middle(few).toFixed(1)} ms\n` +
      `  ratio ${ratio.toFixed(2)}`,
  );
}
