import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { buildAssets } from "../build/build-assets.ts";
import { buildWorker } from "../build/build-worker.ts";
import { listBrowserPorts } from "../browser/watch-browsers.ts";
import { openEgress, type Egress } from "../egress/open-egress.ts";
import type { Lookup } from "../egress/resolve-name.ts";
import { applyMigrations } from "./migrations.ts";
import { ProcessFamily } from "../process/process-family.ts";
import { openSandbox, type Sandbox } from "../sandbox-host/open-sandbox.ts";
import { makeRunFolder } from "../process/run-folder.ts";
import { makeTemporaryFolder, removeLeftovers } from "../process/run-leftovers.ts";
import { writeEnvFile } from "../setup/settings.ts";
import { PROJECT_ROOT, startWrangler, tidyMemory } from "./wrangler.ts";
import type { WranglerProcess } from "./wrangler.ts";

export interface ServiceOptions {
  /** Settings by their names in `.dev.vars.example`. */
  settings: Readonly<Record<string, string>>;
  /** Where databases, objects and queues live on; a second service must not use it at the same time. */
  persistDir: string;
  /** Any free port when left out. */
  port?: number;
  /** A port through which others reach the service: no page may call it. */
  ingressPort?: number;
  /** Resolves names instead of this machine. */
  lookup?: Lookup;
  /** The service's own output from the moment it is ready. */
  onLine?: (line: string) => void;
}

export interface ServiceEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  lastLines: string[];
}

export interface RunningService {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  port: number;
  /** The process that all others of the service descend from. */
  pid: number;
  /** Its processes that run, as of the last look at the system. */
  processes(): number[];
  /** The service's processes keep temporary files here, such as profiles of browsers. */
  temporaryDir: string;
  /** The token for the simulator's own paths below /cdn-cgi/local, sent in the header `X-Orbweaver-Local-Token`. */
  localToken: string;
  /** Resolves when the service has ended, asked or not. */
  ended: Promise<ServiceEnd>;
  /**
   * Runs what the Worker does by its cron triggers; the hourly upkeep when none is named.
   * @throws Error when it fails.
   */
  schedule(cron?: string): Promise<void>;
  /** Lets the service shut down, and makes sure that no process stays. */
  stop(): Promise<void>;
  /** Ends every process at once, as a crash would. */
  kill(): Promise<void>;
}

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 6_000;
const LOOK_INTERVAL_MS = 2_000;
/** wrangler stays alive after an error in the Worker and waits for it to be corrected; what it says comes in pieces. */
const ERROR_PIECES_MS = 500;

/**
 * Bundles the Worker and the dashboard, brings the database up to date and serves all with `wrangler dev`. Later changes
 * to the source do not reach the running service.
 * @throws Error with what wrangler said last, when the service does not come up.
 */
export async function runService(options: ServiceOptions): Promise<RunningService> {
  const sandbox = await openSandbox(options.settings);
  const egress = await openEgress(sandbox.settings, options.lookup).catch(async (error: unknown) => {
    await sandbox.close();
    throw error;
  });
  const closeHelpers = async (): Promise<void> => {
    await Promise.all([egress.close(), sandbox.close()]);
  };
  const scratchDir = await makeRunFolder(options.persistDir).catch(async (error: unknown) => {
    await closeHelpers();
    throw error;
  });
  const tidy = async (): Promise<void> => {
    await closeHelpers();
    await removeLeftovers(scratchDir);
    await rm(scratchDir, { recursive: true, force: true });
  };
  try {
    const envFile = join(scratchDir, "settings.env");
    // A local service accepts this machine's own host names, unless others are configured.
    const settings = { ALLOWED_HOSTS: "localhost", ...egress.settings };
    await buildAssets();
    const [entry] = await Promise.all([
      buildWorker(join(scratchDir, "bundle"), { scratchDir }),
      writeEnvFile(envFile, settings),
      applyMigrations({ persistDir: options.persistDir, scratchDir }),
    ]);
    return await serve({ ...options, scratchDir, envFile, entry, egress, sandbox, tidy });
  } catch (error) {
    await tidy();
    throw error;
  }
}

interface ServeOptions extends ServiceOptions {
  scratchDir: string;
  envFile: string;
  /** The bundled Worker's entry module. */
  entry: string;
  egress: Egress;
  sandbox: Sandbox;
  tidy: () => Promise<void>;
}

async function serve(options: ServeOptions): Promise<RunningService> {
  let isReady = false;
  const localToken = randomUUID();
  const temporary = makeTemporaryFolder(options.scratchDir);
  options.egress.closePorts(() => listBrowserPorts(temporary.folder));
  const serveOn = JSON.stringify(addressOf(options));
  const wrangler = startWrangler(devCommand(options), {
    scratchDir: options.scratchDir,
    env: {
      ...options.egress.env,
      ...options.sandbox.env,
      ...temporary.env,
      ORBWEAVER_LOCAL_TOKEN: localToken,
      ORBWEAVER_SERVE_ON: serveOn,
    },
    onLine: (line) => {
      if (isReady) options.onLine?.(line);
    },
  });
  const pid = await spawned(wrangler);
  const family = new ProcessFamily(pid);
  const looking = setInterval(() => family.look(), LOOK_INTERVAL_MS).unref();
  const ended = endOf(wrangler, [
    async () => clearInterval(looking),
    async () => await family.end(),
    async () => await options.tidy(),
  ]);
  const stop = async (): Promise<void> => {
    family.look();
    wrangler.child.kill("SIGTERM");
    await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
    family.kill();
    await ended;
  };
  const kill = async (): Promise<void> => {
    family.kill();
    await ended;
  };
  try {
    const { port, proxyPort } = await ready(wrangler, ended);
    isReady = true;
    for (const own of [port, proxyPort, options.ingressPort]) if (own !== undefined) options.egress.closePort(own);
    tidyMemory(wrangler);
    const url = `http://127.0.0.1:${port}`;
    const schedule = (cron?: string): Promise<void> => runScheduled(url, localToken, cron);
    const processes = (): number[] => family.alive();
    return { url, port, pid, processes, localToken, temporaryDir: temporary.folder, ended, schedule, stop, kill };
  } catch (error) {
    await stop();
    throw error;
  }
}

type ExitListener = (code: number | null, signal: NodeJS.Signals | null) => void;

/**
 * Resolves when the process has ended and each step after it is over, also one that fails: the service can be started
 * again beside files that could not be removed. The last lines then name the failure.
 */
export async function endOf(
  { child, lastLines }: { child: { once(event: "exit", listener: ExitListener): unknown }; lastLines: string[] },
  steps: readonly (() => Promise<void>)[],
): Promise<ServiceEnd> {
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once("exit", (exitCode, exitSignal) => resolve([exitCode, exitSignal]));
  });
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      const line = `The service was not tidied up: ${String(error)}`;
      lastLines.push(line);
      console.error(line);
    }
  }
  return { code, signal, lastLines };
}

function devCommand(options: ServeOptions): string[] {
  const command = ["dev", options.entry, "--no-bundle", "--local"];
  // Otherwise wrangler looks for it beside the bundle.
  command.push("--config", join(PROJECT_ROOT, "wrangler.toml"));
  // The service listens on a port of its own, see `serve-directly.cjs`; this one is of the Worker that wrangler puts before it.
  command.push("--port", "0", "--ip", "127.0.0.1", "--inspector-port", "0");
  command.push("--persist-to", options.persistDir, "--env-file", options.envFile);
  return command;
}

/** Returns the address that the service listens on. With any free port, each of the host's two addresses would get another one. */
function addressOf({ port }: ServiceOptions): { host: string; port: number } {
  return port === undefined ? { host: "127.0.0.1", port: 0 } : { host: "localhost", port };
}

function spawned({ child }: WranglerProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => resolve(child.pid ?? 0));
  });
}

/** The port, once the service answers on it, and that of wrangler's own Worker. */
async function ready(
  wrangler: WranglerProcess,
  ended: Promise<ServiceEnd>,
): Promise<{ port: number; proxyPort: number }> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  let end: ServiceEnd | undefined;
  void ended.then((reason) => (end = reason));
  const fail = (what: string): never => {
    throw new Error(`${what}\n${wrangler.lastLines.slice(-20).join("\n")}`);
  };
  for (;;) {
    if (end !== undefined) fail(`The service ended while it started (${end.signal ?? `exit code ${end.code}`}).`);
    if (Date.now() > deadline) fail(`The service did not start within ${READY_TIMEOUT_MS / 1000} s.`);
    const lines = wrangler.lastLines.join("\n");
    const port = Number(/Serving on port (\d+)/.exec(lines)?.[1]);
    const proxyPort = Number(/Ready on https?:\/\/[^\s:]+:(\d+)/.exec(lines)?.[1]);
    if (port > 0 && proxyPort > 0) {
      await checkHealth(port, deadline);
      return { port, proxyPort };
    }
    if (wrangler.lastLines.some((line) => line.includes("[ERROR]"))) {
      await sleep(ERROR_PIECES_MS);
      fail("The service does not start.");
    }
    await sleep(50);
  }
}

async function runScheduled(url: string, localToken: string, cron: string | undefined): Promise<void> {
  const query = cron === undefined ? "" : `?cron=${encodeURIComponent(cron)}`;
  const response = await fetch(`${url}/cdn-cgi/local/scheduled${query}`, {
    headers: { "X-Orbweaver-Local-Token": localToken },
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The scheduled upkeep failed (${response.status})`);
}

/** The service's first answer also says whether its settings can be used. */
async function checkHealth(port: number, deadline: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/health`, {
    signal: AbortSignal.timeout(Math.max(1, deadline - Date.now())),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The service answers ${response.status}: ${text.slice(0, 500)}`);
}
