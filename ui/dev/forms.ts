/** Forms as servers send them, as different from each other as can be: to look at, and to be worked with keys alone. */

import type { AskBody, Control, FieldView } from "../src/lib/wire";
import { countries, field, form, many, number as numeric, options, text } from "./fixtures";

const REQUIRED = { required: true };
const number = (integer: boolean, minimum: string | null, maximum: string | null): Control =>
  numeric({ integer, minimum, maximum });
const choice = (...titles: string[]): Control => ({ kind: "choice", options: options(...titles) });

const LONG =
  "As it stands on the contract that was signed when the account was opened, with every part of the name and in the same order. ".repeat(
    4,
  );

export const FORMS: [string, FieldView[]][] = [
  [
    "a journey",
    [
      field(0, "From", text({ minLength: 2, maxLength: 40 }), REQUIRED),
      field(1, "Day", text({ format: "date" }), REQUIRED),
      field(2, "Train leaves at", text({ format: "date-time" }), {
        ...REQUIRED,
        help: "As on the timetable of the station",
      }),
      field(3, "Class", choice("First", "Second"), REQUIRED),
      field(4, "Seats", number(true, "1", "9"), {
        ...REQUIRED,
        suggested: { kind: "text", text: "1" },
      }),
    ],
  ],
  [
    "a profile",
    [
      field(0, "Display name", text({ maxLength: 30 }), REQUIRED),
      field(1, "Mail", text({ format: "email" }), REQUIRED),
      field(2, "Website", text({ format: "uri" })),
      field(3, "Newsletter", { kind: "yesNo" }),
    ],
  ],
  ["a plain yes or no", [field(0, "Delete all 214 files?", { kind: "yesNo" }, REQUIRED)]],
  ["nothing to enter", []],
  [
    "a list of two thousand",
    [
      field(0, "Customer", { kind: "choice", options: many(2_000) }, REQUIRED),
      field(1, "Tags", { kind: "choices", options: many(300), minItems: 1, maxItems: 3 }, REQUIRED),
    ],
  ],
  [
    "only optional fields",
    [
      field(0, "Nick", text()),
      field(1, "Country", choice(...countries())),
      field(2, "Colour", choice("Red", "Green", "Blue")),
      field(3, "Public", { kind: "yesNo" }),
      field(4, "Age", number(true, "18", null)),
    ],
  ],
  [
    "numbers",
    [
      field(0, "Amount", number(false, "0.01", "999999.99"), REQUIRED),
      field(1, "Offset", number(false, "-1e3", null)),
      field(2, "Id", number(true, null, "123456789012345678901234567890")),
    ],
  ],
  [
    "options that look alike",
    [
      field(
        0,
        "Account",
        {
          kind: "choice",
          options: [
            { title: "Main", value: '"Main"', help: null },
            { title: "Mаin", value: '"M\\u0430in"', help: null },
            { title: "Keep my files", value: "delete_all", help: null },
          ],
        },
        {
          ...REQUIRED,
          notes: ["Some of these look the same; the values that are sent stand beside them."],
        },
      ),
    ],
  ],
  [
    "right to left",
    [
      field(0, "الاسم الكامل", text(), { ...REQUIRED, help: "كما هو مكتوب في جواز السفر" }),
      field(1, "עיר", choice("ירושלים", "חיפה", "Tel Aviv")),
      field(2, "أيام", {
        kind: "choices",
        options: options("الأحد", "الاثنين"),
        minItems: null,
        maxItems: null,
      }),
    ],
  ],
  [
    "long words",
    [
      field(0, LONG.slice(0, 119), text(), { ...REQUIRED, help: LONG }),
      field(1, "x".repeat(119), choice("y".repeat(119), LONG.slice(0, 119))),
    ],
  ],
  ["forty fields", Array.from({ length: 40 }, (_, id) => field(id, `Field ${id}`, text()))],
];

export function bodies(): [string, AskBody][] {
  return FORMS.map(([name, fields]) => [name, form(fields)]);
}
