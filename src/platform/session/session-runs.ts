import { relayCdp, type CdpRelay, type RelayGuard } from "../../core/cdp-relay.ts";
import { cutOutput, TIMEOUT_EXIT_CODE, type ExecutionOutcome, type ExecutionRequest } from "../../core/execution.ts";
import type { CommandOutput, Workspace } from "../../core/workspace.ts";
import { prepareCode } from "../../sessions/prepare-code.ts";
import { within } from "../browser/abortable.ts";
import type { KeptWorkspace } from "./kept-workspace.ts";
import { sandboxProgram } from "./sandbox-program.ts";

export interface RunsOptions {
  binding: Fetcher;
  loader: WorkerLoader;
  /** Where the isolates' programs come from. */
  assets: Fetcher;
  /** The way from an isolate back to this session, and to nothing else. */
  gate: Fetcher;
  sessionId: string;
  browserSessionId: string;
  workspace: KeptWorkspace;
  /** What stands between whoever drives and the browser. */
  guard: RelayGuard;
}

/** What the isolates' main modules offer: `sandbox/node-runner.ts` and `sandbox/bash-runner.ts`. */
interface NodeRunner {
  run(run: { runId: string; timeoutMs: number; activeTargetId: string | undefined }): Promise<ExecutionOutcome>;
}
interface ShellRun {
  runId: string;
  sessionId: string;
  timeoutMs: number;
  workspace: Workspace;
}
interface BashRunner {
  run(run: ShellRun & { script: string }): Promise<{ outcome: ExecutionOutcome; workspace: Workspace }>;
  command(run: ShellRun & { args: string[] }): Promise<{ output: CommandOutput; workspace: Workspace }>;
}

interface Run {
  relays: Set<CdpRelay>;
}

const COMPATIBILITY_DATE = "2026-10-01";
/** The platform's own limits on an isolate; locally they are not enforced. */
const LIMITS = { cpuMs: 30_000, subRequests: 50 };
/** The isolate stops by itself and keeps what was written; one that does not even do that is given up later. */
const OVERTIME_MS = 2_000;
const WARM_UP_LIMIT_MS = 10_000;

/** The runs of code in one session, each in an isolate that can reach this session's browser and nothing else. */
export class SessionRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();
  /** The last run of the shell: they come one after the other, since they share its files. */
  #shell: Promise<unknown> = Promise.resolve();
  #shellWorker: WorkerStub | undefined;

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  async execute(request: ExecutionRequest): Promise<ExecutionOutcome> {
    try {
      if (request.language === "node") return await this.#inRun((runId) => this.#runNode(runId, request));
      return await this.#inShell(() => this.#inRun((runId) => this.#runBash(runId, request)));
    } catch (error) {
      return failure(`The code could not be run: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }

  /** One command of `agent-browser`, without a shell around it. */
  command(args: string[], timeoutMs: number): Promise<CommandOutput> {
    return this.#inShell(() =>
      this.#inRun(async (runId) => {
        const command = async () => (await this.#bash()).command({ ...this.#shellRun(runId, timeoutMs), args });
        const ended = await inTime(command(), timeoutMs);
        if (ended === undefined)
          return { stdout: "", stderr: "The command took too long\n", exitCode: TIMEOUT_EXIT_CODE };
        this.#options.workspace.keep(ended.workspace);
        return ended.output;
      }),
    );
  }

  /** Starts the shell's isolate, so that the first command finds it running. */
  async warmUp(): Promise<void> {
    await this.command(["help"], WARM_UP_LIMIT_MS);
  }

  /** Opens the browser to a run that is going on. Everybody else is refused. */
  async connect(request: Request): Promise<Response> {
    const run = this.#runs.get(/^\/v1\/devtools\/browser\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? "");
    if (run === undefined || request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return new Response("This browser belongs to somebody else", { status: 403 });
    }
    const url = `https://browser/v1/devtools/browser/${encodeURIComponent(this.#options.browserSessionId)}`;
    const { webSocket, status } = await this.#options.binding.fetch(url, { headers: { Upgrade: "websocket" } });
    if (webSocket === null) return new Response("The browser is gone", { status });
    const { 0: client, 1: server } = new WebSocketPair();
    const relay = relayCdp(server, webSocket, this.#options.guard);
    run.relays.add(relay);
    void relay.closed.then(() => run.relays.delete(relay));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** The session has ended. */
  cutAll(): void {
    for (const { relays } of this.#runs.values()) for (const relay of relays) relay.cut("The session has ended");
  }

  async #runNode(runId: string, { code, timeoutMs }: ExecutionRequest): Promise<ExecutionOutcome> {
    const prepared = prepareCode(code);
    if (prepared.kind === "invalid") return failure(`${prepared.message}\n`);
    const { activeTargetId } = this.#options.workspace.get().browser;
    const run = async () => (await this.#node(prepared.module)).run({ runId, timeoutMs, activeTargetId });
    return (await inTime(run(), timeoutMs)) ?? overtime(timeoutMs);
  }

  async #runBash(runId: string, { code, timeoutMs }: ExecutionRequest): Promise<ExecutionOutcome> {
    const run = async () => (await this.#bash()).run({ ...this.#shellRun(runId, timeoutMs), script: code });
    const ended = await inTime(run(), timeoutMs);
    if (ended === undefined) return overtime(timeoutMs);
    this.#options.workspace.keep(ended.workspace);
    return ended.outcome;
  }

  async #node(code: string): Promise<NodeRunner> {
    const { loader, assets, gate } = this.#options;
    const program = await sandboxProgram(assets, "node-runner");
    const worker = loader.load({ ...isolate(gate), modules: { "runner.js": program, "user-code.js": code } });
    // The main module's default export is the runner that was built for this.
    return worker.getEntrypoint() as unknown as NodeRunner;
  }

  #shellRun(runId: string, timeoutMs: number): ShellRun {
    const { sessionId, workspace } = this.#options;
    return { runId, sessionId, timeoutMs, workspace: workspace.get() };
  }

  /**
   * One isolate serves the session's shell, and holds nothing between runs. It is this object's and goes with it: one
   * that the loader is asked for by a name stays in the loader's memory after its session has ended.
   */
  async #bash(): Promise<BashRunner> {
    const { loader, assets, gate } = this.#options;
    const program = await sandboxProgram(assets, "bash-runner");
    this.#shellWorker ??= loader.load({ ...isolate(gate), modules: { "runner.js": program } });
    // As for the other runner.
    return this.#shellWorker.getEntrypoint() as unknown as BashRunner;
  }

  /** A run by its id is what the gate opens the browser to; when it is over, its connections are cut. */
  async #inRun<T>(work: (runId: string) => Promise<T>): Promise<T> {
    const runId = crypto.randomUUID();
    const run: Run = { relays: new Set() };
    this.#runs.set(runId, run);
    try {
      return await work(runId);
    } finally {
      this.#runs.delete(runId);
      for (const relay of run.relays) relay.cut("The run is over");
    }
  }

  #inShell<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#shell.then(work, work);
    this.#shell = mine.catch(() => undefined);
    return mine;
  }
}

/** What every isolate has: no network, no variables, no binding but the gate. */
function isolate(gate: Fetcher) {
  return {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_compat"],
    mainModule: "runner.js",
    env: { BROWSER: gate },
    globalOutbound: null,
    limits: LIMITS,
  };
}

/** Undefined for work that takes longer than it may; then nobody waits for it any more. */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  work.catch(() => undefined);
  return within(work, timeoutMs + OVERTIME_MS, undefined);
}

function overtime(timeoutMs: number): ExecutionOutcome {
  const said = failure(`The code was stopped after ${timeoutMs / 1000} s.\n`);
  return { ...said, exitCode: TIMEOUT_EXIT_CODE, killed: true };
}

function failure(stderr: string): ExecutionOutcome {
  return { stdout: "", stderr: cutOutput(stderr), result: undefined, exitCode: 1, killed: false };
}
