import { svelte } from "@sveltejs/vite-plugin-svelte";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";
import type { BrowserCommand, BrowserConfigOptions } from "vitest/node";

/** Debian's Chromium, quiet and without a network of its own. */
export const CHROMIUM = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** Media features for tests that look at both colour schemes. */
const emulate: BrowserCommand<[{ colorScheme: "light" | "dark" }]> = async ({ page }, media) => {
  await page.emulateMedia(media);
};

const browser: BrowserConfigOptions = {
  enabled: true,
  headless: true,
  commands: { emulate },
  screenshotFailures: false,
  viewport: { width: 1280, height: 800 },
  provider: playwright({
    launchOptions: CHROMIUM,
    contextOptions: { timezoneId: "Europe/Berlin", locale: "en-GB", reducedMotion: "reduce" },
  }),
  instances: [{ browser: "chromium" }],
};

export default defineConfig({
  plugins: [svelte()],
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: "127.0.0.1" },
  build: {
    target: "safari17.5",
    // Every asset is a file of its own: the page's policy knows 'self' and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  optimizeDeps: { include: ["axe-core", "svelte"] },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "window",
          include: ["tests/*.test.ts"],
          setupFiles: ["tests/setup.ts"],
          browser,
        },
      },
      {
        extends: true,
        test: {
          name: "bench",
          include: ["tests/bench/*.ts"],
          setupFiles: ["tests/setup.ts"],
          browser,
        },
      },
      { extends: true, test: { name: "bundle", include: ["tests/bundle/*.test.ts"] } },
    ],
  },
});
