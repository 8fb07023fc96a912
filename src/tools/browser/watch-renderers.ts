import { readdirSync, readFileSync } from "node:fs";

/** A page's process above this is ended: eight pages at a time would otherwise use up the machine's memory. */
const MAX_RENDERER_BYTES = 1_500_000_000;
/**
 * The process that draws for all pages has their textures. Chromium starts another when it ends, three times, and then goes on
 * without WebGL.
 */
const MAX_GPU_BYTES = 2_000_000_000;
const KIBIBYTE = 1024;

/**
 * Ends the renderer and GPU processes that use more memory than a page may. The browser stays, and the load or session of the
 * page learns that its tab has crashed. Only on Linux, where `/proc` tells how much memory a process uses.
 *
 * @param profiles folders of the profiles of the browsers to look at.
 * @returns the numbers and memory in bytes of the processes that were ended.
 */
export function endLargeRenderers(
  profiles: readonly string[],
  {
    maxBytes = MAX_RENDERER_BYTES,
    maxGpuBytes = MAX_GPU_BYTES,
    proc = "/proc",
    kill = killProcess,
  }: RendererLimits = {},
): { pid: number; bytes: number }[] {
  if (profiles.length === 0) return [];
  const flags = new Set(profiles.map((profile) => `--user-data-dir=${profile}`));
  const groups = new Set<number>();
  const watched: { pid: number; limit: number }[] = [];
  for (const pid of listPids(proc)) {
    const words = read(`${proc}/${pid}/cmdline`).split(/[\0 ]/);
    if (words.includes("--type=renderer")) watched.push({ pid, limit: maxBytes });
    else if (words.includes("--type=gpu-process")) watched.push({ pid, limit: maxGpuBytes });
    else if (words.some((word) => flags.has(word))) groups.add(processGroup(read(`${proc}/${pid}/stat`)));
  }
  const large = watched.flatMap(({ pid, limit }) => {
    if (!groups.has(processGroup(read(`${proc}/${pid}/stat`)))) return [];
    const bytes = residentBytes(read(`${proc}/${pid}/status`));
    return bytes > limit ? [{ pid, bytes }] : [];
  });
  for (const { pid } of large) kill(pid);
  return large;
}

interface RendererLimits {
  /** Memory that a renderer may use, in bytes. */
  maxBytes?: number;
  /** Memory that the process that draws may use, in bytes. */
  maxGpuBytes?: number;
  /** Folder of the process table. */
  proc?: string;
  kill?: (pid: number) => void;
}

/** A browser is a process group of its own. Its renderers' command lines name its profile in Chromium, not in a headless shell. */
const processGroup = (stat: string): number => Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2]);

/** Memory of the process in bytes, with the files that it has mapped and without what is swapped out. */
function residentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * KIBIBYTE;
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
