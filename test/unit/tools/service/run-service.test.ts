import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { endOf } from "../../../../src/tools/service/run-service.ts";
import { runWrangler } from "../../../../src/tools/service/wrangler.ts";

test("the end of a service whose folder cannot be removed is reported, with the reason", async () => {
  const written = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const child = new EventEmitter();
  const done: string[] = [];
  const ended = endOf({ child, lastLines: ["last"] }, [
    async () => Promise.reject(new Error("It is in use")),
    async () => void done.push("after"),
  ]);
  child.emit("exit", null, "SIGKILL");
  expect(await ended).toEqual({
    code: null,
    signal: "SIGKILL",
    lastLines: ["last", "The service was not tidied up: Error: It is in use"],
  });
  expect(done).toEqual(["after"]);
  expect(written).toHaveBeenCalledTimes(1);
  written.mockRestore();
});

test("a command of wrangler that takes too long is ended, and says so", async () => {
  const scratchDir = await mkdtemp(join(tmpdir(), "orbweaver-command-"));
  try {
    const late = runWrangler(["d1", "migrations", "list"], { scratchDir, limitMs: 1 });
    await expect(late).rejects.toThrow("wrangler d1 migrations list did not end within 0.001 s");
  } finally {
    await rm(scratchDir, { recursive: true, force: true });
  }
});
