import { describe, expect, it } from "vitest";
import { call, entries, number, TEXT } from "../dev/fixtures";
import type { Control } from "../src/lib/wire";
import { isRunning, limits } from "../src/lib/words";

const text = (minLength: number | null, maxLength: number | null): Control => ({
  kind: "text",
  format: null,
  minLength,
  maxLength,
  hint: null,
});
const choices = (minItems: number | null, maxItems: number | null): Control => ({
  kind: "choices",
  options: [],
  minItems,
  maxItems,
});

describe("limits are said in plain grammar", () => {
  const cases: [Control, string | null][] = [
    [text(null, null), null],
    [text(0, null), null],
    [text(1, null), null],
    [text(2, null), "at least 2 characters"],
    [text(null, 1), "at most 1 character"],
    [text(1, 40), "at most 40 characters"],
    [text(2, 40), "2 to 40 characters"],
    [text(1, 1), "exactly 1 character"],
    [text(4, 4), "exactly 4 characters"],
    [choices(1, null), "choose at least 1"],
    [choices(0, 3), "choose at most 3"],
    [choices(1, 3), "choose 1 to 3"],
    [choices(1, 1), "choose exactly 1"],
    [choices(2, 3), "choose 2 to 3"],
    [choices(2, 2), "choose exactly 2"],
    [number({ minimum: "1", maximum: "5" }), "whole number, 1 to 5"],
    [number({ above: "0", integer: false }), "number, more than 0"],
    [number({ above: "0", below: "1" }), "whole number, more than 0 and less than 1"],
    [number({ minimum: "1", below: "5" }), "whole number, 1 or more and less than 5"],
    [
      number({ above: "1", maximum: "5", multipleOf: "0.5" }),
      "whole number, more than 1 and 5 or less, a multiple of 0.5",
    ],
    [entries(TEXT), null],
    [entries(number(), { maxItems: 3 }), "entries: at most 3, each: whole number"],
    [
      entries(number({ minimum: "1" }), { minItems: 2, maxItems: 4, unique: true }),
      "entries: 2 to 4, each: whole number, 1 or more, no entry twice",
    ],
  ];
  it.each(cases)("%j: %s", (control, words) => {
    expect(limits(control)).toBe(words);
  });
});

it("a call that was left with its outcome unknown no longer runs", () => {
  expect(isRunning(call({ phase: "unknown", acts: ["send_again", "leave"] }))).toBe(true);
  expect(isRunning(call({ phase: "unknown", acts: ["start_again"] }))).toBe(false);
});
