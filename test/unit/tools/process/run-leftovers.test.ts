import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isRunning } from "../../../../src/tools/process/process-family.ts";
import { makeRunFolder } from "../../../../src/tools/process/run-folder.ts";
import {
  makeOwnedFolder,
  makeTemporaryFolder,
  markedProcesses,
  removeLeftovers,
} from "../../../../src/tools/process/run-leftovers.ts";

let state: string;
const started: number[] = [];
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "leftovers-"));
});
afterEach(() => {
  for (const pid of started.splice(0)) if (isRunning(pid)) process.kill(pid, "SIGKILL");
  rmSync(state, { recursive: true });
});

function idle(env: Record<string, string>, ...words: string[]): number {
  const program = ["-e", "setInterval(() => {}, 1000)", "--", ...words];
  const child = spawn(process.execPath, program, { env: { PATH: process.env["PATH"], ...env }, stdio: "ignore" });
  child.unref();
  started.push(child.pid ?? 0);
  return child.pid ?? 0;
}

describe.runIf(process.platform === "linux")("what a crashed run leaves", () => {
  test("its processes are ended at the next start and its temporary files removed; other runs keep theirs", async () => {
    const crashed = join(state, "orbweaver", `run-${2 ** 30}-abc`);
    const other = join(state, "other");
    mkdirSync(crashed, { recursive: true });
    mkdirSync(other);
    const [mine, others] = [makeTemporaryFolder(crashed), makeTemporaryFolder(other)];
    writeFileSync(join(mine.folder, "file"), "");
    const marked = idle(mine.env);
    const browser = idle({}, `--user-data-dir=${mine.folder}/miniflare-1/browser-rendering/profile-1`);
    const foreign = idle(others.env);
    const reader = idle({}, join(mine.folder, "file"));
    await expect.poll(() => markedProcesses(mine.folder).toSorted()).toEqual([marked, browser].toSorted());

    const folder = await makeRunFolder(state);
    expect([marked, browser, foreign, reader].map(isRunning)).toEqual([false, false, true, true]);
    expect(existsSync(mine.folder)).toBe(false);
    expect(existsSync(others.folder)).toBe(true);
    expect(existsSync(crashed)).toBe(false);
    await removeLeftovers(other);
    expect(existsSync(others.folder)).toBe(false);
    expect(isRunning(foreign)).toBe(false);
    rmSync(folder, { recursive: true });
  });

  test("of a process that is killed its folder goes with the next one that anybody makes, with what runs in it", async () => {
    const module = JSON.stringify(new URL("../../../../src/tools/process/run-leftovers.ts", import.meta.url).href);
    const program = `const { makeOwnedFolder } = await import(${module});
      console.log(makeOwnedFolder("test")); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(owner.pid ?? 0);
    const abandoned = await new Promise<string>((resolve) =>
      owner.stdout.once("data", (line) => resolve(`${line}`.trim())),
    );
    const browser = idle({}, `--user-data-dir=${abandoned}/profile-1`);
    await expect.poll(() => markedProcesses(abandoned)).toEqual([browser]);

    const own = makeOwnedFolder("test");
    expect(existsSync(abandoned)).toBe(true);
    process.kill(owner.pid ?? 0, "SIGKILL");
    await expect.poll(() => isRunning(owner.pid ?? 0)).toBe(false);
    const next = makeOwnedFolder("test");
    expect([abandoned, own, next].map((folder) => existsSync(folder))).toEqual([false, true, true]);
    await expect.poll(() => isRunning(browser)).toBe(false);
    for (const folder of [own, next]) rmSync(folder, { recursive: true });
  });

  test("a link that leads elsewhere is not followed", async () => {
    const run = join(state, "run");
    mkdirSync(run);
    mkdirSync(join(state, "precious"));
    symlinkSync(join(state, "precious"), join(run, "temporary"));
    await removeLeftovers(run);
    expect(existsSync(join(state, "precious"))).toBe(true);
  });
});
