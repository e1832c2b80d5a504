/**
 * Waits until no pointer is down, so that nothing moves between a press and its release: a click that begins on one
 * control and ends on another is no click at all.
 */
let down = false;

window.addEventListener("pointerdown", () => (down = true), { capture: true });
window.addEventListener("pointerup", () => (down = false), { capture: true });
window.addEventListener("pointercancel", () => (down = false), { capture: true });

export async function released(): Promise<void> {
  if (!down) return;
  await new Promise((done) => {
    window.addEventListener("pointerup", done, { once: true });
    window.addEventListener("pointercancel", done, { once: true });
  });
  // The click comes right after the release.
  await new Promise((done) => setTimeout(done));
}
