import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const PROBE_TIMEOUT_MS = 7_000;
/** A timer that fires later than this says nothing about the browser. */
const MAX_DELAY_MS = 1_000;
/** A browser of which so many questions in a row get no answer is ended. */
const MAX_SILENT = 2;
const PROFILES = "browser-rendering";

/**
 * Asks the browsers of a service whether they still answer, and ends those that do not, with all their processes. The
 * local browser binding then sees that they are gone, and the service starts another.
 */
export class BrowserWatch {
  readonly #silent = new Map<string, number>();

  /**
   * Looks at every browser once.
   * @param temporaryDir where the service's processes keep temporary files.
   * @returns the process numbers of browsers that were ended.
   */
  async look(temporaryDir: string): Promise<number[]> {
    const profiles = listProfiles(temporaryDir);
    for (const profile of this.#silent.keys()) if (!profiles.includes(profile)) this.#silent.delete(profile);
    const ended = await Promise.all(profiles.map((profile) => this.#lookAt(profile)));
    return ended.filter((pid) => pid !== undefined);
  }

  async #lookAt(profile: string): Promise<number | undefined> {
    const isSilent = !(await answers(profile));
    const silent = isSilent ? (this.#silent.get(profile) ?? 0) + 1 : 0;
    this.#silent.set(profile, silent);
    if (silent < MAX_SILENT) return undefined;
    this.#silent.delete(profile);
    return endBrowser(profile);
  }
}

/** Returns the folders of the profiles of the browsers that a service runs. */
export function listProfiles(temporaryDir: string): string[] {
  return list(temporaryDir)
    .filter((name) => name.startsWith("miniflare-"))
    .flatMap((name) => {
      const folder = join(temporaryDir, name, PROFILES);
      return list(folder).map((profile) => join(folder, profile));
    });
}

/** Returns the ports of this machine on which the browsers of a service take commands from its own processes. */
export function listBrowserPorts(temporaryDir: string): number[] {
  return listProfiles(temporaryDir).flatMap((profile) => readPort(profile) ?? []);
}

/** True also for a browser that has not opened its port yet, or has closed it: its launcher waits for that. */
async function answers(profile: string): Promise<boolean> {
  const port = readPort(profile);
  if (port === undefined) return true;
  const askedAtMs = performance.now();
  try {
    const response = await fetch(`http://127.0.0.1:${port}/json/version`, {
      signal: AbortSignal.timeout(PROBE_TIMEOUT_MS),
    });
    await response.arrayBuffer();
    return true;
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    // This program may have been kept from running itself, and the answer is behind the timer.
    return !isTimeout || performance.now() - askedAtMs > PROBE_TIMEOUT_MS + MAX_DELAY_MS;
  }
}

/** Chromium writes the port of its debugging interface into its profile. */
function readPort(profile: string): number | undefined {
  try {
    const [port = ""] = readFileSync(join(profile, "DevToolsActivePort"), "utf8").split("\n");
    return Number(port) || undefined;
  } catch {
    return undefined;
  }
}

/** Its processes form a group, with the launcher as the leader. */
function endBrowser(profile: string): number | undefined {
  for (const pid of list("/proc").filter((name) => /^\d+$/.test(name))) {
    const words = read(`/proc/${pid}/cmdline`).split(/[\0 ]/);
    if (!words.includes(`--user-data-dir=${profile}`) || words.some((word) => word.startsWith("--type="))) continue;
    const stat = read(`/proc/${pid}/stat`);
    const group = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);
    kill(isLauncher(group, profile) ? -group : Number(pid));
    return Number(pid);
  }
  return undefined;
}

const isLauncher = (pid: number, profile: string): boolean =>
  pid > 1 && read(`/proc/${pid}/cmdline`).includes(`--user-data-dir=${profile}`);

function kill(target: number): void {
  try {
    process.kill(target, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
