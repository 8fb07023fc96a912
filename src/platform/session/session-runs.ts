import type { ExecutionOutcome, ExecutionRequest } from "../../core/execution.ts";
import { cutOutput, TIMEOUT_EXIT_CODE } from "../../core/execution.ts";
import nodeProgram from "../../sandbox/built/node-runner.txt";
import { prepareCode } from "../../sessions/prepare-code.ts";
import { within } from "../browser/abortable.ts";
import { relayCdp, type CdpRelay } from "./cdp-relay.ts";

export interface RunsOptions {
  binding: Fetcher;
  loader: WorkerLoader;
  /** The way from an isolate back to this session, and to nothing else. */
  gate: Fetcher;
  onActivity: () => void;
}

/** What an isolate's main module offers. */
interface Runner {
  run(run: { runId: string; timeoutMs: number; activeTargetId: string | undefined }): Promise<ExecutionOutcome>;
}

interface Run {
  browserSessionId: string;
  relays: Set<CdpRelay>;
}

const COMPATIBILITY_DATE = "2026-10-01";
/** The platform's own limits on an isolate; locally they are not enforced. */
const LIMITS = { cpuMs: 30_000, subRequests: 50 };
/** The isolate stops by itself and keeps what was written; one that does not even do that is given up later. */
const OVERTIME_MS = 2_000;

/** The runs of code in one session, each in an isolate that can reach this session's browser and nothing else. */
export class SessionRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: RunsOptions) {
    this.#options = options;
  }

  async execute(browserSessionId: string, request: ExecutionRequest): Promise<ExecutionOutcome> {
    const runId = crypto.randomUUID();
    const run: Run = { browserSessionId, relays: new Set() };
    this.#runs.set(runId, run);
    try {
      return await this.#runNode(runId, request);
    } catch (error) {
      return failure(`The code could not be run: ${error instanceof Error ? error.message : String(error)}\n`);
    } finally {
      this.#runs.delete(runId);
      for (const relay of run.relays) relay.cut("The run is over");
    }
  }

  /** Opens the browser to a run that is going on. Everybody else is refused. */
  async connect(request: Request): Promise<Response> {
    const run = this.#runs.get(/^\/v1\/devtools\/browser\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? "");
    if (run === undefined || request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return new Response("This browser belongs to somebody else", { status: 403 });
    }
    const url = `https://browser/v1/devtools/browser/${encodeURIComponent(run.browserSessionId)}`;
    const { webSocket, status } = await this.#options.binding.fetch(url, { headers: { Upgrade: "websocket" } });
    if (webSocket === null) return new Response("The browser is gone", { status });
    const { 0: client, 1: server } = new WebSocketPair();
    const relay = relayCdp(server, webSocket, this.#options.onActivity);
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
    const worker = this.#options.loader.load({
      compatibilityDate: COMPATIBILITY_DATE,
      compatibilityFlags: ["nodejs_compat"],
      mainModule: "runner.js",
      modules: { "runner.js": nodeProgram, "user-code.js": prepared.module },
      env: { BROWSER: this.#options.gate },
      globalOutbound: null,
      limits: LIMITS,
    });
    // The main module's default export is the runner that was built for this.
    const runner = worker.getEntrypoint() as unknown as Runner;
    const running = runner.run({ runId, timeoutMs, activeTargetId: undefined });
    const outcome = await within(running, timeoutMs + OVERTIME_MS, undefined);
    if (outcome !== undefined) return outcome;
    running.catch(() => undefined);
    return {
      ...failure(`The code was stopped after ${timeoutMs / 1000} s.\n`),
      exitCode: TIMEOUT_EXIT_CODE,
      killed: true,
    };
  }
}

function failure(stderr: string): ExecutionOutcome {
  return { stdout: "", stderr: cutOutput(stderr), result: undefined, exitCode: 1, killed: false };
}
