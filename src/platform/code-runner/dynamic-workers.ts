import { toCallInput } from "../../core/sessions/call-input.ts";
import { ISOLATE_COMPATIBILITY, type CodeEnd, type CodeRun } from "../../core/sessions/code-run.ts";
import type { CodeRunner } from "../../ports/sessions/code-runner.ts";
import { within } from "../browser/abortable.ts";
import { hashOfProgram, sandboxProgram } from "../sessions/sandbox-program.ts";

interface DynamicWorkersOptions {
  loader: WorkerLoader;
  /** Serves the programs of the isolates. */
  assets: Fetcher;
  /** The only outbound binding of an isolate: it leads to the session's object. Undefined for pages. */
  browser: Fetcher | undefined;
}

/**
 * The platform ends an isolate that takes more processor time, memory (128 MB) or requests than this. `wrangler dev`
 * does not, which is why local services run code in processes (`sandbox-host.ts`). 30 s is the default of a Worker; a
 * run that only waits for its browser takes a few.
 */
const MAX_CPU_MS = 30_000;
/** Limit of subrequests; each connection to the browser is one. */
const MAX_SUBREQUESTS = 50;
/** The platform lets an object have ten dynamic Workers at work: two remain for the shell and a command. */
const CODE_RUNS = 8;

/** Runs code in dynamic Workers. */
export function createDynamicWorkers({ loader, assets, browser }: DynamicWorkersOptions): CodeRunner {
  /** Lives as long as this object; an isolate that is loaded by name stays in the loader's memory for longer. */
  let shell: WorkerStub | undefined;

  const load = async ({ program, userCode }: CodeRun, isAlone: boolean): Promise<WorkerStub> => {
    if (program === "bash-runner" && shell !== undefined) return shell;
    const source = await sandboxProgram(assets, program);
    const code: WorkerLoaderWorkerCode = {
      ...ISOLATE_COMPATIBILITY,
      mainModule: "runner.js",
      modules: { "runner.js": source, ...(userCode === undefined ? {} : { "user-code.js": userCode }) },
      env: browser === undefined ? {} : { BROWSER: browser },
      globalOutbound: null,
      // Of all calls, as an isolate may serve many. Each call has a lower one of its own.
      limits: { cpuMs: MAX_CPU_MS, subRequests: MAX_SUBREQUESTS },
    };
    // Pages share an isolate. Its name changes with the program, so that a new deployment gets a new isolate.
    if (program === "page-reader" && !isAlone) {
      const name = `${program} ${await hashOfProgram(program, source)}`;
      return loader.get(name, () => Promise.resolve(code));
    }
    const worker = loader.load(code);
    if (program === "bash-runner") shell = worker;
    return worker;
  };

  return {
    codeRuns: CODE_RUNS,
    async run(run) {
      const isPage = run.program === "page-reader";
      const startMs = Date.now();
      const ended = await runIn(load(run, false), run).catch((error: unknown) => {
        if (isPage) return { kind: "stopped", reason: "crash" } as const;
        throw error;
      });
      if (ended.kind === "stopped") shell = undefined;
      const leftMs = run.limitMs - (Date.now() - startMs);
      if (ended.kind === "done" || !isPage || leftMs <= 0) return ended;
      // Another page may have ended the shared isolate: the run is repeated in a separate one.
      const again = { ...run, limitMs: leftMs };
      return runIn(load(again, true), again);
    },
    warmUp: () => Promise.resolve(),
    forget: () => Promise.resolve(),
  };
}

async function runIn(worker: Promise<WorkerStub>, run: CodeRun): Promise<CodeEnd> {
  return within(call(await worker, run), run.limitMs, { kind: "stopped", reason: "time" } as const);
}

/** Calls a program. The platform enforces the lower of the call's limit and that of the isolate's code. */
async function call(worker: WorkerStub, { method, input, limitMs }: CodeRun): Promise<CodeEnd> {
  const limits = { cpuMs: Math.min(limitMs, MAX_CPU_MS) };
  const runner = worker.getEntrypoint(undefined, { limits }) as unknown as Record<
    string,
    (input: unknown) => Promise<unknown>
  >;
  try {
    return { kind: "done", value: await runner[method]?.(method === "read" ? toCallInput(input) : input) };
  } catch (error) {
    const reason = stopReasonOf(error);
    if (reason === undefined) throw error;
    return { kind: "stopped", reason };
  }
}

/** Matches the platform's messages for isolates that it ended, as documented for errors 1101 and 1102. */
function stopReasonOf(error: unknown): "time" | "memory" | undefined {
  const said = error instanceof Error ? error.message : String(error);
  if (/exceeded (?:its |the )?CPU/i.test(said)) return "time";
  return /exceeded (?:its |the )?memory/i.test(said) ? "memory" : undefined;
}
