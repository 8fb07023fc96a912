import { describe, expect, test } from "vitest";
import type { CodeRun } from "../../src/core/sessions/code-run.ts";
import { EMPTY_WORKSPACE, type Workspace } from "../../src/core/sessions/workspace.ts";
import type { CodeRunner } from "../../src/ports/sessions/code-runner.ts";

interface ShellAnswer {
  outcome: { stdout: string; stderr: string; exitCode: number };
  workspace: Workspace;
}

/** A run of the shell's program, which needs no browser. */
function shellRun(script: string, { sessionId = "one", workspace = EMPTY_WORKSPACE, limitMs = 20_000 } = {}): CodeRun {
  const runId = crypto.randomUUID();
  const input = { runId, sessionId, timeoutMs: limitMs - 1_000, workspace, script };
  return { runId, sessionId, program: "bash-runner", method: "run", input, limitMs, limitMib: 512 };
}

const noBrowser = (): Promise<Response> => Promise.resolve(new Response("No browser", { status: 403 }));

/** What every way of running code apart from the service has to do. */
export function codeRunnerContract(name: string, makeRunner: () => CodeRunner): void {
  const run = async (runner: CodeRunner, script: string, options?: Parameters<typeof shellRun>[1]) => {
    const ended = await runner.run(shellRun(script, options), noBrowser);
    if (ended.kind === "stopped") throw new Error(`Stopped: ${ended.reason}`);
    return ended.value as ShellAnswer;
  };

  describe(name, () => {
    test("answers what the program answers", async () => {
      const { outcome } = await run(makeRunner(), "echo out; echo error >&2; exit 3");
      expect(outcome).toMatchObject({ stdout: "out\n", stderr: "error\n", exitCode: 3 });
    });

    test("takes and gives back files byte for byte", async () => {
      const bytes = new Uint8Array([0, 1, 255]);
      const file = { path: "/home/user/bytes", mode: 0o644, content: { kind: "file" as const, bytes } };
      const given = { ...EMPTY_WORKSPACE, files: [file] };
      const { workspace } = await run(makeRunner(), "cp bytes copy", { workspace: given });
      const copy = workspace.files.find(({ path }) => path === "/home/user/copy");
      expect(copy?.content).toEqual({ kind: "file", bytes });
    });

    test("keeps nothing of one session for another", async () => {
      const runner = makeRunner();
      await run(runner, "export SECRET=1; echo secret > /tmp/file");
      const { outcome } = await run(runner, 'cat /tmp/file; echo "[$SECRET]"', { sessionId: "two" });
      expect(outcome.stdout).toBe("[]\n");
    });

    test("runs several at once", async () => {
      const runner = makeRunner();
      const many = Array.from({ length: 4 }, (_, at) => run(runner, `echo ${at}`, { sessionId: `of ${at % 2}` }));
      expect((await Promise.all(many)).map(({ outcome }) => outcome.stdout.trim())).toEqual([..."0123"]);
    });

    test("ends work that waits for ever at its limit", async () => {
      const { input, ...others } = shellRun("sleep 60", { limitMs: 1_500 });
      const patient = { ...others, input: { ...(input as object), timeoutMs: 60_000 } };
      expect(await makeRunner().run(patient, noBrowser)).toEqual({ kind: "stopped", reason: "time" });
    });

    test("refuses the browser of another run", async () => {
      const { outcome } = await run(makeRunner(), "agent-browser get url");
      expect(outcome.exitCode).not.toBe(0);
      expect(outcome.stderr).not.toBe("");
    });

    test("throws what the program throws", async () => {
      const broken: CodeRun = { ...shellRun("true"), input: undefined };
      await expect(makeRunner().run(broken, noBrowser)).rejects.toThrow(/undefined/);
    });
  });
}
