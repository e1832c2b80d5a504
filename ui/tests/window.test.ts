import { afterEach, describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import {
  ALONE,
  ARGUMENTS,
  ask,
  call,
  DIAGNOSIS,
  PAGE,
  PRACTICE,
  server,
  snapshot,
  UNREACHED,
} from "../dev/fixtures";
import { all, choose, one, openWindow, size, textOf, userEvent } from "./desk";

afterEach(() => size(1280, 800));

function withPage(): FakeBackend {
  const backend = new FakeBackend();
  backend.pages.set(1, PAGE);
  backend.offers = () => ARGUMENTS;
  backend.putCall({
    call: call({ phase: "done", word: "done" }),
    notices: [],
    parts: [],
    json: null,
  });
  return backend;
}

describe("a server's page", () => {
  it("explains each kind once and finds by name", async () => {
    await openWindow(withPage(), { list: { kind: "server", server: 1 } });
    await expect.poll(() => all("[data-testid='offer']").length).toBe(5);
    expect(all("main h3").map((title) => title.textContent?.trim())).toEqual([
      "Actions: things this server can do (tools)",
      "Starters: texts to begin with (prompts)",
      "Documents: things to read (resources)",
    ]);
    await userEvent.fill(one("[data-testid='search']"), "calendar");
    await expect.poll(() => all("[data-testid='offer']").length).toBe(1);
  });

  it("starts a call with what was entered and shows the call", async () => {
    const backend = withPage();
    await openWindow(backend, { list: { kind: "server", server: 1 } });
    await expect.poll(() => all("[data-testid='offer']").length).toBe(5);
    await userEvent.click(one("[data-testid='offer'][data-kind='action'][data-index='0']"));
    await expect.poll(() => all("[data-testid='field']").length).toBe(3);
    expect(document.activeElement?.id).toBe("start1-action-0-heading");
    expect(textOf("[data-testid='goes-to']")).toBe("crm.example.com");
    await choose(0, 1);
    await userEvent.click(one("[data-testid='run']"));
    await expect
      .poll(() => backend.starts)
      .toEqual([
        {
          offer: { server: 1, kind: "action", index: 0 },
          args: { kind: "fields", fields: [{ field: 0, input: { kind: "pick", index: 1 } }] },
        },
      ]);
    await expect.poll(() => textOf("[data-testid='call-word']")).toBe("done");
  });

  it("tells the protocol, and in its details how that was found out", async () => {
    const backend = withPage();
    const found = "it does not know server/discover (-32601)";
    const older = server({ protocol: "2025-11-25", found });
    backend.world = snapshot({ servers: [older] });
    await openWindow(backend, { list: { kind: "server", server: 1 } });
    const details = one("[data-testid='protocol']") as HTMLDetailsElement;
    expect(textOf("[data-testid='protocol'] summary")).toBe("Protocol 2025-11-25");
    expect(details.open).toBe(false);
    await userEvent.click(one("[data-testid='protocol'] summary"));
    expect(details.open).toBe(true);
    expect(textOf("[data-testid='protocol'] p")).toBe(`How this was found out: ${found}`);
    backend.world = snapshot({ servers: [server({ found: null })] });
    backend.changed();
    await expect.poll(() => textOf("[data-testid='protocol']")).toBe("Protocol 2026-07-28");
  });

  it("says in four parts why a connection failed, with the way to try it again", async () => {
    const backend = withPage();
    backend.world = snapshot({ servers: [UNREACHED] });
    await openWindow(backend, { list: { kind: "server", server: 1 } });
    expect(all("[data-testid='diagnosis'] dt").map((part) => part.textContent)).toEqual([
      "What was tried",
      "What came back",
      "Likely cause",
      "What to do",
    ]);
    expect(all("[data-testid='diagnosis'] dd").map((part) => part.textContent)).toEqual([
      DIAGNOSIS.tried,
      DIAGNOSIS.cameBack,
      DIAGNOSIS.cause,
      DIAGNOSIS.todo,
    ]);
    expect(all("[data-testid='server-detail'], [data-testid='protocol']")).toEqual([]);
    expect(textOf("[data-testid='reconnect']")).toBe("Connect again");
    await userEvent.click(one("[data-testid='reconnect']"));
    await expect.poll(() => backend.reconnected).toEqual([1]);
    backend.world = snapshot({ servers: [server({ ...UNREACHED, diagnosis: null })] });
    backend.changed();
    await expect
      .poll(() => all("[data-testid='server-detail']").map((detail) => detail.textContent))
      .toEqual(["crm.example.com answered 404."]);
  });

  it("lists the open questions before a server is removed", async () => {
    const backend = withPage().put(ask());
    await openWindow(backend, { list: { kind: "server", server: 1 } });
    await expect.poll(() => all("[data-testid='remove']").length).toBe(1);
    await userEvent.click(one("[data-testid='remove']"));
    expect(textOf("dialog")).toContain("1 question of this server is open here.");
    expect(textOf("dialog li")).toBe("Choose where the invoice is filed.");
    expect(document.activeElement).toBe(one("[data-confirm='safe']"));
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => backend.removed).toEqual([1]);
  });
});

describe("a call that is only a question", () => {
  it("has no arguments, no result and nothing to start again", async () => {
    const backend = new FakeBackend();
    const over = { ...ALONE, phase: "done" as const, word: "done", acts: [] };
    backend.putCall({
      call: over,
      notices: [],
      parts: [{ kind: "other", note: "A part." }],
      json: "{}",
    });
    await openWindow(backend, { list: { kind: "calls" }, card: { kind: "call", call: 10 } });
    await expect.poll(() => textOf("[data-testid='call-word']")).toBe("done");
    expect(textOf("[data-testid='call-card'] .for")).toBe("Question: asked by the server itself");
    expect(textOf("[data-testid='call-card'] .zone")).toBe(
      "The server asked this by itself; it belongs to none of your calls that can be told. Nothing comes back for it.",
    );
    expect(
      all("[data-callact], [data-testid='result-part'], [data-testid='call-card'] .chip"),
    ).toEqual([]);
    expect(textOf("[data-testid='call-row'] .line")).toBe("asked by the server itself");
    expect(textOf("[data-testid='call-row'] .facts")).toBe("Question done");
  });
});

describe("adding a server", () => {
  it("shows exactly what would run before anything is added", async () => {
    const backend = new FakeBackend();
    backend.pages.set(1, PAGE);
    const draft = {
      name: "notes",
      target: {
        kind: "stdio" as const,
        command: "npx",
        args: ["-y", "notes server"],
        env: [],
        cwd: null,
      },
      timeoutSeconds: 60,
    };
    backend.preview = () => ({ draft, notes: ["A program will run with your rights."] });
    await openWindow(backend);
    await userEvent.click(one("[data-testid='add-server']"));
    await userEvent.fill(one("[data-testid='add-pasted']"), "npx -y 'notes server'");
    await userEvent.click(one("[data-testid='add-look']"));
    await expect.poll(() => all("[data-testid='add-target']").length).toBe(1);
    expect(textOf("[data-testid='add-target']")).toBe("npx -y 'notes server'");
    expect(textOf("[data-testid='add-notes']")).toBe("A program will run with your rights.");
    // The second click of a double click lands where "Look at it" was.
    one("[data-testid='add-confirm']").click();
    expect(backend.added).toEqual([]);
    await userEvent.fill(one("[data-testid='add-name']"), "My notes");
    await expect
      .poll(() => one("[data-testid='add-confirm']").getAttribute("aria-disabled"))
      .toBe("false");
    await userEvent.click(one("[data-testid='add-confirm']"));
    await expect.poll(() => backend.added).toEqual([{ ...draft, name: "My notes" }]);
  });
});

describe("a first start in a small window", () => {
  it("offers the first question beside the servers", async () => {
    await size(640, 480);
    const backend = new FakeBackend();
    backend.world = snapshot({ servers: [PRACTICE] });
    await openWindow(backend);
    expect(one("[data-testid='first-question']").getClientRects().length).toBe(1);
    expect(one("[data-testid='server-row']").getClientRects().length).toBe(1);
  });
});

describe("closing the app", () => {
  it("says what would end, and the safe way has the focus", async () => {
    const backend = new FakeBackend();
    await openWindow(backend);
    backend.closing({ waiting: 2, inFlight: 1 });
    await expect.poll(() => textOf("dialog[open] h2")).toBe("Close Countersign?");
    expect(textOf("dialog[open]")).toContain("1 call is with a server right now.");
    expect(textOf("dialog[open]")).toContain("2 questions wait for you and cannot be kept");
    expect(document.activeElement?.getAttribute("data-confirm")).toBe("safe");
    await userEvent.keyboard("{Escape}");
    await expect.poll(() => backend.closed).toEqual([false]);
    expect(all("dialog[open]").length).toBe(0);
    backend.closing({ waiting: 1, inFlight: 0 });
    await expect
      .poll(() => textOf("dialog[open]"))
      .toContain("1 question waits for you and cannot be kept");
    await userEvent.click(one("dialog[open] [data-confirm='go']"));
    expect(backend.closed).toEqual([false, true]);
  });
});
