import { AppError } from "../errors.ts";
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

/** Scrapes of a team, and of all, that have begun or wait for their turn in an invocation: the others wait in the queue. */
const BEGUN = { ofTeam: 32, inAll: 200 };
/** The message of a begun scrape is delivered again after this, until the scrape has ended. */
const LOOK_AGAIN_SECONDS = 60;
/** Messages that wait, of a team and in all, of which so many are delivered in a second, however many there are. */
const LOOKS_A_SECOND = { ofTeam: 8, inAll: 40 };
const MAX_AGAIN_SECONDS = 1_800;
/** Pending scrapes of a team with which no further searches queue some. */
const MOST_PENDING = 1_000;
const TOO_MANY_PENDING = `${MOST_PENDING} pages of earlier searches with asyncScraping are still being scraped. Wait for them before queueing more.`;
const RETRY_SECONDS = 10;

type State = "queued" | "waiting" | "running" | "done" | "failed";

interface Known {
  teamId: string;
  state: State;
  runs: number;
  seenAtMs: number;
  error?: unknown;
}

/** The step for a message, and the seconds after which it is delivered again. */
type Next = { step: "run" | "wait"; againSeconds: number } | { step: "over" };

type Counts = Record<State, number>;
const NONE: Counts = { queued: 0, waiting: 0, running: 0, done: 0, failed: 0 };

/**
 * Queued scrapes of a local service: its queue delivers one message after the other, so each scrape runs beside the deliveries,
 * teams in turns. The message stays in the queue until the scrape has ended: each delivery sends a copy, and is acknowledged.
 * A queue and this memory end with the same process.
 */
export class QueuedScrapes {
  readonly #turns: FairAdmission;
  readonly #known = new Map<string, Known>();
  readonly #teams = new Map<string, Counts>();
  readonly #inAll: Counts = { ...NONE };
  readonly #nowMs: () => number;

  constructor({ places = PLACES, nowMs = Date.now }: { places?: number; nowMs?: () => number } = {}) {
    this.#turns = new FairAdmission({ places, placeLifeMs: PLACE_LIFE_MS, isProcessorBusy: () => true });
    this.#nowMs = nowMs;
  }

  /**
   * Counts scrapes that a search may queue.
   * @returns a function that no longer counts them
   * @throws AppError `RATE_LIMITED` when too many scrapes of the team are pending
   */
  reserve(teamId: string, count: number): () => void {
    this.#forgetOld();
    const { queued, waiting, running } = this.#countsOf(teamId);
    if (queued + waiting + running >= MOST_PENDING)
      throw new AppError("RATE_LIMITED", TOO_MANY_PENDING, { retryAfterSeconds: RETRY_SECONDS });
    const withdraw = this.expect(
      teamId,
      Array.from({ length: count }, () => crypto.randomUUID()),
    );
    return () => withdraw();
  }

  /** Counts scrapes that are about to be queued. @returns a function that no longer counts those of them that were not delivered */
  expect(teamId: string, ids: readonly string[]): (unsent?: readonly string[]) => void {
    for (const id of ids) this.#note(id, { teamId, state: "queued", runs: 0 });
    return (unsent = ids) => {
      for (const id of unsent) if (this.#known.get(id)?.state === "queued") this.#forget(id);
    };
  }

  /** Reports whether this process knows a scrape, whose message then is in its queue. */
  knows(id: string): boolean {
    return this.#known.has(id);
  }

  /**
   * Returns what is to be done with a message: `run` its scrape, which then counts as running, `wait` for it, or nothing more.
   * @throws the error of a scrape that has failed too often
   */
  next({ request: { id }, key: { teamId } }: PromisedTask): Next {
    this.#forgetOld();
    const { state = "queued", runs = 0, seenAtMs = 0, error } = this.#known.get(id) ?? {};
    if (state === "done") return { step: "over" };
    if (state === "running" && this.#nowMs() - seenAtMs < LOST_MS)
      return { step: "wait", againSeconds: LOOK_AGAIN_SECONDS };
    if (runs >= MAX_RUNS) throw error ?? new Error("The scrape has ended without a result, several times");
    this.#forget(id);
    // Behind the messages of the team that came before it.
    if ((state === "queued" && this.#countsOf(teamId).waiting > 0) || !this.#mayBegin(teamId)) {
      this.#note(id, { teamId, state: "waiting", runs, error });
      return { step: "wait", againSeconds: this.#againSeconds(teamId) };
    }
    this.#note(id, { teamId, state: "running", runs: runs + 1 });
    return { step: "run", againSeconds: LOOK_AGAIN_SECONDS };
  }

  /** Runs a scrape in its turn. Never throws: the next delivery of its message reads what has become of it. */
  async run({ request: { id }, key }: PromisedTask, work: () => Promise<void>): Promise<void> {
    const { teamId } = key;
    const runs = this.#known.get(id)?.runs ?? 1;
    const showing = setInterval(() => this.#note(id, { teamId, state: "running", runs }), SHOW_MS);
    try {
      await this.#turns.run({ teamId, keyId: key.id }, work);
      this.#note(id, { teamId, state: "done", runs });
    } catch (error) {
      this.#note(id, { teamId, state: "failed", runs, error });
    } finally {
      clearInterval(showing);
    }
  }

  /** Notes that a run could not be started. */
  fail({ request: { id }, key: { teamId } }: PromisedTask, error: unknown): void {
    this.#note(id, { teamId, state: "failed", runs: this.#known.get(id)?.runs ?? 1, error });
  }

  /** A team's first one begins beside those of others. */
  #mayBegin(teamId: string): boolean {
    const { running } = this.#countsOf(teamId);
    return running < BEGUN.ofTeam && this.#inAll.running < (running === 0 ? 2 * BEGUN.inAll : BEGUN.inAll);
  }

  /** The more messages wait, the later each is delivered again: none keeps the deliveries from those of other teams. */
  #againSeconds(teamId: string): number {
    const { waiting } = this.#countsOf(teamId);
    const seconds = Math.max(waiting / LOOKS_A_SECOND.ofTeam, this.#inAll.waiting / LOOKS_A_SECOND.inAll);
    return Math.min(Math.ceil(seconds), MAX_AGAIN_SECONDS);
  }

  #countsOf(teamId: string): Counts {
    return this.#teams.get(teamId) ?? NONE;
  }

  /** The latest ones last. */
  #note(id: string, known: Omit<Known, "seenAtMs">): void {
    this.#forget(id);
    this.#known.set(id, { ...known, seenAtMs: this.#nowMs() });
    this.#count(known, 1);
  }

  #forget(id: string): void {
    const known = this.#known.get(id);
    if (known === undefined) return;
    this.#known.delete(id);
    this.#count(known, -1);
  }

  #count({ teamId, state }: Pick<Known, "teamId" | "state">, more: number): void {
    this.#inAll[state] += more;
    const counts = this.#teams.get(teamId) ?? { ...NONE };
    counts[state] += more;
    if (Object.values(counts).every((count) => count === 0)) this.#teams.delete(teamId);
    else this.#teams.set(teamId, counts);
  }

  #forgetOld(): void {
    const beforeMs = this.#nowMs() - KEPT_MS;
    for (const [id, { seenAtMs }] of this.#known) {
      if (seenAtMs >= beforeMs) return;
      this.#forget(id);
    }
  }
}
