import { spawn } from "node:child_process";
import type { ChildProcessByStdio } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { ProcessFamily } from "../process/process-family.ts";

/**
 * While it serves, wrangler needs little memory, and takes what it may: small spaces for short-lived objects, and bounds
 * for the rest. Its C parts give back what they no longer use. A build needs what it takes.
 */
const SERVING_NODE = ["--max-semi-space-size=4", "--max-old-space-size=256", "--expose-gc"];
/**
 * Of isolates. Half of the usual space for short-lived objects; the first full collection after 16 MB, and the next when
 * what one has left has grown by half. As isolates come, those that allocate little on V8's heap, like the ones that stand in
 * for R2 and the queues, are never collected, and with them what their objects hold outside of the heap. Collections run in the
 * isolate's own thread: helpers take processor time from the pages. The third crawl of 1,000 pages ends at 638 MB, with
 * 18.4 ms of processor time a page; at 665 MB and 17 ms when the heap may double, at 700 MB and 14 ms with 16 MB for short-lived
 * objects as well (two cores, 2026-11-28).
 */
export const ISOLATE_FLAGS =
  "--max-semi-space-size=8 --initial-old-space-size=16 --heap-growing-percent=50 --single-threaded-gc";
/** Environment of the runtime under a service. */
export const SERVING_NATIVE = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "65536",
  MALLOC_TRIM_THRESHOLD_: "65536",
  MINIFLARE_WORKERD_V8_FLAGS: ISOLATE_FLAGS,
};

/** The project's own folder, where wrangler.toml is. */
export const PROJECT_ROOT = dirname(dirname(dirname(import.meta.dirname)));

const MAX_KEPT_LINES = 60;
/** A command takes seconds. One that waits for something would keep the service from starting. */
const COMMAND_LIMIT_MS = 300_000;

export interface WranglerProcess {
  child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** The last lines of both outputs, without colours. */
  lastLines: string[];
}

/** Notifies a serving wrangler process that it has started, so that it returns the memory that starting took. */
export function tidyMemory({ child }: WranglerProcess): void {
  child.stdin.write("\n");
}

/**
 * Starts wrangler. It ends when this process ends, even when this one is killed: see `wrangler-preload.cjs`.
 * Neither usage data nor requests to Cloudflare leave the machine.
 */
export function startWrangler(
  words: readonly string[],
  options: { scratchDir: string; env?: Readonly<Record<string, string>>; onLine?: (line: string) => void },
): WranglerProcess {
  const cli = createRequire(import.meta.url).resolve("wrangler");
  const preload = join(import.meta.dirname, "wrangler-preload.cjs");
  const isServing = words[0] === "dev";
  const child = spawn(
    process.execPath,
    ["--no-warnings", ...(isServing ? SERVING_NODE : []), "--require", preload, cli, ...words],
    {
      cwd: PROJECT_ROOT,
      env: { ...wranglerEnv(options.scratchDir), ...(isServing ? SERVING_NATIVE : {}), ...options.env },
      stdio: ["pipe", "pipe", "pipe"],
    },
  );
  // The pipe breaks when wrangler ends first, which is noticed by its exit.
  child.stdin.on("error", () => undefined);
  const lastLines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (raw) => {
      const line = stripVTControlCharacters(raw).trimEnd();
      // Its log file goes away with the run's folder.
      if (line === "" || line.startsWith("🪵")) return;
      lastLines.push(line);
      if (lastLines.length > MAX_KEPT_LINES) lastLines.shift();
      options.onLine?.(line);
    });
  }
  return { child, lastLines };
}

/**
 * Runs a wrangler command to its end.
 * @throws Error with the command's last lines when it fails, or takes longer than `limitMs` (five minutes), after which its
 * processes are ended.
 */
export async function runWrangler(
  words: readonly string[],
  { scratchDir, limitMs = COMMAND_LIMIT_MS }: { scratchDir: string; limitMs?: number },
): Promise<void> {
  const { child, lastLines } = startWrangler(words, { scratchDir });
  const fail = (how: string): never => {
    throw new Error(`wrangler ${words.slice(0, 3).join(" ")} ${how}:\n${lastLines.slice(-20).join("\n")}`);
  };
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const limit = new AbortController();
  const late = sleep(limitMs, undefined, { signal: limit.signal }).catch(() => undefined);
  const code = await Promise.race([ended, late.then(() => "late" as const)]).finally(() => limit.abort());
  if (code === "late") {
    if (child.pid !== undefined) await new ProcessFamily(child.pid).end();
    fail(`did not end within ${limitMs / 1_000} s`);
  }
  if (code !== 0) fail("failed");
}

function wranglerEnv(scratchDir: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    NO_COLOR: "1",
    FORCE_COLOR: "0",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_LOG_PATH: join(scratchDir, "logs"),
    WRANGLER_REGISTRY_PATH: join(scratchDir, "registry"),
    WRANGLER_CI_DISABLE_CONFIG_WATCHING: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    // Settings come from the file that is named on the command line and from nowhere else.
    CLOUDFLARE_LOAD_DEV_VARS_FROM_DOT_ENV: "true",
    CLOUDFLARE_INCLUDE_PROCESS_ENV: "false",
    X_LOCAL_EXPLORER: "false",
    X_LOCAL_OBSERVABILITY: "false",
  };
}
