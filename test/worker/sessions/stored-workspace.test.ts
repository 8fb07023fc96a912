import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import type { SavedFile, Workspace } from "../../../src/core/sessions/workspace.ts";
import { StoredWorkspace } from "../../../src/platform/sessions/stored-workspace.ts";

const MB = 1_000_000;

function file(path: string, bytes: number): SavedFile {
  return { path, mode: 0o644, content: { kind: "file", bytes: new Uint8Array(bytes) } };
}

/** A snapshot of so many links, each with a name of 100 characters. */
function workspace(links: number, files: SavedFile[]): Workspace {
  const refs = Object.fromEntries(
    Array.from({ length: links }, (_, at) => [
      `e${at}`,
      { role: "link", name: `${at} ${"ü".repeat(100)}`, nth: 0, frames: [] },
    ]),
  );
  return { files, browser: { refs, activeTargetId: "tab", tabs: ["tab"] } };
}

test("what does not fit into a value of 2 MB stays in memory, and the rest of the workspace is stored", async () => {
  await runInDurableObject(env.BROWSER_SESSION.getByName("workspace"), (_, { storage }) => {
    const stored = new StoredWorkspace(storage.kv);
    const large = workspace(20_000, [file("/small", MB), file("/large", 3 * MB), file(`/${"p".repeat(2 * MB)}`, 1)]);
    stored.keep(large);
    expect(stored.get()).toBe(large);
    const afterEviction = new StoredWorkspace(storage.kv).get();
    expect(afterEviction.files.map(({ path }) => path)).toEqual(["/small"]);
    expect(afterEviction.browser).toEqual({ refs: {}, activeTargetId: "tab", tabs: ["tab"] });
    stored.keep(workspace(2_000, []));
    expect(Object.keys(new StoredWorkspace(storage.kv).get().browser.refs)).toHaveLength(2_000);
  });
});

test("of a file that has become too large to store, no older version is left", async () => {
  await runInDurableObject(env.BROWSER_SESSION.getByName("grown"), (_, { storage }) => {
    const stored = new StoredWorkspace(storage.kv);
    const pathsAfterEviction = (): string[] => new StoredWorkspace(storage.kv).get().files.map(({ path }) => path);
    stored.keep(workspace(0, [file("/log", MB), file("/other", 1)]));
    expect(pathsAfterEviction()).toEqual(["/log", "/other"]);
    stored.keep(workspace(0, [file("/log", 2 * MB), file("/other", 1)]));
    expect(pathsAfterEviction()).toEqual(["/other"]);
    stored.keep(workspace(0, [file("/log", MB - 1), file("/other", 1)]));
    expect(pathsAfterEviction()).toEqual(["/log", "/other"]);
  });
});
