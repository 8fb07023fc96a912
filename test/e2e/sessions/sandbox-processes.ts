import { readdirSync, readFileSync } from "node:fs";
import { isRunning, parentOf } from "../../../src/tools/process/process-family.ts";

/** Processes of workerd whose keeper was started by a process: those of its sandbox host. */
export function sandboxProcesses(starter: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => isWorkerd(pid) && parentOf(parentOf(pid) ?? 0) === starter);
}

/** Processor time of a process, in hundredths of a second (`utime` and `stime` of `/proc/<pid>/stat`). */
export function processorTicks(pid: number): number {
  const stat = statOf(pid);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Time after which the work of processes is compared anew: that of another lane may have come between. */
const LOOK_MS = 1_500;

/** A process that starts takes less. */
const LEAST_TICKS = 25;

/** Finds the process of a sandbox host that works, beside those of other lanes, which may work for a moment meanwhile. */
export class BusiestProcess {
  readonly #starter: number;
  #before = new Map<number, number>();
  #sinceMs = 0;

  /** @param starter process that started the keepers */
  constructor(starter: number) {
    this.#starter = starter;
    this.#begin();
  }

  /** Returns the process that has lately worked much more than each of the others, also one that is new; 0 when none has. */
  look(): number {
    const gains = sandboxProcesses(this.#starter).map((pid) => {
      const ticks = processorTicks(pid);
      if (!this.#before.has(pid)) this.#before.set(pid, ticks);
      return { pid, gain: ticks - (this.#before.get(pid) ?? ticks) };
    });
    const [most, next] = gains.toSorted((one, other) => other.gain - one.gain);
    if (most !== undefined && most.gain > LEAST_TICKS + 3 * (next?.gain ?? 0)) return most.pid;
    if (performance.now() - this.#sinceMs > LOOK_MS) this.#begin();
    return 0;
  }

  #begin(): void {
    this.#before = new Map(sandboxProcesses(this.#starter).map((pid) => [pid, processorTicks(pid)]));
    this.#sinceMs = performance.now();
  }
}

/** The line of a process in `/proc`; one without times for a process that has ended. */
function statOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return `) Z${" 0".repeat(50)}`;
  }
}

function isWorkerd(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("workerd") && isRunning(pid);
  } catch {
    return false;
  }
}
