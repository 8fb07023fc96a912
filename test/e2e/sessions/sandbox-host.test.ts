import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fromJsonWithBytes, toJsonWithBytes } from "../../../src/core/text/bytes-in-json.ts";
import { readCodeMessage, writeCodeMessage, type CodeRun } from "../../../src/core/sessions/code-run.ts";
import { EMPTY_WORKSPACE } from "../../../src/core/sessions/workspace.ts";
import { buildAssets } from "../../../src/tools/build/build-assets.ts";
import { isRunning, parentOf } from "../../../src/tools/process/process-family.ts";
import { startSandboxHost, type SandboxHost } from "../../../src/tools/sandbox-host/start-sandbox-host.ts";
import { sandboxProcesses } from "./sandbox-processes.ts";
import { shortAndLong } from "../../sample.ts";

let host: SandboxHost;
/** Processes that hosts of earlier files in this lane have left. */
let foreign: readonly number[] = [];
beforeAll(async () => {
  await buildAssets();
  foreign = sandboxProcesses(process.pid);
  host = await startSandboxHost();
});
afterAll(() => host.close());

const ownProcesses = (): number[] => sandboxProcesses(process.pid).filter((pid) => !foreign.includes(pid));

/** Number of processes that run something. */
const busyRuns = async (): Promise<number> => Number(await fetch(`${host.url}/busy`).then((answer) => answer.text()));

interface Ended {
  value: unknown;
  /** What the host says of a process that ended without a value. */
  reason: string;
}

interface RunOptions {
  sessionId?: string;
  limitMs?: number;
}

/** Runs a script of the shell as the service would. */
function runScript(script: string, { sessionId = "one", ...options }: RunOptions = {}): Promise<Ended> {
  const input = { sessionId, timeoutMs: 60_000, workspace: EMPTY_WORKSPACE, script };
  return runProgram({ program: "bash-runner", input }, { sessionId, ...options });
}

/** Runs a program of the sandbox as the service would. */
async function runProgram(
  { input, ...program }: Pick<CodeRun, "program" | "userCode"> & { input: object },
  { sessionId = "one", limitMs = 20_000 }: RunOptions,
): Promise<Ended> {
  const runId = crypto.randomUUID();
  const limits = { limitMs, limitMib: 512 };
  const run: CodeRun = { ...program, ...limits, runId, sessionId, method: "run", input: { ...input, runId } };
  const words = new URLSearchParams({ session: sessionId, run: runId, limitMs: String(limitMs) });
  const socket = new WebSocket(`${host.url.replace("http", "ws")}/run?${words.toString()}`);
  const value = await new Promise((resolve) => {
    socket.addEventListener("open", () => socket.send(writeCodeMessage({ kind: "run", text: toJsonWithBytes(run) })));
    socket.addEventListener("message", ({ data }) => {
      const message = readCodeMessage(String(data));
      if (message?.kind === "done") resolve(fromJsonWithBytes(message.text));
    });
    socket.addEventListener("close", () => resolve(undefined));
    socket.addEventListener("error", () => resolve(undefined));
  });
  socket.close();
  return { value, reason: await fetch(`${host.url}/end?run=${runId}`).then((answer) => answer.text()) };
}

test("runs what it is asked to, in one process for a session and another for the next", async () => {
  expect((await runScript("echo one")).value).toMatchObject({ outcome: { stdout: "one\n", exitCode: 0 } });
  const [first] = ownProcesses();
  // The answer comes a moment before the process is free again.
  await expect.poll(() => busyRuns()).toBe(0);
  await runScript("echo again");
  expect(ownProcesses()).toEqual([first]);
  await runScript("echo two", { sessionId: "two" });
  expect(ownProcesses()).toHaveLength(2);
  await fetch(`${host.url}/forget?session=two`);
  await expect.poll(() => ownProcesses()).toEqual([first]);
});

for (const { tags, entries } of shortAndLong(
  [
    // Without commands: the shell counts those, and may end itself before its time.
    { label: "waits", work: { program: "bash-runner", script: "sleep 60" } },
    { label: "computes", work: { program: "node-runner", userCode: "for (;;);" } },
  ] as const,
  () => false,
))
  test.each(entries)(
    "ends a run that $label at its limit, and says so",
    { tags },
    async ({ label, work: { program, ...code } }) => {
      const sessionId = `late ${label}`;
      const input = { ...code, sessionId, timeoutMs: 60_000, workspace: EMPTY_WORKSPACE };
      const ended = await runProgram({ program, input, ...code }, { sessionId, limitMs: 1_000 });
      expect(ended).toEqual({ value: undefined, reason: "time" });
      expect((await runScript("echo on", { sessionId })).value).toMatchObject({ outcome: { stdout: "on\n" } });
    },
  );

test("reports a crash when a process was killed from outside, and starts another", async () => {
  const before = new Set(ownProcesses());
  // No process of an earlier try: the session's second one would take a run.
  const session = { sessionId: crypto.randomUUID() };
  const busy = (): Promise<string> => fetch(`${host.url}/busy`).then((answer) => answer.text());
  // A process that ends while it starts is replaced, and its run goes on: this one has run a script before.
  await runScript("echo on", session);
  await expect.poll(busy).toBe("0");
  const started = ownProcesses().filter((pid) => !before.has(pid));
  expect(started).toHaveLength(1);
  const running = runScript("sleep 20", session);
  await expect.poll(busy).toBe("1");
  for (const pid of started) process.kill(pid, "SIGKILL");
  expect(await running).toEqual({ value: undefined, reason: "crash" });
  expect((await runScript("echo on", session)).value).toMatchObject({ outcome: { stdout: "on\n" } });
});

test("answers nobody who does not know its secret", async () => {
  const { origin } = new URL(host.url);
  expect((await fetch(`${origin}/end`)).status).toBe(404);
  expect((await fetch(`${origin}/${"0".repeat(48)}/end`)).status).toBe(404);
  const socket = new WebSocket(`${origin.replace("http", "ws")}/${"0".repeat(48)}/run?session=a&run=b&limitMs=1000`);
  expect(await new Promise((resolve) => socket.addEventListener("error", () => resolve("refused")))).toBe("refused");
});

test("leaves no process behind when it is closed, nor when its program is killed", async () => {
  const module = join(import.meta.dirname, "../../../src/tools/sandbox-host/start-sandbox-host.ts");
  const program = `const { startSandboxHost } = await import(${JSON.stringify(module)});
    const host = await startSandboxHost();
    await fetch(host.url + "/warm?session=s");
    setInterval(() => {}, 1000);`;
  const other = spawn(process.execPath, ["--input-type=module", "-e", program], { stdio: "ignore" });
  await expect.poll(() => sandboxProcesses(other.pid ?? 0)).toHaveLength(1);
  const orphans = sandboxProcesses(other.pid ?? 0);
  other.kill("SIGKILL");
  await expect.poll(() => orphans.filter(isRunning)).toEqual([]);
  const mine = ownProcesses();
  expect(mine).not.toEqual([]);
  const keepers = mine.map(parentOf).filter((pid) => pid !== undefined);
  await host.close();
  expect([...mine, ...keepers].filter(isRunning)).toEqual([]);
  host = await startSandboxHost();
});

test("hosts that one program starts prepare their files at the same moment", { tags: ["long"] }, async () => {
  const first = host;
  const hosts = await Promise.all(Array.from({ length: 4 }, () => startSandboxHost()));
  try {
    await Promise.all(hosts.map(({ url }) => fetch(`${url}/warm?session=one`)));
    const found = await Promise.all(hosts.map(({ url }) => fetch(`${url}/warm?session=two`)));
    expect(found.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const other of hosts) {
      host = other;
      expect((await runScript("echo here", { sessionId: "two" })).value).toMatchObject({
        outcome: { stdout: "here\n", exitCode: 0 },
      });
    }
  } finally {
    host = first;
    for (const other of hosts) await other.close();
  }
});
