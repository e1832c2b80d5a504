import { afterEach, beforeAll } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import { cleanup } from "vitest-browser-svelte/pure";
import "../src/styles/tokens.css";
import "../src/styles/base.css";
import "../src/styles/card.css";
import "../src/styles/rows.css";

declare module "vitest/browser" {
  interface BrowserCommands {
    emulate: (media: { colorScheme: "light" | "dark" }) => Promise<void>;
  }
}

// The frame gets its size after the page is there, and focus with the first click; a card arms itself anew for both.
beforeAll(async () => {
  await page.viewport(1280, 800);
  await userEvent.click(document.body);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
});

afterEach(async () => {
  cleanup();
  await commands.emulate({ colorScheme: "light" });
});
