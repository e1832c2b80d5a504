/** Lets the keyboard reach a box whose content does not fit, and only then. */
export function scrollable(element: HTMLElement): () => void {
  const look = () => {
    if (element.scrollHeight > element.clientHeight + 1) element.tabIndex = 0;
    else element.removeAttribute("tabindex");
  };
  const seen = new ResizeObserver(look);
  seen.observe(element);
  for (const child of element.children) seen.observe(child);
  const changed = new MutationObserver(look);
  changed.observe(element, { childList: true, subtree: true, characterData: true });
  look();
  return () => {
    seen.disconnect();
    changed.disconnect();
  };
}
