import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { endProcesses, isRunning, parentOf, ProcessFamily } from "../../../../src/tools/process/process-family.ts";
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

  test("knows from look to look who came, also below those that came before, and who is gone", async () => {
    const program = "read line; sleep 60 & echo $!; read line; sh -c 'sleep 60 & echo $!; wait' & wait";
    shell = spawn("sh", ["-c", program], { stdio: ["pipe", "pipe", "ignore"] });
    const { stdin, stdout, pid } = shell;
    const family = new ProcessFamily(given(pid));
    expect(family.alive()).toEqual([pid]);
    const born: number[] = [];
    for (const generation of [1, 2]) {
      given(stdin).write("\n");
      const [chunk] = (await once(given(stdout), "data")) as [Buffer];
      born.push(Number(chunk.toString()));
      family.look();
      family.look();
      expect(family.alive()).toEqual(expect.arrayContaining([given(pid), ...born]));
      // The second one is below a shell of its own.
      expect(family.alive()).toHaveLength(generation === 1 ? 2 : 4);
    }
    process.kill(given(born[0]), "SIGKILL");
    await expect.poll(() => family.alive()).not.toContain(born[0]);
    await family.end();
    expect(family.alive()).toEqual([]);
    expect(born.filter(isRunning)).toEqual([]);
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

  test("has no member that runs once its end is awaited", async () => {
    const program =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 60 & done; echo started; wait";
    shell = spawn("sh", ["-c", program], { stdio: ["ignore", "pipe", "ignore"] });
    await once(given(shell.stdout), "data");
    const family = new ProcessFamily(given(shell.pid));
    expect(family.alive()).toHaveLength(21);
    await family.end();
    expect(family.alive()).toEqual([]);
  });

  test("ends also what is found while the others end, and waits for each that it has found", async () => {
    const { parent, child } = await startFamily();
    const found = [[child], [parent], []];
    await endProcesses(() => found.shift() ?? []);
    expect([parent, child].filter(isRunning)).toEqual([]);
  });

  test("is empty for a process that does not exist", () => {
    expect(new ProcessFamily(2 ** 30).alive()).toEqual([]);
  });
});
