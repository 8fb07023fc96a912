import { existsSync, readdirSync, readFileSync } from "node:fs";

/** `/proc` counts CPU time in hundredths of a second on every Linux of today (USER_HZ). */
const MS_PER_TICK = 10;
const PAGE_BYTES = 4096;
const SAMPLE_INTERVAL_MS = 100;

export interface ProcessCost {
  cpuMs: number;
  peakBytes: number;
  /** Share of the machine that neither these processes nor this program used, 0 to 1: how far to trust the times. */
  othersShare: number;
}

/**
 * CPU time and memory of a process and everything below it, over a stretch of work. Processes that start or end
 * meanwhile count with the time they were last seen with. Memory is the largest sum of resident sets; pages shared
 * between processes count in each. undefined on systems without `/proc`.
 */
export async function costOf<T>(pid: number, work: () => Promise<T>): Promise<{ result: T; cost?: ProcessCost }> {
  if (!existsSync("/proc/self/stat")) return { result: await work() };
  const before = new Map(treeOf(pid).map((stat) => [stat.id, stat.cpuMs]));
  const last = new Map<string, number>();
  let peakBytes = 0;
  const look = (): void => {
    const tree = treeOf(pid);
    for (const { id, cpuMs } of tree) last.set(id, cpuMs);
    peakBytes = Math.max(
      peakBytes,
      tree.reduce((sum, { bytes }) => sum + bytes, 0),
    );
  };
  const machineBefore = readMachine();
  const ownBefore = process.cpuUsage();
  const sampling = setInterval(look, SAMPLE_INTERVAL_MS);
  try {
    const result = await work();
    look();
    const cpuMs = [...last].reduce((sum, [id, value]) => sum + value - (before.get(id) ?? 0), 0);
    const own = process.cpuUsage(ownBefore);
    const machine = readMachine();
    const othersMs = machine.busyMs - machineBefore.busyMs - cpuMs - (own.user + own.system) / 1000;
    const othersShare = Math.max(0, othersMs / Math.max(1, machine.totalMs - machineBefore.totalMs));
    return { result, cost: { cpuMs, peakBytes, othersShare } };
  } finally {
    clearInterval(sampling);
  }
}

/** Linux keeps this many characters of a program's name. */
const LONGEST_COMMAND = 15;

/** The processes below one that run a program of this name. Empty on systems without `/proc`. */
export function descendantsNamed(pid: number, program: string): number[] {
  return childrenOf(pid).flatMap((child) => [
    ...(commandOf(child) === program.slice(0, LONGEST_COMMAND) ? [child] : []),
    ...descendantsNamed(child, program),
  ]);
}

/** Returns the name of a process's program; undefined when the process has ended. */
function commandOf(pid: number): string | undefined {
  return readEnding(() => readFileSync(`/proc/${pid}/comm`, "latin1").trim(), undefined);
}

/** What of a process is in memory now, and the most that ever was (VmRSS and VmHWM, see proc(5)); NaN without `/proc`. */
export function memoryOf(pid: number): { residentBytes: number; peakBytes: number } {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "latin1") : "";
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "m").exec(status)?.[1] ?? Number.NaN) * 1024;
  return { residentBytes: bytes("VmRSS"), peakBytes: bytes("VmHWM") };
}

/** CPU time in ms of the threads of a process that run now, to the nanosecond (`schedstat`, see proc(5)); 0 without `/proc`. */
export function threadsCpuMsOf(pid: number): number {
  const threads = readEnding(() => readdirSync(`/proc/${pid}/task`), []);
  const nanoseconds = threads.map((thread) =>
    Number(readEnding(() => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1"), "0").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, own) => sum + own, 0) / 1e6;
}

/** Resident memory of a process, of which shared pages count by their share (Pss, see proc(5)); NaN without `/proc`. */
export function proportionalBytesOf(pid: number): number {
  const rollup = readEnding(() => readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"), "");
  return Number(/^Pss:\s*(\d+) kB/m.exec(rollup)?.[1] ?? Number.NaN) * 1024;
}

interface ProcessStat {
  /** Number and start time: tells a process from a later one with the same number. */
  id: string;
  cpuMs: number;
  bytes: number;
}

/** Resident memory of a process and everything below it. */
export function memoryOfTree(pid: number): number {
  return treeOf(pid).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Processes below a process, by their command lines. */
export function countProcesses(pid: number, isCounted: (commandLine: string) => boolean): number {
  return treeOf(pid).filter(({ id }) => isCounted(commandLine(id))).length;
}

function commandLine(id: string): string {
  try {
    return readFileSync(`/proc/${id.split("@")[0]}/cmdline`, "latin1").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function treeOf(pid: number): ProcessStat[] {
  const tree: ProcessStat[] = [];
  const queue = [pid];
  for (let member = queue.pop(); member !== undefined; member = queue.pop()) {
    const stat = readStat(member);
    if (stat === undefined) continue;
    tree.push(stat);
    queue.push(...childrenOf(member));
  }
  return tree;
}

/** The first line of `/proc/stat`: user, nice, system, idle, iowait, … of all processors together. */
function readMachine(): { busyMs: number; totalMs: number } {
  const ticks = readFileSync("/proc/stat", "latin1").split("\n")[0]?.split(/\s+/).slice(1, 9).map(Number) ?? [];
  const total = ticks.reduce((sum, value) => sum + value, 0);
  const idle = (ticks[3] ?? 0) + (ticks[4] ?? 0);
  return { busyMs: (total - idle) * MS_PER_TICK, totalMs: total * MS_PER_TICK };
}

/** Fields 14 and 15 (time in user and kernel mode), 22 (start) and 24 (resident pages), see proc(5). */
function readStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const cpuMs = (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    return { id: `${pid}@${fields[19]}`, cpuMs, bytes: Number(fields[21]) * PAGE_BYTES };
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  return readEnding(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    readEnding(() => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1"), "")
      .split(" ")
      .filter(Boolean)
      .map(Number),
  );
}

/** Reads what a process or thread may take away by ending meanwhile. */
function readEnding<T>(read: () => T, missing: T): T {
  try {
    return read();
  } catch {
    return missing;
  }
}
