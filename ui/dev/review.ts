import type { FieldGuard, FieldInput, FieldView, FormView, Input, Review } from "../src/lib/wire";

const LOOKS_LIKE_CARD: FieldGuard = {
  level: "secret",
  sentence:
    "What stands here looks like the details of a payment card. Servers must not ask for passwords, keys or card numbers in a form.",
};

/** A review such as Rust would give: enough to look at, with "required" as the one rule. */
export function review(form: FormView, inputs: FieldInput[]): Review {
  const entered = new Map(inputs.map((entry) => [entry.field, entry.input]));
  const result: Review = {
    willSend: [],
    leftOut: [],
    json: null,
    exact: null,
    errors: [],
    guarded: [],
  };
  const anyway = new Set(inputs.filter((entry) => entry.anyway).map((entry) => entry.field));
  const [content, exact]: [Record<string, string>, Record<string, string>] = [{}, {}];
  for (const field of form.fields) {
    const input = entered.get(field.id) ?? field.suggested;
    const value = input ? shown(field, input) : null;
    const card = value !== null && field.control.kind === "text" && /^4\d{15}$/.test(value);
    if (card) result.guarded.push({ field: field.id, guard: LOOKS_LIKE_CARD });
    const masked = field.guard?.level === "secret" || card;
    if (value !== null && masked && !anyway.has(field.id)) {
      result.errors.push({
        field: field.id,
        code: "held_back",
        message: "Held back. It is sent only if you choose “Send this anyway”.",
      });
    } else if (value !== null) {
      const suggested = !entered.has(field.id);
      const told = masked ? "••••••••" : value;
      result.willSend.push({ field: field.id, label: field.label, value: told, suggested, masked });
      content[field.label] = told;
      exact[field.label] = value;
    } else if (field.required) {
      result.errors.push({
        field: field.id,
        code: "required",
        message: field.control.kind === "text" ? "Type something here." : "Choose one.",
      });
    } else result.leftOut.push(field.label);
  }
  if (result.errors.length === 0) {
    result.json = JSON.stringify({ action: "accept", content }, null, 2);
    if (result.willSend.some((item) => item.masked)) {
      result.exact = JSON.stringify({ action: "accept", content: exact }, null, 2);
    }
  }
  return result;
}

function shown(field: FieldView, input: Input): string | null {
  const title = (index: number) =>
    "options" in field.control ? (field.control.options[index]?.title ?? "") : "";
  switch (input.kind) {
    case "empty":
      return null;
    case "text":
      return input.text;
    case "flag":
      return input.value ? "Yes" : "No";
    case "pick":
      return title(input.index);
    case "picks":
      return input.indexes.map(title).join(", ");
    case "entries":
      return input.texts.join(", ");
  }
}
