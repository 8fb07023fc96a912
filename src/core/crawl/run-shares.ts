import type { Owner } from "../fair-order.ts";
import { PAGES_PER_MESSAGE, RUN_LIFE_MS } from "./dispatch.ts";

/**
 * Pages that the runs of one isolate hold at a time. Each page keeps its document and its links, thousands for some, until
 * they are reported: hundreds of runs with all of their pages would fill the memory.
 */
const PAGES = 128;

interface RunHere {
  teamId: string;
  seenAtMs: number;
}

/** The runs of jobs that an isolate works on, and how much each of them may hold. Teams have equal parts. */
export class RunShares {
  readonly #runs = new Map<string, RunHere>();

  /**
   * Records that a run is at work.
   * @returns the part of what a run alone would hold: 1 while there are few runs, and less the more there are.
   */
  shareOf(run: string, { teamId }: Owner, nowMs: number): number {
    this.#runs.set(run, { teamId, seenAtMs: nowMs });
    let ofTeam = 0;
    const teams = new Set<string>();
    for (const [id, { teamId: other, seenAtMs }] of this.#runs) {
      // A run whose invocation was cut off does not leave.
      if (nowMs - seenAtMs > RUN_LIFE_MS) this.#runs.delete(id);
      else {
        teams.add(other);
        if (other === teamId) ofTeam++;
      }
    }
    return Math.min(1, PAGES / (teams.size * ofTeam * PAGES_PER_MESSAGE));
  }

  leave(run: string): void {
    this.#runs.delete(run);
  }
}
