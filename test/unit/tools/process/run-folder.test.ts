import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeRunFolder } from "../../../../src/tools/process/run-folder.ts";

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "run-folder-"));
});
afterEach(() => rmSync(state, { recursive: true }));

test("is for this user only", async () => {
  expect(statSync(await makeRunFolder(state)).mode & 0o777).toBe(0o700);
});

test("says who uses the state already, and what to do", async () => {
  await makeRunFolder(state);
  await expect(makeRunFolder(state)).rejects.toThrow(
    new RegExp(`Another service \\(process ${process.pid}\\) stores its data in .*--persist DIR`),
  );
});

test("says so of a process that made its folder without its start", async () => {
  mkdirSync(join(state, "orbweaver", `run-${process.ppid}-abcdef`), { recursive: true });
  await expect(makeRunFolder(state)).rejects.toThrow(`Another service (process ${process.ppid})`);
});

test.each([
  ["whose process is gone", `run-${2 ** 30}-abcdef`],
  ["whose process had the number of this one", `run-${process.pid}-abcdef`],
  ["whose process had the number of this one, and started before", `run-${process.pid}-1-abcdef`],
  ["whose process had the number of another one, and started before", `run-${process.ppid}-1-abcdef`],
])("removes what a crashed run left %s", async (_, left) => {
  mkdirSync(join(state, "orbweaver", left), { recursive: true });
  const folder = await makeRunFolder(state);
  expect(readdirSync(join(state, "orbweaver")).map((name) => join(state, "orbweaver", name))).toEqual([folder]);
});
