import { describe, expect, it } from "vitest";
import { FakeBackend } from "../dev/fake";
import { ask, LOST } from "../dev/fixtures";
import type { KeepingAct } from "../src/lib/wire";
import { all, one, openWindow, said, textOf, userEvent } from "./desk";

function lost(): FakeBackend {
  const backend = new FakeBackend().put(ask());
  backend.world = { ...backend.world, keeping: LOST };
  return backend;
}

describe("where questions are kept", () => {
  it("says nothing while they are kept", async () => {
    await openWindow(new FakeBackend().put(ask()));
    await expect.poll(() => all("[data-testid='ask-row']").length).toBe(1);
    expect(all("[data-testid='keeping']")).toEqual([]);
  });

  it("says that they are lost on quit, and why", async () => {
    await openWindow(lost());
    await expect.poll(() => textOf("[data-testid='keeping'] p")).toBe(LOST.words);
    expect(all("[data-keeping]").map((button) => button.textContent?.trim())).toEqual([
      "Try again",
      "Keep the key in a file…",
      "Keep nothing",
    ]);
  });

  it("makes a key file only after saying what it protects from", async () => {
    const backend = lost();
    backend.keep = () => {
      backend.world = {
        ...backend.world,
        keeping: { state: "kept_by_file", words: null, acts: [] },
      };
    };
    await openWindow(backend);
    await userEvent.click(one("[data-keeping='use_key_file']"));
    expect(textOf("dialog")).toContain("from other accounts of this computer only");
    await userEvent.click(one("[data-confirm='safe']"));
    expect(backend.keepingActs).toEqual([]);
    await userEvent.click(one("[data-keeping='use_key_file']"));
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => all("[data-testid='keeping']").length).toBe(0);
    expect(backend.keepingActs).toEqual(["use_key_file"]);
  });

  it("tells why it still cannot", async () => {
    const backend = lost();
    backend.keep = () => {
      throw { code: "not_possible", message: "The key store is locked." };
    };
    await openWindow(backend);
    await userEvent.click(one("[data-keeping='try_again']"));
    await expect
      .poll(() => textOf("[data-testid='keeping'] [role='status']"))
      .toBe("The key store is locked.");
  });

  it("leaves a way on where beginning anew failed, says why once and keeps the place", async () => {
    const backend = lost();
    const gone: KeepingAct[] = ["try_again", "begin_anew", "stay_in_memory"];
    backend.world = { ...backend.world, keeping: { ...LOST, acts: gone } };
    backend.keep = (act) => {
      const why = "The folder /data cannot be written.";
      const words = `Questions, drafts and history will be lost on quit. ${why}`;
      const acts: KeepingAct[] = ["try_again", "stay_in_memory"];
      backend.world = { ...backend.world, keeping: { ...LOST, words, acts } };
      if (act === "begin_anew") throw { code: "not_possible", message: why };
    };
    await openWindow(backend);
    await userEvent.click(one("[data-keeping='begin_anew']"));
    await userEvent.click(one("[data-confirm='go']"));
    await expect.poll(() => all("[data-keeping='begin_anew']").length).toBe(0);
    expect(textOf("[data-testid='keeping']").match(/cannot be written/g)?.length).toBe(1);
    await userEvent.click(one("[data-keeping='try_again']"));
    await expect.poll(() => said()).toContain("The folder /data cannot be written.");
    expect(document.activeElement).toBe(one("[data-keeping='try_again']"));
    expect(backend.keepingActs).toEqual(["begin_anew", "try_again"]);
  });
});
