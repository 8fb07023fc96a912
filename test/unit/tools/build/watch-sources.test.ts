import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { watchSources } from "../../../../src/tools/build/watch-sources.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "watch-"));
  await mkdir(join(folder, "page"));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

test("builds after each change, also after a build that failed, until it is closed", async () => {
  const logged: string[] = [];
  let builds = 0;
  const close = watchSources({
    folders: [folder],
    build: async () => {
      if (++builds === 1) throw new Error("a syntax error");
    },
    log: (message) => void logged.push(message),
  });
  try {
    await writeFile(join(folder, "page", "script.ts"), "one");
    await expect.poll(() => logged).toEqual(["The build failed: Error: a syntax error"]);
    const before = builds;
    await writeFile(join(folder, "page", "script.ts"), "two");
    await expect.poll(() => builds).toBeGreaterThan(before);
  } finally {
    close();
  }
  const atEnd = builds;
  await writeFile(join(folder, "page", "script.ts"), "three");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(builds).toBe(atEnd);
});
