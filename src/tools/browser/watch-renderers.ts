import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";

/** A page's process above this is ended: eight pages at a time would otherwise use up the machine's memory. */
const MAX_RENDERER_BYTES = 1_500_000_000;
/**
 * The process that draws for all pages has their textures. Chromium starts another when it ends, three times, and then goes on
 * without WebGL.
 */
const MAX_GPU_BYTES = 2_000_000_000;
/** Share of the machine's memory (of the container's, where it has a limit) that all of these processes may use together. */
const MAX_SHARE = 0.5;
const KIBIBYTE = 1024;

/**
 * Ends the renderer and GPU processes that use more memory than a page may, and, where all together use more than their share
 * of the machine, the largest of them. The browser stays, and the load or session of the page learns that its tab has crashed.
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
  let totalBytes = running.reduce((sum, { ownBytes }) => sum + ownBytes, 0);
  for (const { ownBytes } of large) totalBytes -= ownBytes;
  const others = running
    .filter(({ bytes, limit }) => bytes <= limit)
    .toSorted((one, other) => other.ownBytes - one.ownBytes);
  for (const other of others) {
    if (totalBytes <= maxTotalBytes) break;
    large.push(other);
    totalBytes -= other.ownBytes;
  }
  for (const { pid } of large) kill(pid);
  return large.map(({ pid, bytes }) => ({ pid, bytes }));
}

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
  /** Memory that all of them may use together, in bytes, without the files that they have mapped. */
  maxTotalBytes?: number;
  /** Folder of the process table. */
  proc?: string;
  kill?: (pid: number) => void;
}

/** A process of a page, or the one that draws for all pages of a browser. */
interface Renderer {
  pid: number;
  /** Memory that it may use, in bytes. */
  limit: number;
  /** Resident memory in bytes, with the files that it has mapped. */
  bytes: number;
  /** Resident memory in bytes without these files, which the processes of a browser share. */
  ownBytes: number;
}

function listRenderers(
  profiles: readonly string[],
  proc: string,
  { maxBytes, maxGpuBytes }: { maxBytes: number; maxGpuBytes: number },
): Renderer[] {
  const flags = new Set(profiles.map((profile) => `--user-data-dir=${profile}`));
  const groups = new Set<number>();
  const watched: { pid: number; limit: number }[] = [];
  for (const pid of listPids(proc)) {
    const words = read(`${proc}/${pid}/cmdline`).split(/[\0 ]/);
    if (words.includes("--type=renderer")) watched.push({ pid, limit: maxBytes });
    else if (words.includes("--type=gpu-process")) watched.push({ pid, limit: maxGpuBytes });
    else if (words.some((word) => flags.has(word))) groups.add(processGroup(read(`${proc}/${pid}/stat`)));
  }
  return watched.flatMap(({ pid, limit }) => {
    if (!groups.has(processGroup(read(`${proc}/${pid}/stat`)))) return [];
    const status = read(`${proc}/${pid}/status`);
    const bytes = memoryOf(status, "VmRSS");
    return [{ pid, limit, bytes, ownBytes: bytes - memoryOf(status, "RssFile") }];
  });
}

/** A browser is a process group of its own. Its renderers' command lines name its profile in Chromium, not in a headless shell. */
const processGroup = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);

/** Memory in bytes that a line of `/proc/PID/status` states; swapped pages are not part of it. */
function memoryOf(status: string, name: "VmRSS" | "RssFile"): number {
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
