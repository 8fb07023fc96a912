import type { Task } from "../jobs/task.ts";
import { FairAdmission } from "../waits/fair-admission.ts";

type PromisedTask = Extract<Task, { type: "scrape_page" }>;

/** Scrapes of a team that run at a time; the first ones of as many other teams run beside them. */
const PLACES = 8;
/** A scrape takes 300 s at most, and its conversion and storage some more. */
const PLACE_LIFE_MS = 600_000;
/** Runs of a scrape; when the last one fails, its message goes on to the queue's own retries, and to the dead letters. */
const MAX_RUNS = 3;
/** A running scrape shows this often that its invocation exists. */
const SHOW_MS = 10_000;
const LOST_MS = 120_000;
/** Ended scrapes are remembered for this long: further copies of their messages may arrive. */
const KEPT_MS = 3_600_000;

interface Known {
  state: "running" | "done" | "failed";
  runs: number;
  seenAtMs: number;
  error?: unknown;
}

/**
 * Queued scrapes of a local service: its queue delivers one message after the other, so each scrape runs beside the deliveries,
 * teams in turns. The message stays in the queue until the scrape has ended: each delivery sends a copy, and is acknowledged.
 * A queue and this memory end with the same process.
 */
export class QueuedScrapes {
  readonly #turns: FairAdmission;
  readonly #known = new Map<string, Known>();
  readonly #nowMs: () => number;

  constructor({ places = PLACES, nowMs = Date.now }: { places?: number; nowMs?: () => number } = {}) {
    this.#turns = new FairAdmission({ places, placeLifeMs: PLACE_LIFE_MS, isProcessorBusy: () => true });
    this.#nowMs = nowMs;
  }

  /**
   * Returns what is to be done with a message: `run` its scrape, which then counts as running, `wait` for it, or nothing more.
   * @throws the error of a scrape that has failed too often
   */
  next(id: string): "run" | "wait" | "over" {
    this.#forgetOld();
    const { state, runs = 0, seenAtMs = 0, error } = this.#known.get(id) ?? {};
    if (state === "done") return "over";
    if (state === "running" && this.#nowMs() - seenAtMs < LOST_MS) return "wait";
    if (runs >= MAX_RUNS) throw error ?? new Error("The scrape has ended without a result, several times");
    this.#note(id, { state: "running", runs: runs + 1 });
    return "run";
  }

  /** Runs a scrape in its turn. Never throws: the next delivery of its message reads what has become of it. */
  async run({ request: { id }, key }: PromisedTask, work: () => Promise<void>): Promise<void> {
    const runs = this.#known.get(id)?.runs ?? 1;
    const showing = setInterval(() => this.#note(id, { state: "running", runs }), SHOW_MS);
    try {
      await this.#turns.run({ teamId: key.teamId, keyId: key.id }, work);
      this.#note(id, { state: "done", runs });
    } catch (error) {
      this.#note(id, { state: "failed", runs, error });
    } finally {
      clearInterval(showing);
    }
  }

  /** Notes that a run could not be started. */
  fail(id: string, error: unknown): void {
    this.#note(id, { state: "failed", runs: this.#known.get(id)?.runs ?? 1, error });
  }

  /** The latest ones last. */
  #note(id: string, known: Omit<Known, "seenAtMs">): void {
    this.#known.delete(id);
    this.#known.set(id, { ...known, seenAtMs: this.#nowMs() });
  }

  #forgetOld(): void {
    const beforeMs = this.#nowMs() - KEPT_MS;
    for (const [id, { seenAtMs }] of this.#known) {
      if (seenAtMs >= beforeMs) return;
      this.#known.delete(id);
    }
  }
}
