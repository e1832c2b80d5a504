import { svelte } from "@sveltejs/vite-plugin-svelte";
import { playwright } from "@vitest/browser-playwright";
import { defineConfig } from "vitest/config";

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
    include: ["tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      viewport: { width: 1280, height: 800 },
      provider: playwright({
        launchOptions: {
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
        },
        contextOptions: { timezoneId: "Europe/Berlin", locale: "en-GB" },
      }),
      instances: [{ browser: "chromium" }],
    },
  },
});
