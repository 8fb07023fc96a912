import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { isRunning, parentOf, ProcessFamily } from "../../../../src/tools/process/process-family.ts";
import { given } from "../../../fakes/given.ts";

let shell: ChildProcess | undefined;
afterEach(() => {
  shell?.kill("SIGKILL");
});

/** A shell with a child that lives on when the shell is killed. */
async function startFamily(): Promise<{ parent: number; child: number }> {
  shell = spawn("sh", ["-c", "sleep 60 & echo $!; wait"], { stdio: ["ignore", "pipe", "ignore"] });
  const [chunk] = (await once(given(shell.stdout), "data")) as [Buffer];
  return { parent: given(shell.pid), child: Number(chunk.toString()) };
}

describe.runIf(process.platform !== "win32")("ProcessFamily", () => {
  test("knows the processes below another, and their parents", async () => {
    const { parent, child } = await startFamily();
    expect(new ProcessFamily(parent).alive().toSorted()).toEqual([parent, child].toSorted());
    expect(parentOf(child)).toBe(parent);
    expect(parentOf(parent)).toBe(process.pid);
  });

  test("ends also those whose parent was killed before", async () => {
    const { parent, child } = await startFamily();
    const family = new ProcessFamily(parent);
    given(shell).kill("SIGKILL");
    await once(given(shell), "exit");
    expect(isRunning(child)).toBe(true);
    family.kill();
    await expect.poll(() => isRunning(child)).toBe(false);
    expect(family.alive()).toEqual([]);
  });

  test("is empty for a process that does not exist", () => {
    expect(new ProcessFamily(2 ** 30).alive()).toEqual([]);
  });
});
