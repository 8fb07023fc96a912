import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { percentile } from "../content/percentile.ts";
import { proportionalBytesOf } from "../proc.ts";

const MINUTE_MS = 60_000;
/** From then on memory should stay as it is. Each end is the lowest quartile of the samples of so many minutes. */
export const SETTLED_MINUTES = 10;
const COMPARED_MINUTES = 5;
const MAX_GROWTH = 0.05;

/** Memory of all processes in bytes, at a time since the start. */
export interface MemorySample {
  atMs: number;
  bytes: number;
}

/**
 * Memory and descriptors of processes by their program, and bytes that a service has stored. Memory that processes share
 * counts once: resident sets would count Chromium's program in each of its ten processes, four times what it takes.
 */
export interface Measurement {
  memoryBytes: Record<string, number>;
  descriptors: number;
  storedBytes: number;
}

export function measure(pids: readonly number[], persistDir: string): Measurement {
  const memoryBytes: Record<string, number> = {};
  let descriptors = 0;
  for (const pid of pids) {
    const bytes = proportionalBytesOf(pid);
    const program = programOf(pid);
    if (program === undefined || Number.isNaN(bytes)) continue;
    memoryBytes[program] = (memoryBytes[program] ?? 0) + bytes;
    descriptors += descriptorsOf(pid);
  }
  return { memoryBytes, descriptors, storedBytes: sizeOf(persistDir) };
}

export function totalBytes({ memoryBytes }: Measurement): number {
  return Object.values(memoryBytes).reduce((sum, bytes) => sum + bytes, 0);
}

/**
 * Compares the lowest quartiles of the minutes at each end: what is not given back between two kills is a leak.
 * @returns undefined when the samples are of too short a time to tell
 */
export function compareMemory(
  samples: readonly MemorySample[],
): { beforeBytes: number; afterBytes: number; hasGrown: boolean } | undefined {
  const settled = samples.filter(({ atMs }) => atMs >= SETTLED_MINUTES * MINUTE_MS);
  const startMs = (SETTLED_MINUTES + COMPARED_MINUTES) * MINUTE_MS;
  const endMs = (settled.at(-1)?.atMs ?? 0) - COMPARED_MINUTES * MINUTE_MS;
  if (endMs < startMs) return undefined;
  const quartile = (isCompared: (sample: MemorySample) => boolean): number =>
    percentile(
      settled.filter(isCompared).map(({ bytes }) => bytes),
      25,
    );
  const beforeBytes = quartile(({ atMs }) => atMs < startMs);
  const afterBytes = quartile(({ atMs }) => atMs > endMs);
  return { beforeBytes, afterBytes, hasGrown: afterBytes > beforeBytes * (1 + MAX_GROWTH) };
}

/** Undefined when the process has ended meanwhile, and on systems without `/proc`. */
function programOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, "latin1").trim();
  } catch {
    return undefined;
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Bytes of all files below a folder. Files and folders that disappear meanwhile count as nothing. */
function sizeOf(folder: string): number {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return 0;
  }
  return entries.reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return entry.isFile() ? sum + fileSize(path) : sum;
  }, 0);
}

function fileSize(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
