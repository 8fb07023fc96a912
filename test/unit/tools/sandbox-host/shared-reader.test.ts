import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { SharedReader } from "../../../../src/tools/sandbox-host/shared-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "orbweaver-reader-"));
const workerd = join(folder, "program.sh");
const starts = join(folder, "starts");
// Notes its start, and where it is to listen.
writeFileSync(workerd, `#!/bin/sh\necho "$4" >> ${starts}\necho '{"event":"listen"}'\nexec sleep 60\n`);
chmodSync(workerd, 0o755);
const readers: SharedReader[] = [];
const makeReader = (idleLimitMs?: number): SharedReader => {
  const reader = new SharedReader(async () => ({ workerd, folder, config: "none" }), { idleLimitMs, lookMs: 20 });
  readers.push(reader);
  return reader;
};
const started = (): string[] => (existsSync(starts) ? readFileSync(starts, "utf8").trim().split("\n") : []);

afterEach(async () => {
  await Promise.all(readers.splice(0).map((reader) => reader.close()));
  rmSync(starts, { force: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("one process is started for all who ask, and another one after its end, at the same place", async () => {
  const reader = makeReader();
  expect(await Promise.all([reader.start(), reader.start(), reader.start()])).toEqual([true, true, true]);
  expect(started()).toHaveLength(1);
  await reader.end();
  expect(await reader.start()).toBe(true);
  expect(started()).toEqual(Array(2).fill(`--socket-addr=main=unix:${join(folder, "reader.sock")}`));
});

test("a process without work is ended", async () => {
  const reader = makeReader(2_000);
  await reader.start();
  await vi.waitFor(() => expect(reader.isRunning).toBe(false), 30_000);
  expect(await reader.start()).toBe(true);
  expect(started()).toHaveLength(2);
});

test("nothing is started after the end", async () => {
  const reader = makeReader();
  await reader.close();
  expect(await reader.start()).toBe(false);
  expect(started()).toEqual([]);
});
