import { readdirSync, readFileSync } from "node:fs";
import { isRunning, parentOf } from "../../src/tools/process/process-family.ts";

/** Processes of workerd whose keeper was started by a process: those of its sandbox host. */
export function sandboxProcesses(starter: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isWorkerd(pid) && parentOf(parentOf(pid) ?? 0) === starter);
}

function isWorkerd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("workerd") && isRunning(pid);
  } catch {
    return false;
  }
}
