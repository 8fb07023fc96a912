import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { PAGES_SESSION } from "../../../../src/core/sessions/code-run.ts";
import { CodeProcess, type ProcessOwner } from "../../../../src/tools/sandbox-host/code-process.ts";
import { ProcessPool } from "../../../../src/tools/sandbox-host/process-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-pool-"));
const workerd = join(folder, "program.sh");
writeFileSync(workerd, '#!/bin/sh\necho \'{"event":"listen"}\'\nexec sleep 60\n');
chmodSync(workerd, 0o755);
const pools: ProcessPool[] = [];
const newPool = (): ProcessPool => {
  const own = mkdtempSync(join(folder, "pool-"));
  const made = new ProcessPool(async () => ({ workerd, folder: own, config: "none" }));
  pools.push(made);
  return made;
};
/** A session of a team of its own, unless one is named. */
const session = (sessionId: string, teamId = sessionId): ProcessOwner => ({ sessionId, teamId });
const pages = session(PAGES_SESSION, "");
afterAll(async () => {
  await Promise.all(pools.map((each) => each.close()));
  rmSync(folder, { recursive: true, force: true });
});
const takeOf =
  (from: ProcessPool) =>
  (owner: ProcessOwner, runs: number, waitMs: number): Promise<(CodeProcess | undefined)[]> =>
    Promise.all(Array.from({ length: runs }, () => from.take(owner, waitMs)));
const hadOf =
  (from: ProcessPool) =>
  async (owner: ProcessOwner, runs: number, waitMs: number): Promise<number> =>
    (await takeOf(from)(owner, runs, waitMs)).filter((process) => process !== undefined).length;

test("three runs of a session and its shell have a process at once, and six pages: three of a team, and the first ones of others", async () => {
  const pool = newPool();
  const had = hadOf(pool);
  expect(await Promise.all([had(session("one"), 4, 60_000), had(pages, 6, 60_000)])).toEqual([4, 6]);
  expect(await Promise.all([had(session("one"), 1, 500), had(pages, 1, 500)])).toEqual([0, 0]);
  expect(pool.busy).toBe(10);
});

test("the sessions of one team leave places to other teams, and those of all teams leave the places of pages", async () => {
  const shared = newPool();
  const had = hadOf(shared);
  // A process that read a page is kept while code wants places.
  const [reader] = await takeOf(shared)(pages, 1, 20_000);
  // The program of these tests answers nothing, for which it would be ended.
  if (reader !== undefined) Object.assign(reader, { isBusy: false });
  expect(await Promise.all(["1", "2", "3", "4"].map((id) => had(session(id, "one"), 4, 1_000)))).toEqual([4, 4, 0, 0]);
  const waiting = shared.take(session("5", "one"), 20_000);
  expect(await had(session("6", "other"), 2, 500)).toBe(1);
  expect(await had(session("7", "third"), 1, 500)).toBe(1);
  expect(reader?.isUsable).toBe(true);
  expect(await had(pages, 6, 20_000)).toBe(6);
  await shared.warm(session("8", "fourth"));
  expect(shared.busy).toBe(16);
  // A team that has less at work comes first, though it waits for less time.
  const first = shared.take(session("9", "fifth"), 20_000);
  await sleep(50);
  shared.forget("7");
  expect((await first)?.teamId).toBe("fifth");
  shared.forget("9");
  shared.forget("5");
  expect(await waiting).toBeUndefined();
});

test("a place that becomes free goes to a run of its session, also behind runs of others that wait for longer", async () => {
  const other = newPool();
  const take = (id: string, runs: number) => takeOf(other)(session(id), runs, 20_000);
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
  const last = newPool();
  const ended = session("ended");
  await takeOf(last)(ended, 4, 20_000);
  const waiting = [1, 2].map(() => last.take(ended, 20_000));
  await sleep(50);
  last.forget("ended");
  expect(await Promise.race([Promise.all(waiting), sleep(5_000)])).toEqual([undefined, undefined]);
  await last.warm(ended);
  expect(await last.take(ended, 20_000)).toBeUndefined();
  await vi.waitFor(() => expect(last.busy).toBe(0));
});

test("callers' code gives way to the service and to the reading of pages", async () => {
  const files = { workerd, folder, config: "none" };
  const [code, page] = [true, false].map((givesWay) => new CodeProcess({ ...session("a"), givesWay }, "nice", files));
  try {
    await Promise.all([code?.ready, page?.ready]);
    expect(getPriority(code?.pid) - getPriority(page?.pid)).toBe(Math.min(3, 19 - getPriority()));
  } finally {
    code?.kill();
    page?.kill();
  }
});
