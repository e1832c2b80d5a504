/** Copies text; false where the system did not let us. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For web views without the clipboard interface. */
function copyBySelection(text: string): boolean {
  const box = document.createElement("textarea");
  box.value = text;
  box.className = "unseen";
  document.body.append(box);
  const before = document.activeElement;
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
