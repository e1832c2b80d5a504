/** The built window under the page's real policy: everything works, nothing is refused. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, chromium, type Page } from "playwright";
import { build } from "vite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FakeBackend } from "../../dev/fake";
import { ask, call, EVERYTHING, form, LINKS, link, PAGE, PARTS } from "../../dev/fixtures";
import { review } from "../../dev/review";
import { CHROMIUM } from "../../vite.config";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' data:",
  "font-src 'self'",
  "connect-src ipc: http://ipc.localhost",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

type File = { type: string; body: string | Uint8Array };
const files = new Map<string, File>();
let server: Server;
let browser: Browser;
let page: Page;
const refused: string[] = [];

beforeAll(async () => {
  const built = await build({ logLevel: "silent", build: { write: false } });
  for (const output of [built].flat()) {
    if (!("output" in output)) continue;
    for (const file of output.output) {
      const type = { html: "text/html", js: "text/javascript", css: "text/css" }[
        file.fileName.split(".").at(-1) ?? ""
      ];
      files.set(`/${file.fileName}`, {
        type: type ?? "application/octet-stream",
        body: file.type === "chunk" ? file.code : file.source,
      });
    }
  }
  server = createServer((request, response) => {
    const file = files.get(request.url === "/" ? "/index.html" : (request.url ?? ""));
    response.writeHead(file ? 200 : 404, {
      "content-type": file?.type ?? "text/plain",
      "content-security-policy": POLICY,
    });
    response.end(file?.body ?? "");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  browser = await chromium.launch(CHROMIUM);
  page = await browser.newPage();
  page.on("console", (message) => {
    // The browser asks for an icon by itself.
    const icon = message.location().url.endsWith("/favicon.ico");
    if (message.type() === "error" && !icon) refused.push(message.text());
  });
  page.on("pageerror", (error) => refused.push(error.message));
  await page.addInitScript(program, answers());
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await new Promise((done) => server.close(done));
});

/** What the program would say, by command and id. */
function answers(): Record<string, unknown> {
  const backend = new FakeBackend();
  backend.put(
    ask({ body: form(EVERYTHING) }),
    ask({ id: 101, body: link(LINKS.risky), call: call({ id: 11 }) }),
  );
  backend.putCall({ call: call({ id: 12, phase: "done" }), notices: [], parts: PARTS, json: "{}" });
  return {
    snapshot: backend.world,
    "server_page 1": PAGE,
    "ask 100": backend.asks.get(100),
    "ask 101": backend.asks.get(101),
    "call 12": backend.calls.get(12),
    draft: review({ fields: EVERYTHING }, []),
    shown: { inMs: 0 },
    act: { kind: "sent" },
    "plugin:event|listen": 1,
  };
}

/** Runs in the page before anything else: the program's side of the IPC. */
function program(known: Record<string, unknown>): void {
  const internals = {
    transformCallback: () => 1,
    invoke: async (name: string, { args }: { args?: Record<string, number> }) => {
      const id = args?.ask ?? args?.call ?? args?.server;
      const answer = known[`${name} ${id}`] ?? known[name];
      if (answer === undefined) throw { code: "gone", message: `nothing for ${name}` };
      return answer;
    },
  };
  Object.assign(window, { __TAURI_INTERNALS__: internals, refused: [] });
  document.addEventListener("securitypolicyviolation", (event) => {
    console.error(`refused by ${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
  });
}

it("has no code or style of its own inside the page", () => {
  const html = String(files.get("/index.html")?.body);
  expect(html).not.toMatch(/<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/);
  expect([...files.keys()].filter((name) => /gallery|fixture|fake/.test(name))).toEqual([]);
});

it("draws every control, a list, a dialog, a link and a result without a refusal", async () => {
  await page.click("[data-testid='ask-row'][data-ask='100']");
  await page.waitForSelector("[data-testid='card'][data-ask='100'][data-armed='true']");
  await page.fill("#ask100-0", "Ada");
  await page.click("#ask100-6");
  await page.waitForSelector("[role='option']");
  await page.keyboard.press("Escape");
  await page.click("[data-act='dismiss']");
  await page.waitForSelector("dialog[open]");
  await page.click("[data-confirm='safe']");
  await page.click("[data-testid='ask-row'][data-ask='101']");
  await page.waitForSelector("[data-testid='typed-domain']");
  await page.click("[data-testid='call-row'][data-call='12']");
  await page.waitForSelector("[data-testid='result-part'] img");
  await expect
    .poll(() =>
      page.$eval(
        "[data-testid='result-part'] img",
        (img) => (img as HTMLImageElement).naturalWidth,
      ),
    )
    .toBe(1);
  await page.waitForSelector("[data-testid='result-part'] audio");
  await page.click("[data-testid='server-row'][data-server='1']");
  await page.waitForSelector("[data-testid='offer']");
  expect(refused).toEqual([]);
}, 60_000);
