import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";

/** A page's process above this is ended: eight pages at a time would otherwise use up the machine's memory. */
const MAX_RENDERER_BYTES = 1_500_000_000;
/**
 * The process that draws for all pages has their textures. Chromium starts another when it ends, three times, and then goes on
 * without WebGL.
 */
const MAX_GPU_BYTES = 2_000_000_000;
/** A page above this is the first to be ended when all pages together use too much. */
const LARGE_BYTES = 500_000_000;
/** Share of the machine's memory (of the container's, where it has a limit) that all pages may use together. */
const MAX_SHARE = 0.5;
const KIBIBYTE = 1024;

/**
 * Ends the renderer and GPU processes that use more memory than a page may, and pages where all together use more than
 * their share of the machine. The browser stays, and the load or session of the page learns that its tab has crashed.
 * Only on Linux, where `/proc` tells how much memory a process uses.
 *
 * @param profiles folders of the profiles of the browsers to look at.
 * @returns the numbers and memory in bytes of the processes that were ended.
 */
export function endLargeRenderers(
  profiles: readonly string[],
  {
    maxBytes = MAX_RENDERER_BYTES,
    maxGpuBytes = MAX_GPU_BYTES,
    maxTotalBytes = MAX_SHARE * machineBytes(),
    proc = "/proc",
    kill = killProcess,
  }: RendererLimits = {},
): EndedProcess[] {
  if (profiles.length === 0) return [];
  const running = listRenderers(profiles, proc, { maxBytes, maxGpuBytes });
  const large = running.filter(({ bytes, limit }) => bytes > limit);
  const others = running.filter(({ bytes, limit }) => bytes <= limit);
  large.push(...surplusOf(others, maxTotalBytes));
  for (const { pid } of large) kill(pid);
  return large.map(({ pid, bytes }) => ({ pid, bytes }));
}

/**
 * Returns the pages to end where all pages together use more than they may: those of the browser that uses most, its large ones first,
 * then the newest. A page with frames of many sites has a process for each; pages of others that are there longer stay.
 */
function surplusOf(running: readonly Renderer[], maxTotalBytes: number): Renderer[] {
  const bytesOf = (each: readonly Renderer[]): number => each.reduce((sum, { ownBytes }) => sum + ownBytes, 0);
  const ended: Renderer[] = [];
  let left = running.filter(({ isPage }) => isPage);
  while (bytesOf(left) > maxTotalBytes) {
    const groups = Map.groupBy(left, ({ group }) => group);
    const largest = [...groups.values()].toSorted((one, other) => bytesOf(other) - bytesOf(one))[0];
    const next = largest?.toSorted(
      (one, other) => largeBytes(other) - largeBytes(one) || other.startedAt - one.startedAt,
    )[0];
    if (next === undefined) break;
    ended.push(next);
    left = left.filter((each) => each !== next);
  }
  return ended;
}

const largeBytes = ({ ownBytes }: Renderer): number => (ownBytes >= LARGE_BYTES ? ownBytes : 0);

interface EndedProcess {
  pid: number;
  /** Memory that it used, in bytes. */
  bytes: number;
}

interface RendererLimits {
  /** Memory that a renderer may use, in bytes. */
  maxBytes?: number;
  /** Memory that the process that draws may use, in bytes. */
  maxGpuBytes?: number;
  /** Memory that all pages may use together, in bytes, without mapped files and shared memory. */
  maxTotalBytes?: number;
  /** Folder of the process table. */
  proc?: string;
  kill?: (pid: number) => void;
}

/** A process of a page or of a frame, or the one that draws for all pages of a browser. */
interface Renderer {
  pid: number;
  /** Number of the browser's process group. */
  group: number;
  isPage: boolean;
  /** Start, in ticks of the system's clock since it was booted. */
  startedAt: number;
  /** Memory that it may use, in bytes. */
  limit: number;
  /** Resident memory in bytes, with files that it has mapped and memory that it shares. */
  bytes: number;
  /** Resident memory in bytes without these. */
  ownBytes: number;
}

function listRenderers(
  profiles: readonly string[],
  proc: string,
  { maxBytes, maxGpuBytes }: { maxBytes: number; maxGpuBytes: number },
): Renderer[] {
  const flags = new Set(profiles.map((profile) => `--user-data-dir=${profile}`));
  const groups = new Set<number>();
  const watched: { pid: number; isPage: boolean }[] = [];
  for (const pid of listPids(proc)) {
    const words = read(`${proc}/${pid}/cmdline`).split(/[\0 ]/);
    if (words.includes("--type=renderer")) watched.push({ pid, isPage: true });
    else if (words.includes("--type=gpu-process")) watched.push({ pid, isPage: false });
    else if (words.some((word) => flags.has(word))) groups.add(statOf(proc, pid).group);
  }
  return watched.flatMap(({ pid, isPage }) => {
    const { group, startedAt } = statOf(proc, pid);
    if (!groups.has(group)) return [];
    const status = read(`${proc}/${pid}/status`);
    const bytes = memoryOf(status, "VmRSS");
    const limit = isPage ? maxBytes : maxGpuBytes;
    return [{ pid, group, isPage, startedAt, limit, bytes, ownBytes: memoryOf(status, "RssAnon") }];
  });
}

/** A browser is a process group of its own. Its renderers' command lines name its profile in Chromium, not in a headless shell. */
function statOf(proc: string, pid: number): { group: number; startedAt: number } {
  const stat = read(`${proc}/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { group: Number(fields[2]), startedAt: Number(fields[19] ?? 0) };
}

/** Memory in bytes that a line of `/proc/PID/status` states; swapped pages are not part of it. */
function memoryOf(status: string, name: "VmRSS" | "RssAnon"): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * KIBIBYTE;
}

/** Memory of the machine in bytes, or that of the container where it is less. */
function machineBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

function listPids(proc: string): number[] {
  try {
    return readdirSync(proc).filter((name) => /^\d+$/.test(name)).map(Number); // prettier-ignore
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}
