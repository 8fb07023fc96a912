import { readFileSync } from "node:fs";

/** One missing answer may be due to this program: it was stopped itself, or the machine slept. */
const MAX_FAILURES = 2;
/** Questions in a row that may stay unanswered because the service waited for a processor. */
const MAX_STARVED = 6;
/** Time of one question in which it did. */
const STARVED_MS = 3_500;

/**
 * Tells a service that hangs from one that is not given a processor, on a machine that does much else: ending the latter
 * would cost more processor time, and end its browser sessions.
 */
export class HealthJudge {
  #failures = 0;
  #starved = 0;

  /** True while the last questions had no answer. */
  get isInDoubt(): boolean {
    return this.#failures + this.#starved > 0;
  }

  /**
   * Notes a question.
   * @param processorWaitMs for which the service waited for a processor meanwhile
   * @returns true when the service hangs
   */
  note(isAnswered: boolean, processorWaitMs: number): boolean {
    if (isAnswered) this.#failures = this.#starved = 0;
    else if (processorWaitMs >= STARVED_MS && this.#starved < MAX_STARVED) this.#starved++;
    else this.#failures++;
    return this.#failures >= MAX_FAILURES;
  }
}

/**
 * Returns how long the workerd among these processes that waited longest was ready to run and had no processor, in ms
 * since it started; 0 on systems that do not tell (`/proc/<pid>/schedstat`).
 */
export function processorWaitMs(pids: readonly number[], proc = "/proc"): number {
  const waits = pids.map((pid) => {
    if (read(`${proc}/${pid}/comm`).trim() !== "workerd") return 0;
    const [, waitNs] = read(`${proc}/${pid}/schedstat`).split(" ");
    return Number(waitNs) / 1e6 || 0;
  });
  return Math.max(0, ...waits);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
