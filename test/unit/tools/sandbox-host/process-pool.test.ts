import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { PAGES_SESSION } from "../../../../src/core/sessions/code-run.ts";
import type { CodeProcess } from "../../../../src/tools/sandbox-host/code-process.ts";
import { ProcessPool } from "../../../../src/tools/sandbox-host/process-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-pool-"));
const workerd = join(folder, "program.sh");
writeFileSync(workerd, '#!/bin/sh\necho \'{"event":"listen"}\'\nexec sleep 60\n');
chmodSync(workerd, 0o755);
const newPool = (name: string): ProcessPool => {
  mkdirSync(join(folder, name));
  return new ProcessPool(async () => ({ workerd, folder: join(folder, name), config: "none" }));
};
const pool = newPool("first");
const other = newPool("other");
const last = newPool("last");
afterAll(async () => {
  await Promise.all([pool.close(), other.close(), last.close()]);
  rmSync(folder, { recursive: true, force: true });
});

test("three runs of a session and its shell have a process at once, and six pages: three of a team, and the first ones of others", async () => {
  const had = async (session: string, runs: number, waitMs: number): Promise<number> => {
    const taken = await Promise.all(Array.from({ length: runs }, () => pool.take(session, waitMs)));
    return taken.filter((process) => process !== undefined).length;
  };
  expect(await Promise.all([had("a session", 4, 60_000), had(PAGES_SESSION, 6, 60_000)])).toEqual([4, 6]);
  expect(await Promise.all([had("a session", 1, 500), had(PAGES_SESSION, 1, 500)])).toEqual([0, 0]);
  expect(pool.busy).toBe(10);
});

test("a place that becomes free goes to a run of its session, also behind runs of others that wait for longer", async () => {
  const take = (session: string, runs: number): Promise<(CodeProcess | undefined)[]> =>
    Promise.all(Array.from({ length: runs }, () => other.take(session, 20_000)));
  const [, [first]] = await Promise.all([take("one", 4), take("another", 4)]);
  const waiting = take("one", 2);
  const next = take("another", 1);
  // All three wait.
  await sleep(100);
  if (first !== undefined) await other.giveBack(first);
  expect((await Promise.race([next, sleep(5_000, [])])).length).toBe(1);
  await other.close();
  expect(await waiting).toEqual([undefined, undefined]);
});

test("a session that has ended gets no process any more, and its runs that wait end", async () => {
  await Promise.all(Array.from({ length: 4 }, () => last.take("ended", 20_000)));
  const waiting = [1, 2].map(() => last.take("ended", 20_000));
  await sleep(50);
  last.forget("ended");
  expect(await Promise.race([Promise.all(waiting), sleep(5_000)])).toEqual([undefined, undefined]);
  await last.warm("ended");
  expect(await last.take("ended", 20_000)).toBeUndefined();
  expect(last.busy).toBe(0);
});
