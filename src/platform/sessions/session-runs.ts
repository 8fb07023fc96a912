import type { SessionViewport } from "../../core/sessions/browser-session.ts";
import { relayCdp, type CdpRelay, type RelayGuard } from "../../core/cdp/cdp-relay.ts";
import { trafficOf } from "../../core/cdp/session-traffic.ts";
import { CODE_LIMIT_MIB, type CodeEnd, type CodeRun, type StopReason } from "../../core/sessions/code-run.ts";
import {
  failedOutcome,
  TIMEOUT_EXIT_CODE,
  type ExecutionOutcome,
  type ExecutionRequest,
} from "../../core/sessions/execution.ts";
import { readOutcome } from "../../core/read-outcome.ts";
import type { CommandOutput, Workspace } from "../../core/sessions/workspace.ts";
import type { CodeRunner } from "../../ports/sessions/code-runner.ts";
import { prepareCode } from "../../sessions/prepare-code.ts";
import { abortable } from "../browser/abortable.ts";
import { ConnectionSlots } from "../outbound/connection-slots.ts";
import type { StoredWorkspace } from "./stored-workspace.ts";

export interface RunsOptions {
  binding: Fetcher;
  runner: CodeRunner;
  sessionId: string;
  teamId: string;
  browserSessionId: string;
  /** Size of the session's pages; undefined for that of a mobile scrape. */
  viewport?: SessionViewport | undefined;
  workspace: StoredWorkspace;
  /** Resolves when runs may begin. */
  ready(): Promise<unknown>;
  /** Checks commands between a driver and the browser. */
  guard: RelayGuard;
  /** Stops scripts of pages that are still running, so that the next run finds responsive tabs. Resolves when they are stopped. */
  stopScripts(): Promise<void>;
}

/** The result of the shell program, `sandbox/bash-runner.ts`. */
interface ShellAnswer {
  outcome: ExecutionOutcome;
  output: CommandOutput;
  workspace: Workspace;
}

interface Run {
  relays: Set<CdpRelay>;
  /** Set when the runner has refused to begin it. */
  isRefused?: boolean;
}

/**
 * Result of work in a session. `ended`: the session ended before the work began; `busy`: too many runs of it wait, or it waited too long
 * for a process.
 */
export type Worked<T> = { kind: "done"; value: T } | { kind: "ended" | "busy" };

/** Runs of a session that wait for their turn; further ones are refused. */
const MAX_WAITING = 50;
/** A program stops at its limit and returns its output; one that does not is terminated after this. */
const OVERTIME_MS = 3_000;
const WARM_UP_LIMIT_MS = 10_000;
/** Conventional exit code of a command that SIGKILL ended. */
const KILLED_EXIT_CODE = 137;

/** The code runs of one session, each in an isolate that can reach this session's browser and nothing else. */
export class SessionRuns {
  readonly #options: RunsOptions;
  readonly #runs = new Map<string, Run>();
  /** Places of runs of code; further ones wait. */
  readonly #places: ConnectionSlots;
  /** The place of the shell: shell runs are serialised, since they share files. */
  readonly #shell = new ConnectionSlots(1);
  /** Aborted when the session has ended. */
  readonly #over = new AbortController();
  #waiting = 0;

  constructor(options: RunsOptions) {
    this.#options = options;
    this.#places = new ConnectionSlots(options.runner.codeRuns);
  }

  async execute(request: ExecutionRequest): Promise<Worked<ExecutionOutcome>> {
    const places = request.language === "node" ? this.#places : this.#shell;
    const worked = await this.#inPlace(places, (runId) => this.#execute(runId, request));
    if (worked.kind === "done" && worked.value.killed) await this.#options.stopScripts();
    return worked;
  }

  async #execute(runId: string, request: ExecutionRequest): Promise<ExecutionOutcome> {
    try {
      return request.language === "node" ? await this.#runNode(runId, request) : await this.#runBash(runId, request);
    } catch (error) {
      return failedOutcome(`The code could not be run: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }

  /** Runs one command of `agent-browser`, without a shell. */
  command(args: string[], timeoutMs: number): Promise<Worked<CommandOutput>> {
    return this.#inPlace(this.#shell, async (runId) => {
      const ended = await this.#call(runId, timeoutMs, {
        program: "bash-runner",
        method: "command",
        input: { ...this.#shellRun(runId, timeoutMs), args },
      });
      if (ended.kind === "stopped") return stoppedOutcome(ended.reason, timeoutMs);
      return this.#keepWorkspace(ended.value).output;
    });
  }

  /** Starts the programs that the first run needs in advance. Failures are ignored: the first run reports them. */
  async warmUp(): Promise<void> {
    await this.#options.runner.warmUp(this.#options);
    await this.command(["help"], WARM_UP_LIMIT_MS).catch(() => undefined);
  }

  /** Connects an active run to the browser. Every other request is refused, and one whose run ends meanwhile. */
  async connect(request: Request): Promise<Response> {
    const runId = /^\/v1\/devtools\/browser\/([^/]+)$/.exec(new URL(request.url).pathname)?.[1] ?? "";
    const run = this.#runs.get(runId);
    const isOver = (): boolean => this.#over.signal.aborted || this.#runs.get(runId) !== run;
    if (run === undefined || isOver() || request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return refusal();
    }
    const url = `https://browser/v1/devtools/browser/${encodeURIComponent(this.#options.browserSessionId)}`;
    const traffic = trafficOf(this.#options.sessionId);
    if (!traffic.connect(Date.now())) return new Response("This session has too many connections", { status: 429 });
    const asked = this.#options.binding.fetch(url, { headers: { Upgrade: "websocket" } });
    const { webSocket, status } = await asked.catch(() => new Response(null, { status: 502 }));
    if (webSocket === null) {
      traffic.disconnect();
      return new Response("The browser is gone", { status });
    }
    if (isOver()) {
      traffic.disconnect();
      webSocket.accept();
      webSocket.close(1000, "The run is over");
      return refusal();
    }
    const { 0: client, 1: server } = new WebSocketPair();
    const relay = relayCdp(server, webSocket, this.#options.guard, traffic);
    run.relays.add(relay);
    void relay.closed.then(() => run.relays.delete(relay));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Cuts all connections and ends all waits after the session has ended. */
  cutAll(): void {
    this.#over.abort();
    void this.#options.runner.forget(this.#options.sessionId);
    for (const { relays } of this.#runs.values()) for (const relay of relays) relay.cut("The session has ended");
  }

  async #runNode(runId: string, { code, timeoutMs }: ExecutionRequest): Promise<ExecutionOutcome> {
    const prepared = prepareCode(code);
    if (prepared.kind === "invalid") return failedOutcome(`${prepared.message}\n`);
    const { activeTargetId } = this.#options.workspace.get().browser;
    const ended = await this.#call(runId, timeoutMs, {
      program: "node-runner",
      method: "run",
      input: { runId, timeoutMs, activeTargetId, viewport: this.#options.viewport },
      userCode: prepared.module,
    });
    return ended.kind === "done" ? readOutcome(ended.value) : stoppedOutcome(ended.reason, timeoutMs);
  }

  async #runBash(runId: string, { code, timeoutMs }: ExecutionRequest): Promise<ExecutionOutcome> {
    const ended = await this.#call(runId, timeoutMs, {
      program: "bash-runner",
      method: "run",
      input: { ...this.#shellRun(runId, timeoutMs), script: code },
    });
    if (ended.kind === "stopped") return stoppedOutcome(ended.reason, timeoutMs);
    return this.#keepWorkspace(ended.value).outcome;
  }

  async #call(
    runId: string,
    timeoutMs: number,
    call: Pick<CodeRun, "program" | "method" | "input" | "userCode">,
  ): Promise<CodeEnd> {
    const { runner, sessionId, teamId } = this.#options;
    const run: CodeRun = {
      ...call,
      runId,
      sessionId,
      teamId,
      limitMs: timeoutMs + OVERTIME_MS,
      limitMib: CODE_LIMIT_MIB,
    };
    const ended = await runner.run(run, (request) => this.connect(request));
    const known = this.#runs.get(runId);
    if (known !== undefined) known.isRefused = ended.kind === "stopped" && ended.reason === "busy";
    return ended;
  }

  #shellRun(runId: string, timeoutMs: number) {
    const { sessionId, viewport, workspace } = this.#options;
    return { runId, sessionId, timeoutMs, viewport, workspace: workspace.get() };
  }

  /** Stores the workspace of an active session. The isolate runs only the service's own program (scripts are data): hence the cast. */
  #keepWorkspace(value: unknown): ShellAnswer {
    const answer = value as ShellAnswer;
    if (!this.#over.signal.aborted) this.#options.workspace.keep(answer.workspace);
    return answer;
  }

  /** Registers a run by its id, to which `connect` opens the browser; its connections are cut when it ends. */
  async #inRun<T>(work: (runId: string) => Promise<T>): Promise<Worked<T>> {
    const runId = crypto.randomUUID();
    const run: Run = { relays: new Set() };
    this.#runs.set(runId, run);
    try {
      const value = await work(runId);
      if (run.isRefused !== true) return { kind: "done", value };
      // It waited for a process, perhaps when its session ended.
      return { kind: this.#over.signal.aborted ? "ended" : "busy" };
    } finally {
      this.#runs.delete(runId);
      for (const relay of run.relays) relay.cut("The run is over");
    }
  }

  async #inPlace<T>(places: ConnectionSlots, work: (runId: string) => Promise<T>): Promise<Worked<T>> {
    if (this.#waiting >= MAX_WAITING) return { kind: "busy" };
    const leave = await this.#enter(places);
    if (leave === undefined) return { kind: "ended" };
    try {
      return await this.#inRun(work);
    } finally {
      leave();
    }
  }

  /** Waits until runs may begin, and for a place. @returns the function that releases it; undefined when the session has ended */
  async #enter(places: ConnectionSlots): Promise<(() => void) | undefined> {
    const { signal } = this.#over;
    this.#waiting++;
    const leave = await abortable(this.#options.ready(), signal)
      .then(() => places.enter(signal))
      .catch(() => undefined);
    this.#waiting--;
    if (!signal.aborted) return leave;
    leave?.();
    return undefined;
  }
}

function refusal(): Response {
  return new Response("This browser belongs to another session", { status: 403 });
}

/** Returns the outcome of code that was terminated from outside; its output is lost. */
function stoppedOutcome(reason: StopReason, timeoutMs: number): ExecutionOutcome {
  switch (reason) {
    case "time":
      return failedOutcome(`The code was stopped after ${timeoutMs / 1000} s.\n`, TIMEOUT_EXIT_CODE);
    case "memory":
      return { ...failedOutcome("The code was stopped: it took too much memory.\n", KILLED_EXIT_CODE), killed: true };
    case "crash":
      return failedOutcome("The process that ran the code ended unexpectedly. Run it again.\n", KILLED_EXIT_CODE);
    case "busy":
      return failedOutcome("Too much other code is running. Try again.\n");
  }
}
