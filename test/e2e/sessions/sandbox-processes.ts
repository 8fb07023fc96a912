import { readdirSync, readFileSync } from "node:fs";
import { isRunning, parentOf } from "../../../src/tools/process/process-family.ts";

/** Processes of workerd whose keeper was started by a process: those of its sandbox host. */
export function sandboxProcesses(starter: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isWorkerd(pid) && parentOf(parentOf(pid) ?? 0) === starter);
}

/** Processor time of a process, in hundredths of a second (`utime` and `stime` of `/proc/<pid>/stat`). */
export function processorTicks(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/**
 * Returns the process that has worked much more than the others: those of other lanes may work for a moment meanwhile.
 * @param before processor times of the processes at the start
 * @returns 0 when none has
 */
export function busiestProcess(before: ReadonlyMap<number, number>): number {
  const gains = [...before].map(([pid, ticks]) => ({ pid, gain: isRunning(pid) ? processorTicks(pid) - ticks : 0 }));
  const [most, next] = gains.toSorted((one, other) => other.gain - one.gain);
  return most !== undefined && most.gain > 10 + 3 * (next?.gain ?? 0) ? most.pid : 0;
}

function isWorkerd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("workerd") && isRunning(pid);
  } catch {
    return false;
  }
}
