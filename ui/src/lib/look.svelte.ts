/**
 * Whether a control has been on the screen long enough to be pressed, for what starts, runs or sends again outside of
 * a question. What stands where another control stood a moment ago is dead until the pointer is up and 700 ms more,
 * and again when the window gets focus: a second click never runs what the first one only brought up. (Questions are
 * guarded in Rust; see AskCard.)
 */
import { released } from "./released";

const LOOK_MS = 700;

export class Look {
  live = $state(false);
  #run = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** It was only just shown, or what it does changed. */
  async begin(): Promise<void> {
    const run = this.#dead();
    await released();
    if (run !== this.#run) return;
    this.#timer = setTimeout(() => {
      this.live = true;
    }, LOOK_MS);
  }

  /** Begins anew whenever the window gets focus; returns the way to stop. */
  watch(): () => void {
    const focused = () => void this.begin();
    window.addEventListener("focus", focused);
    return () => {
      window.removeEventListener("focus", focused);
      this.#dead();
    };
  }

  #dead(): number {
    this.live = false;
    clearTimeout(this.#timer);
    this.#run += 1;
    return this.#run;
  }
}
