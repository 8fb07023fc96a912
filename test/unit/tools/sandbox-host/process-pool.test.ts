import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { PAGES_SESSION } from "../../../../src/core/sessions/code-run.ts";
import { ProcessPool } from "../../../../src/tools/sandbox-host/process-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-pool-"));
const workerd = join(folder, "program.sh");
writeFileSync(workerd, '#!/bin/sh\necho \'{"event":"listen"}\'\nexec sleep 60\n');
chmodSync(workerd, 0o755);
const pool = new ProcessPool(async () => ({ workerd, folder, config: "none" }));
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

test("three runs of a session have a process at once, and six pages: three of a team, and the first ones of others", async () => {
  const had = async (session: string, runs: number, waitMs: number): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: runs }, () => pool.take(session, waitMs)));
    return taken.filter((process) => process !== undefined).length;
  };
  expect(await Promise.all([had("a session", 3, 60_000), had(PAGES_SESSION, 6, 60_000)])).toEqual([3, 6]);
  expect(await Promise.all([had("a session", 1, 500), had(PAGES_SESSION, 1, 500)])).toEqual([0, 0]);
  expect(pool.busy).toBe(9);
});
