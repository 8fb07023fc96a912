import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { onStarterGone } from "../process/on-starter-gone.ts";
import { ProcessFamily } from "../process/process-family.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";

export interface PartEnd {
  /** undefined when the part was stopped because it took too long. */
  code: number | undefined;
  ms: number;
}

const LOOK_INTERVAL_MS = 2_000;
const CLOSE_TIMEOUT_MS = 5_000;
/**
 * Where Node keeps what it has compiled, also for the programs that tests start: some sixty times wrangler, and as often
 * the clients. Compiling wrangler takes a fifth of a service's start.
 */
const COMPILED = join(PROJECT_ROOT, ".wrangler", "compiled");
const running = new Set<ProcessFamily>();

export interface PartOptions {
  timeoutMs: number;
  /** True to hold back the output until the part has ended, so that outputs of parallel parts do not mix. */
  isCollected?: boolean;
  /** Variables besides those of this program. */
  env?: Record<string, string>;
  /** Added to the niceness of this program, for the part and all processes that it starts. 0 unless given. */
  niceness?: number;
  /**
   * True to give the part, and all processes that it starts, only the processor time that others leave. For what computes:
   * it may stand still for minutes.
   */
  fillsGaps?: boolean;
}

/** Runs a JavaScript program of a dependency in the project's folder, its output going where this program's goes. */
export async function runPart(script: string, words: readonly string[], options: PartOptions): Promise<PartEnd> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [join(PROJECT_ROOT, "node_modules", script), ...words], {
    cwd: PROJECT_ROOT,
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      NODE_COMPILE_CACHE: COMPILED,
      ...options.env,
    },
    stdio: options.isCollected ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    // A session of its own, see `fillGaps`.
    detached: options.fillsGaps === true,
  });
  if (child.pid !== undefined) {
    if (options.fillsGaps) fillGaps(child.pid);
    else if (options.niceness !== undefined) {
      setPriority(child.pid, Math.min(constants.priority.PRIORITY_LOW, getPriority() + options.niceness));
    }
  }
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.push(chunk));
  const code = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => resolve(exitCode ?? 1));
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  const family = new ProcessFamily(child.pid ?? 0);
  running.add(family);
  let isTooLate = false;
  const looking = setInterval(() => family.look(), LOOK_INTERVAL_MS);
  const limit = setTimeout(() => {
    isTooLate = true;
    family.kill();
  }, options.timeoutMs);
  const end = await code;
  clearInterval(looking);
  clearTimeout(limit);
  family.kill();
  running.delete(family);
  // The last of the output comes after the exit, unless a process that nobody knows of still holds it open.
  await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  process.stdout.write(Buffer.concat(output));
  return { code: isTooLate ? undefined : end, ms: performance.now() - startedAt };
}

/**
 * Gives a process, the first of its session, the lowest priority. Linux shares the processor among sessions before it
 * shares that of each among its processes: browsers have sessions of their own, and niceness alone does not make a process
 * of another session give way to them. Where sessions are not told apart, niceness is enough.
 */
function fillGaps(pid: number): void {
  setPriority(pid, constants.priority.PRIORITY_LOW);
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(constants.priority.PRIORITY_LOW));
  } catch {
    // Another system, or a kernel without groups of sessions.
  }
}

/** Ends all processes of running parts at once. */
export function endParts(): void {
  for (const family of running) family.kill();
}

/** Ends running parts when this program receives a signal to end, or when its starter is gone. */
export function endPartsWithStarter(): void {
  const end = (): void => {
    endParts();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
  onStarterGone(end);
}
