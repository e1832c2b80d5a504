import type { FieldInput, FieldView, FormView, Input, Review } from "../src/lib/wire";

/** A review such as Rust would give: enough to look at, with "required" as the one rule. */
export function review(form: FormView, inputs: FieldInput[]): Review {
  const entered = new Map(inputs.map((entry) => [entry.field, entry.input]));
  const result: Review = { willSend: [], leftOut: [], json: null, errors: [] };
  const content: Record<string, string> = {};
  for (const field of form.fields) {
    const input = entered.get(field.id) ?? field.suggested;
    const value = input ? shown(field, input) : null;
    if (value !== null) {
      const suggested = !entered.has(field.id);
      result.willSend.push({ field: field.id, label: field.label, value, suggested });
      content[field.label] = value;
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
