import { expect, test } from "vitest";
import type { ExecutionOutcome, ExecutionRequest } from "../../../../src/core/sessions/execution.ts";
import type { CodeEnd, CodeRun } from "../../../../src/core/sessions/code-run.ts";
import { EMPTY_WORKSPACE } from "../../../../src/core/sessions/workspace.ts";
import type { StoredWorkspace } from "../../../../src/platform/sessions/stored-workspace.ts";
import type { OpenBrowserConnection } from "../../../../src/ports/sessions/code-runner.ts";
import { SessionRuns } from "../../../../src/platform/sessions/session-runs.ts";

const nothing = () => Promise.resolve();

/** Runs whose runner answers as it is told. */
function runsThatEnd(
  end: CodeEnd | ((open: OpenBrowserConnection, runId: string) => Promise<CodeEnd>),
  binding?: Fetcher,
  { codeRuns = 8, ready = nothing }: { codeRuns?: number; ready?: () => Promise<unknown> } = {},
) {
  const calls: CodeRun[] = [];
  const stopped: string[] = [];
  const kept = { get: () => EMPTY_WORKSPACE, keep: () => undefined } as unknown as StoredWorkspace;
  const runs = new SessionRuns({
    binding: binding as Fetcher,
    ready,
    runner: {
      codeRuns,
      run: (run, open) => {
        calls.push(run);
        return typeof end === "function" ? end(open, run.runId) : Promise.resolve(end);
      },
      warmUp: nothing,
      forget: nothing,
    },
    guard: {
      whenIntercepted: () => Promise.resolve(true),
      mayRequest: () => Promise.resolve(true),
      onCommand: () => undefined,
      onLeft: () => undefined,
    },
    stopScripts: async () => {
      await new Promise(setImmediate);
      stopped.push("pages");
    },
    sessionId: "s",
    teamId: "t",
    browserSessionId: "b",
    workspace: kept,
  });
  const outcomeOf = async (request: ExecutionRequest): Promise<ExecutionOutcome> => {
    const worked = await runs.execute(request);
    return worked.kind === "done" ? worked.value : expect.fail(`The run was not begun: ${worked.kind}`);
  };
  return { runs, calls, stopped, outcomeOf };
}

test.each([
  { reason: "time", exitCode: 124, killed: true, stderr: "The code was stopped after 2 s.\n" },
  { reason: "memory", exitCode: 137, killed: true, stderr: "The code was stopped: it took too much memory.\n" },
  {
    reason: "crash",
    exitCode: 137,
    killed: false,
    stderr: "The process that ran the code ended unexpectedly. Run it again.\n",
  },
] as const)("code that ended by $reason answers exit code $exitCode", async ({ reason, ...told }) => {
  for (const language of ["node", "bash"] as const) {
    const { outcomeOf, stopped } = runsThatEnd({ kind: "stopped", reason });
    const outcome = await outcomeOf({ language, code: "1", timeoutMs: 2_000 });
    expect(outcome).toEqual({ ...told, stdout: "", result: undefined });
    expect(stopped).toEqual(told.killed ? ["pages"] : []);
  }
});

test.each(["node", "bash"] as const)(
  "code in %s for which no process became free is refused, and can be sent again",
  async (language) => {
    const { runs, calls } = runsThatEnd({ kind: "stopped", reason: "busy" });
    expect(await runs.execute({ language, code: "1", timeoutMs: 2_000 })).toEqual({ kind: "busy" });
    expect(calls).toMatchObject([{ sessionId: "s", teamId: "t" }]);
  },
);

test("what a program says of the caller's code is read with care", async () => {
  const value = { stdout: "x".repeat(1_000_001), stderr: 5, result: {}, exitCode: "0", killed: 1 };
  const { outcomeOf } = runsThatEnd({ kind: "done", value });
  const outcome = await outcomeOf({ language: "node", code: "1", timeoutMs: 2_000 });
  expect(outcome.stdout.endsWith("[output cut: more than 1 MB]\n")).toBe(true);
  expect(outcome).toMatchObject({ stderr: "", exitCode: 1, killed: false });
  expect(outcome.result).toBeUndefined();
});

test("code that is no program is never run", async () => {
  const { outcomeOf, calls } = runsThatEnd({ kind: "stopped", reason: "time" });
  expect((await outcomeOf({ language: "node", code: "let = ;", timeoutMs: 1_000 })).stderr).toContain("SyntaxError");
  expect(calls).toEqual([]);
});

test.each([8, 3])(
  "of runs that are asked for at once, the %i of their runner are at work, and the others follow",
  async (codeRuns) => {
    const open: ((end: CodeEnd) => void)[] = [];
    const { runs, calls } = runsThatEnd(() => new Promise<CodeEnd>((resolve) => open.push(resolve)), undefined, {
      codeRuns,
    });
    const asked = Array.from({ length: 20 }, () => runs.execute({ language: "node", code: "1", timeoutMs: 2_000 }));
    await new Promise(setImmediate);
    expect(calls).toHaveLength(codeRuns);
    for (let ended = 1; ended <= 20; ended++) {
      open.shift()?.({ kind: "stopped", reason: "busy" });
      await new Promise(setImmediate);
      expect(calls).toHaveLength(Math.min(20, codeRuns + ended));
    }
    expect(await Promise.all(asked)).toHaveLength(20);
  },
);

test("a connection that opens after its run has ended is closed", async () => {
  const opened = Promise.withResolvers<object>();
  const done: string[] = [];
  const webSocket = { accept: () => done.push("accepted"), close: (code: number) => done.push(`closed ${code}`) };
  // Node has no answer with a WebSocket: the cast is of what is read of one.
  const binding = { fetch: () => opened.promise } as unknown as Fetcher;
  let connecting: Promise<Response> | undefined;
  const { runs } = runsThatEnd(async (open, runId) => {
    const headers = { upgrade: "websocket" };
    connecting = open(new Request(`https://browser/v1/devtools/browser/${runId}`, { headers }));
    return { kind: "stopped", reason: "busy" };
  }, binding);
  await runs.execute({ language: "node", code: "1", timeoutMs: 2_000 });
  opened.resolve({ webSocket, status: 101 });
  expect((await connecting)?.status).toBe(403);
  expect(done).toEqual(["accepted", "closed 1000"]);
});

test.each(["bash", "node"] as const)("no run of %s begins after its session has ended", async (language) => {
  const open: ((end: CodeEnd) => void)[] = [];
  const { runs, calls } = runsThatEnd(() => new Promise<CodeEnd>((resolve) => open.push(resolve)));
  const execute = () => runs.execute({ language, code: "1", timeoutMs: 300_000 });
  const asked = Array.from({ length: 20 }, execute);
  const commands = [runs.command(["help"], 1_000), runs.command(["help"], 1_000)];
  await new Promise(setImmediate);
  const begun = calls.length;
  runs.cutAll();
  // Those that wait are answered at once, while others are still at work.
  const waiting = [...asked.slice(language === "bash" ? 1 : 8), ...commands.slice(1)];
  expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(["ended"]));
  for (const end of open) end({ kind: "stopped", reason: "crash" });
  await Promise.all([...asked, ...commands]);
  expect(await execute()).toEqual({ kind: "ended" });
  expect(calls).toHaveLength(begun);
});

test.each(["bash", "node"] as const)(
  "a run of %s that waits for a process when its session ends has not begun",
  async (language) => {
    const open: ((end: CodeEnd) => void)[] = [];
    const { runs } = runsThatEnd(() => new Promise<CodeEnd>((resolve) => open.push(resolve)));
    const asked = [runs.execute({ language, code: "1", timeoutMs: 2_000 })];
    if (language === "node") asked.push(runs.execute({ language, code: "1", timeoutMs: 2_000 }));
    await new Promise(setImmediate);
    runs.cutAll();
    open[0]?.({ kind: "stopped", reason: "busy" });
    // This one was at work.
    open[1]?.({ kind: "stopped", reason: "crash" });
    expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual(["ended", "done"].slice(0, asked.length));
  },
);

test("runs that wait until their session is ready are counted, and end with it", async () => {
  const replayed = Promise.withResolvers<void>();
  const { runs, calls } = runsThatEnd({ kind: "stopped", reason: "crash" }, undefined, {
    ready: () => replayed.promise,
  });
  const execute = () => runs.execute({ language: "node", code: "1", timeoutMs: 2_000 });
  const waiting = Array.from({ length: 50 }, execute);
  expect(await execute()).toEqual({ kind: "busy" });
  expect(calls).toEqual([]);
  replayed.resolve();
  expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(["done"]));
  const other = runsThatEnd({ kind: "stopped", reason: "crash" }, undefined, {
    ready: () => new Promise(() => undefined),
  });
  const ended = other.runs.command(["help"], 1_000);
  other.runs.cutAll();
  expect(await ended).toEqual({ kind: "ended" });
});

test("of a session, 50 runs wait, and a further one is refused", async () => {
  const open: ((end: CodeEnd) => void)[] = [];
  const { runs } = runsThatEnd(() => new Promise<CodeEnd>((resolve) => open.push(resolve)));
  const execute = () => runs.execute({ language: "bash", code: "1", timeoutMs: 300_000 });
  const first = execute();
  await new Promise(setImmediate);
  const waiting = Array.from({ length: 50 }, execute);
  expect(await execute()).toEqual({ kind: "busy" });
  expect(await runs.command(["help"], 1_000)).toEqual({ kind: "busy" });
  open[0]?.({ kind: "stopped", reason: "crash" });
  expect(await first).toMatchObject({ kind: "done" });
  await new Promise(setImmediate);
  waiting.push(execute());
  runs.cutAll();
  open[1]?.({ kind: "stopped", reason: "crash" });
  expect((await Promise.all(waiting)).map(({ kind }) => kind)).toEqual(["done", ...Array<string>(50).fill("ended")]);
});

test("no connection opens for a run whose session has ended", async () => {
  const done: string[] = [];
  const opened = Promise.withResolvers<object>();
  const webSocket = { accept: () => done.push("accepted"), close: (code: number) => done.push(`closed ${code}`) };
  // Node has no answer with a WebSocket: the cast is of what is read of one.
  const binding = { fetch: () => opened.promise } as unknown as Fetcher;
  const statuses: number[] = [];
  const { runs } = runsThatEnd(async (open, runId) => {
    const ask = () =>
      open(new Request(`https://browser/v1/devtools/browser/${runId}`, { headers: { upgrade: "websocket" } }));
    const connecting = ask();
    runs.cutAll();
    opened.resolve({ webSocket, status: 101 });
    for (const response of [await connecting, await ask()]) statuses.push(response.status);
    return { kind: "stopped", reason: "crash" };
  }, binding);
  await runs.execute({ language: "node", code: "1", timeoutMs: 2_000 });
  expect(statuses).toEqual([403, 403]);
  expect(done).toEqual(["accepted", "closed 1000"]);
});
