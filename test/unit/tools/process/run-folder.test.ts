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

test("removes what a crashed run left", async () => {
  mkdirSync(join(state, "orbweaver", `run-${2 ** 30}-abc`), { recursive: true });
  const folder = await makeRunFolder(state);
  expect(readdirSync(join(state, "orbweaver")).map((name) => join(state, "orbweaver", name))).toEqual([folder]);
});
