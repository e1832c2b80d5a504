/** How a box takes what is typed: what a browser may do to it, and which keys a touch screen offers. */
import type { Control, EntryControl } from "../wire";

export function typing(control: Control | EntryControl) {
  const format = control.kind === "text" ? control.format : null;
  return {
    dir: control.kind === "number" || format ? "ltr" : "auto",
    inputmode: keys(control),
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  } as const;
}

function keys(control: Control | EntryControl) {
  if (control.kind === "number") return control.integer ? "numeric" : "decimal";
  if (control.kind !== "text") return undefined;
  return control.format === "email" ? "email" : control.format === "uri" ? "url" : undefined;
}
