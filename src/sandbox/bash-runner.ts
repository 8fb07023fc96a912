import { Bash, defineCommand, type InMemoryFs } from "just-bash/browser";
import type { Page } from "@cloudflare/playwright";
import { WorkerEntrypoint } from "cloudflare:workers";
import { cutOutput, TIMEOUT_EXIT_CODE, type ExecutionOutcome } from "../core/sessions/execution.ts";
import type { BrowserState, CommandOutput, Workspace } from "../core/sessions/workspace.ts";
import { runVerb } from "./agent-browser/run-verb.ts";
import type { Hand } from "./agent-browser/verb.ts";
import type { SessionViewport } from "../core/sessions/browser-session.ts";
import { openBrowser, targetIdOf, type BrowserBinding } from "./open-browser.ts";
import { loadFiles, saveFiles } from "./session-files.ts";

interface ShellRun {
  viewport: SessionViewport | undefined;
  runId: string;
  sessionId: string;
  timeoutMs: number;
  workspace: Workspace;
}

const HOME = "/home/user";
const LIMITS = { maxCommandCount: 100_000, maxLoopIterations: 100_000, maxCallDepth: 100 };
/** `exec` ends at the next statement after its time is over; a single command may take longer. */
const GRACE_MS = 500;

/** A shell with the session's browser at hand, in an isolate that serves one session again and again. */
export default class BashRunner extends WorkerEntrypoint<{ BROWSER: BrowserBinding }> {
  async run(run: ShellRun & { script: string }): Promise<{ outcome: ExecutionOutcome; workspace: Workspace }> {
    const files = await loadFiles(run.workspace.files);
    const browser = structuredClone(run.workspace.browser);
    const agent = new Agent(this.env.BROWSER, run, browser, files);
    const outcome = await runScript(agent, files, run);
    return { outcome, workspace: { files: await saveFiles(files), browser } };
  }

  /** One command of `agent-browser`, without a shell around it. */
  async command(run: ShellRun & { args: string[] }): Promise<{ output: CommandOutput; workspace: Workspace }> {
    const files = await loadFiles(run.workspace.files);
    const browser = structuredClone(run.workspace.browser);
    const output = await new Agent(this.env.BROWSER, run, browser, files).command(run.args, HOME);
    return { output, workspace: { files: await saveFiles(files), browser } };
  }
}

/** The command `agent-browser`, connected when it is first used in a run. */
class Agent {
  readonly #browser: BrowserBinding;
  readonly #run: Pick<ShellRun, "runId" | "viewport">;
  readonly #state: BrowserState;
  readonly #files: InMemoryFs;
  #hand: Promise<Hand> | undefined;

  constructor(
    browser: BrowserBinding,
    run: Pick<ShellRun, "runId" | "viewport">,
    state: BrowserState,
    files: InMemoryFs,
  ) {
    this.#browser = browser;
    this.#run = run;
    this.#state = state;
    this.#files = files;
  }

  async command(args: readonly string[], cwd: string): Promise<CommandOutput> {
    return runVerb(async () => {
      const hand = await (this.#hand ??= this.#connect());
      hand.readFile = (path) => this.#files.readFileBuffer(this.#files.resolvePath(cwd, path));
      hand.writeFile = (path, content) => this.#files.writeFile(this.#files.resolvePath(cwd, path), content);
      return hand;
    }, args);
  }

  async #connect(): Promise<Hand> {
    const { runId, viewport } = this.#run;
    const { activeTargetId } = this.#state;
    const { page, context } = await openBrowser(this.#browser, runId, { activeTargetId, viewport });
    const hand: Hand = {
      page,
      context,
      state: this.#state,
      tabs: () => sortTabs(context.pages(), this.#state),
      activate: async (next) => {
        hand.page = next;
        this.#state.refs = {};
        this.#state.activeTargetId = await targetIdOf(next);
      },
      readFile: nowhere,
      writeFile: nowhere,
    };
    return hand;
  }
}

async function runScript(
  agent: Agent,
  fs: InMemoryFs,
  { script, timeoutMs, sessionId }: ShellRun & { script: string },
): Promise<ExecutionOutcome> {
  const command = defineCommand("agent-browser", (args, { cwd }) => agent.command(args, cwd));
  const env = { HOME, USER: "user", SESSION_ID: sessionId };
  const bash = new Bash({
    fs,
    cwd: HOME,
    env,
    customCommands: [command],
    executionLimits: LIMITS,
    defenseInDepth: false,
  });
  const signal = AbortSignal.timeout(timeoutMs);
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), timeoutMs + GRACE_MS));
  const ended = await Promise.race([bash.exec(script, { signal }), late]);
  if (ended === undefined || signal.aborted) {
    const stderr = `${ended?.stderr ?? ""}The script was stopped after ${timeoutMs / 1000} s.\n`;
    return {
      stdout: cutOutput(ended?.stdout ?? ""),
      stderr: cutOutput(stderr),
      result: undefined,
      exitCode: TIMEOUT_EXIT_CODE,
      killed: true,
    };
  }
  const { stdout, stderr, exitCode } = ended;
  return { stdout: cutOutput(stdout), stderr: cutOutput(stderr), result: undefined, exitCode, killed: false };
}

/** Tabs that are not known yet come last, the newest at the end. */
async function sortTabs(pages: Page[], state: BrowserState): Promise<Page[]> {
  if (pages.length < 2) return pages;
  const byId = new Map<string, Page>();
  for (const page of pages.toReversed()) byId.set(await targetIdOf(page), page);
  const known = state.tabs.filter((id) => byId.has(id));
  state.tabs = [...known, ...[...byId.keys()].filter((id) => !known.includes(id))];
  return state.tabs.flatMap((id) => byId.get(id) ?? []);
}

function nowhere(): never {
  throw new Error("Not connected");
}
