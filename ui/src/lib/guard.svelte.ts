/**
 * One gesture never answers two asks.
 *
 * After any answer every answering control is dead until the key or button is up, and 300 ms more. Rust enforces
 * the same; this only shows it. A control that was dead when it was pressed stays dead for that press.
 */
const REST_MS = 300;

class Guard {
  dead = $state(false);
  #held = new Set<string>();
  #spent = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Watches keys and buttons of the whole window; returns the way to stop. */
  watch(): () => void {
    const down = (event: KeyboardEvent | PointerEvent) => this.#held.add(token(event));
    const up = (event: KeyboardEvent | PointerEvent) => {
      this.#held.delete(token(event));
      this.#rest();
    };
    // A release outside the window is never heard.
    const away = () => {
      this.#held.clear();
      this.#rest();
    };
    const capture = { capture: true };
    window.addEventListener("keydown", down, capture);
    window.addEventListener("pointerdown", down, capture);
    window.addEventListener("keyup", up, capture);
    window.addEventListener("pointerup", up, capture);
    window.addEventListener("pointercancel", up, capture);
    window.addEventListener("blur", away);
    return () => {
      window.removeEventListener("keydown", down, capture);
      window.removeEventListener("pointerdown", down, capture);
      window.removeEventListener("keyup", up, capture);
      window.removeEventListener("pointerup", up, capture);
      window.removeEventListener("pointercancel", up, capture);
      window.removeEventListener("blur", away);
      this.#held.clear();
      this.#spent = false;
      this.dead = false;
      clearTimeout(this.#timer);
    };
  }

  /** An answer was given with the gesture that is going on. */
  spend(): void {
    this.dead = true;
    this.#spent = true;
    clearTimeout(this.#timer);
    this.#rest();
  }

  #rest(): void {
    if (!this.#spent || this.#held.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#spent = false;
      this.dead = false;
    }, REST_MS);
  }
}

function token(event: KeyboardEvent | PointerEvent): string {
  return "code" in event ? `key ${event.code}` : `pointer ${event.pointerId}`;
}

export const guard = new Guard();
