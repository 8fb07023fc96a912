import { AppError } from "./errors.ts";

/** Limits for parsing one external input. Default to `MAX_STEPS`, `MAX_DECODED_BYTES` and no deadline. */
export interface WorkLimits {
  /** Units of work: an element visited, a token read, a comparison. One takes some 50 to 200 ns. */
  steps?: number;
  /** Bytes of decoded input, summed over all layers (a ZIP inside a gzip counts twice). */
  bytes?: number;
  /** Deadline in ms since the epoch. Workers stop the clock between two awaits, so steps are the primary limit. */
  deadline?: { atMs: number; now: () => number };
}

/** Steps per request: some 100 times the need of a large page (a page of 5 MB takes 200,000 per pass). */
const MAX_STEPS = 50_000_000;
/** Decoded bytes per request. */
const MAX_DECODED_BYTES = 256_000_000;
/** Number of steps between two reads of the clock. */
const STEPS_PER_CLOCK_READ = 4_096;

/**
 * Counts the work of a request and ends it at a limit. One budget is passed through every parser of a request, which
 * counts in its loops. A parser that can return partial results calls `take`, stops when that is false, and names the
 * incomplete part in `cut`; a parser that cannot calls `spend`, which throws.
 */
export class WorkBudget {
  readonly #limits: Required<Pick<WorkLimits, "steps" | "bytes">> & Pick<WorkLimits, "deadline">;
  #parent: WorkBudget | undefined;
  #cut: Set<string>;
  #steps = 0;
  #bytes = 0;
  #nextClockRead = STEPS_PER_CLOCK_READ;
  #isLate = false;

  constructor(limits: WorkLimits = {}, parent?: WorkBudget) {
    this.#limits = { steps: MAX_STEPS, bytes: MAX_DECODED_BYTES, ...limits };
    this.#parent = parent;
    this.#cut = parent === undefined ? new Set() : parent.#cut;
  }

  /** Returns a budget for one part of the work. Its work also counts here; its incomplete parts are listed here. */
  within(limits: WorkLimits): WorkBudget {
    return new WorkBudget(limits, this);
  }

  /** Makes this budget a part of another one, where its work so far and its incomplete parts count from now on. */
  joinTo(parent: WorkBudget): void {
    parent.take(this.#steps);
    parent.takeBytes(this.#bytes);
    for (const part of this.#cut) parent.cut(part);
    this.#parent = parent;
    this.#cut = parent.#cut;
  }

  /** Steps taken so far, refused ones included. */
  get steps(): number {
    return this.#steps;
  }

  /** Bytes taken so far, refused ones included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Remaining steps and bytes of this budget and its parents, for work that is counted elsewhere. */
  get left(): { steps: number; bytes: number } {
    const above = this.#parent?.left ?? { steps: Infinity, bytes: Infinity };
    return {
      steps: Math.max(0, Math.min(this.#limits.steps - this.#steps, above.steps)),
      bytes: Math.max(0, Math.min(this.#limits.bytes - this.#bytes, above.bytes)),
    };
  }

  /** True when a limit has been exceeded; every later request is refused. */
  get isSpent(): boolean {
    const { steps, bytes } = this.#limits;
    return this.#isLate || this.#steps > steps || this.#bytes > bytes || this.#parent?.isSpent === true;
  }

  /**
   * Counts steps; a negative number or NaN, which would give steps back, counts as one.
   * @returns false when a limit has been exceeded: the caller stops.
   */
  take(steps = 1): boolean {
    this.#steps += steps >= 0 ? steps : 1;
    if (this.#limits.deadline !== undefined && this.#steps >= this.#nextClockRead) this.#readClock();
    if (this.#isLate || this.#steps > this.#limits.steps) return false;
    return this.#parent === undefined || this.#parent.take(steps);
  }

  /**
   * Counts decoded bytes; a negative number or NaN counts as one.
   * @returns false when a limit has been exceeded: the caller stops before it stores them.
   */
  takeBytes(bytes: number): boolean {
    this.#bytes += bytes >= 0 ? bytes : 1;
    if (this.#bytes > this.#limits.bytes) return false;
    return this.#parent === undefined || this.#parent.takeBytes(bytes);
  }

  /** Counts steps. @throws AppError `SCRAPE_WORK_LIMIT` when a limit has been exceeded. */
  spend(steps = 1): void {
    if (!this.take(steps)) throw new AppError("SCRAPE_WORK_LIMIT");
  }

  /** Counts decoded bytes. @throws AppError `SCRAPE_WORK_LIMIT` when a limit has been exceeded. */
  spendBytes(bytes: number): void {
    if (!this.takeBytes(bytes))
      throw new AppError("SCRAPE_WORK_LIMIT", "This file decompresses to more than this service reads");
  }

  /** Adds an incomplete part of the response, such as `structured data`. Idempotent. */
  cut(part: string): void {
    this.#cut.add(part);
  }

  /** The incomplete parts. */
  get cutParts(): string[] {
    return [...this.#cut];
  }

  /** Warning for the caller that names the incomplete parts; undefined when there are none. */
  get warning(): string | undefined {
    if (this.#cut.size === 0) return undefined;
    return `Reading this page takes more work than this service allows; incomplete: ${[...this.#cut].join(", ")}.`;
  }

  #readClock(): void {
    const { deadline } = this.#limits;
    this.#nextClockRead = this.#steps + STEPS_PER_CLOCK_READ;
    this.#isLate ||= deadline !== undefined && deadline.now() >= deadline.atMs;
  }
}
