import { readdirSync, readFileSync } from "node:fs";
import { isRunning, parentOf } from "../../../src/tools/process/process-family.ts";

/** Processes of sandbox hosts whose keeper was started by a process. The service's own workerd is not among them. */
export function sandboxProcesses(starter: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isSandbox(pid) && parentOf(parentOf(pid) ?? 0) === starter);
}

/** Processor time of a process, in hundredths of a second (`utime` and `stime` of `/proc/<pid>/stat`). */
export function processorTicks(pid: number): number {
  const stat = statOf(pid);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** The line of a process in `/proc`; one without times for a process that has ended. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return `) Z${" 0".repeat(50)}`;
  }
}

/** A sandbox's workerd listens at a socket in the file system, the service's at a port. */
function isSandbox(pid: number): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("workerd")) return false;
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--socket-addr=main=unix:") && isRunning(pid);
  } catch {
    return false;
  }
}
