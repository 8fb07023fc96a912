import { ISOLATE_COMPATIBILITY, type CodeEnd, type CodeRun } from "../../core/sessions/code-run.ts";
import type { CodeRunner } from "../../ports/sessions/code-runner.ts";
import { within } from "../browser/abortable.ts";
import { sandboxProgram } from "../sessions/sandbox-program.ts";

interface DynamicWorkersOptions {
  loader: WorkerLoader;
  /** Where the isolates' programs come from. */
  assets: Fetcher;
  /** The way from an isolate back to its session, and to nothing else; it asks the session's object. None for documents. */
  gate: Fetcher | undefined;
}

/**
 * The platform ends an isolate that takes more processor time, memory (128 MB) or requests than this. `wrangler dev` does
 * not, which is why local services run code in processes (`sandbox-host.ts`). 30 s is what a Worker has by default; a run
 * that only waits for its browser takes a few.
 */
const MAX_CPU_MS = 30_000;
/** Of the gate: each connection to the browser is one. */
const MAX_SUBREQUESTS = 50;

/** Runs code in dynamic Workers. */
export function createDynamicWorkers({ loader, assets, gate }: DynamicWorkersOptions): CodeRunner {
  /** It goes with this object: one that the loader is asked for by a name stays in the loader's memory for longer. */
  let shell: WorkerStub | undefined;

  const load = async ({ program, userCode, limitMs }: CodeRun, isAlone: boolean): Promise<WorkerStub> => {
    if (program === "bash-runner" && shell !== undefined) return shell;
    const source = await sandboxProgram(assets, program);
    const code: WorkerLoaderWorkerCode = {
      ...ISOLATE_COMPATIBILITY,
      mainModule: "runner.js",
      modules: { "runner.js": source, ...(userCode === undefined ? {} : { "user-code.js": userCode }) },
      env: gate === undefined ? {} : { BROWSER: gate },
      globalOutbound: null,
      limits: { cpuMs: Math.min(limitMs, MAX_CPU_MS), subRequests: MAX_SUBREQUESTS },
    };
    // Documents share an isolate. Its name changes with the program, so that a deployment does not meet the last one's.
    if (program === "document-reader" && !isAlone)
      return loader.get(`${program} ${source.length}`, () => Promise.resolve(code));
    const worker = loader.load(code);
    if (program === "bash-runner") shell = worker;
    return worker;
  };

  return {
    async run(run) {
      const startMs = Date.now();
      const ended = await runIn(load(run, false), run);
      if (ended.kind === "stopped") shell = undefined;
      const leftMs = run.limitMs - (Date.now() - startMs);
      if (ended.kind === "done" || run.program !== "document-reader" || leftMs <= 0) return ended;
      // What ended the shared isolate may have been another document: in one of its own this one ends for itself.
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

async function call(worker: WorkerStub, { method, input }: CodeRun): Promise<CodeEnd> {
  const runner = worker.getEntrypoint() as unknown as Record<string, (input: unknown) => Promise<unknown>>;
  try {
    return { kind: "done", value: await runner[method]?.(input) };
  } catch (error) {
    const reason = stopReasonOf(error);
    if (reason === undefined) throw error;
    return { kind: "stopped", reason };
  }
}

/** The platform's words for what it ended, as its documentation of errors 1101 and 1102 has them. */
function stopReasonOf(error: unknown): "time" | "memory" | undefined {
  const said = error instanceof Error ? error.message : String(error);
  if (/exceeded (?:its |the )?CPU/i.test(said)) return "time";
  return /exceeded (?:its |the )?memory/i.test(said) ? "memory" : undefined;
}
