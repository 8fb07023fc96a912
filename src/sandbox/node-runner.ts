import { WorkerEntrypoint } from "cloudflare:workers";
import { TIMEOUT_EXIT_CODE, type ExecutionOutcome } from "../core/sessions/execution.ts";
import type { SessionViewport } from "../core/sessions/browser-session.ts";
import { CapturedOutput } from "./captured-output.ts";
import { openBrowser, type BrowserBinding, type OpenBrowser } from "./open-browser.ts";
import { toResult } from "./to-result.ts";
// The caller's code, put beside this program when the isolate is made.
import runCode from "./user-code.js";

interface Run {
  runId: string;
  timeoutMs: number;
  activeTargetId: string | undefined;
  viewport: SessionViewport | undefined;
}

const OVERTIME = Symbol("overtime");

/** Runs the code that this isolate was made for, once, with Playwright on the session's browser. */
export default class NodeRunner extends WorkerEntrypoint<{ BROWSER: BrowserBinding }> {
  async run({ runId, timeoutMs, ...tab }: Run): Promise<ExecutionOutcome> {
    const output = new CapturedOutput();
    const endMs = Date.now() + timeoutMs;
    let opened: OpenBrowser | undefined;
    try {
      opened = await inTime(openBrowser(this.env.BROWSER, runId, tab), endMs);
      const value = await inTime(runCode({ ...opened, console: output.console() }), endMs);
      return { ...output.texts(), result: toResult(value), exitCode: 0, killed: false };
    } catch (error) {
      if (error === OVERTIME) return overtime(output, timeoutMs);
      output.write("stderr", describeError(error));
      return { ...output.texts(), result: undefined, exitCode: 1, killed: false };
    }
  }
}

function overtime(output: CapturedOutput, timeoutMs: number): ExecutionOutcome {
  output.write("stderr", `The code was stopped after ${timeoutMs / 1000} s.\n`);
  return { ...output.texts(), result: undefined, exitCode: TIMEOUT_EXIT_CODE, killed: true };
}

async function inTime<T>(work: Promise<T>, endMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(OVERTIME), Math.max(0, endMs - Date.now()));
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** Stack frames of the driver and of this program are removed. The caller's code begins on the second line. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `Uncaught ${String(error)}\n`;
  const frames = [...(error.stack ?? "").matchAll(/user-code\.js:(\d+):(\d+)/g)].map(
    ([, line, column]) => `    at line ${Number(line) - 1}, column ${column}`,
  );
  // Names of the library's classes are shortened where it is bundled.
  const name = error.name.length > 3 ? error.name : "Error";
  const said = `${name}: ${error.message}`;
  return `${[said, ...frames].join("\n")}\n`;
}
