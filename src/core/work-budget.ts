import { AppError } from "./errors.ts";

/** What reading one foreign input may take. What is left out is not limited by the caller. */
export interface WorkLimits {
  /** Units of work: an element visited, a token read, a comparison made. One takes some 50 to 200 ns. */
  steps?: number;
  /** Bytes of decoded input, summed over all layers (a ZIP inside a gzip counts twice). */
  bytes?: number;
  /** When the work must have ended, in ms since the epoch. Workers stop the clock between two awaits, so steps come first. */
  deadline?: { atMs: number; now: () => number };
}

/** Steps for one request: some 100 times what a large page takes (a page of 5 MB takes 200,000 a pass). */
export const MAX_STEPS = 50_000_000;
/** Decoded bytes for one request. */
export const MAX_DECODED_BYTES = 256_000_000;
/** How many steps lie between two looks at the clock. */
const STEPS_PER_CLOCK_READ = 4_096;

/**
 * Counts the work that a request causes, and ends it at a limit. One budget travels with a request through every parser, which
 * counts in its loops. A reader that can answer in part asks with `take`, stops when that is false, and names in `cut` what is
 * incomplete; a reader that cannot calls `spend`, which throws.
 */
export class WorkBudget {
  readonly #limits: Required<Pick<WorkLimits, "steps" | "bytes">> & Pick<WorkLimits, "deadline">;
  readonly #parent: WorkBudget | undefined;
  readonly #cut: Set<string>;
  #steps = 0;
  #bytes = 0;
  #nextClockRead = STEPS_PER_CLOCK_READ;
  #isLate = false;

  constructor(limits: WorkLimits = {}, parent?: WorkBudget) {
    this.#limits = { steps: MAX_STEPS, bytes: MAX_DECODED_BYTES, ...limits };
    this.#parent = parent;
    this.#cut = parent === undefined ? new Set() : parent.#cut;
  }

  /** A budget for one part of the work. What it spends counts here as well; what it cuts is named here. */
  within(limits: WorkLimits): WorkBudget {
    return new WorkBudget(limits, this);
  }

  /** Steps taken so far, refused ones included. */
  get steps(): number {
    return this.#steps;
  }

  /** Bytes taken so far, refused ones included. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What is left of the limits here and above, for work that counts elsewhere. */
  get left(): { steps: number; bytes: number } {
    const above = this.#parent?.left ?? { steps: Infinity, bytes: Infinity };
    return {
      steps: Math.max(0, Math.min(this.#limits.steps - this.#steps, above.steps)),
      bytes: Math.max(0, Math.min(this.#limits.bytes - this.#bytes, above.bytes)),
    };
  }

  /** True when a limit has been passed; every later request is refused. */
  get isSpent(): boolean {
    const { steps, bytes } = this.#limits;
    return this.#isLate || this.#steps > steps || this.#bytes > bytes || this.#parent?.isSpent === true;
  }

  /** Counts steps. @returns false when a limit has been passed: the caller stops. */
  take(steps = 1): boolean {
    this.#steps += steps;
    if (this.#limits.deadline !== undefined && this.#steps >= this.#nextClockRead) this.#readClock();
    if (this.#isLate || this.#steps > this.#limits.steps) return false;
    return this.#parent === undefined || this.#parent.take(steps);
  }

  /** Counts decoded bytes. @returns false when a limit has been passed: the caller stops before it keeps them. */
  takeBytes(bytes: number): boolean {
    this.#bytes += bytes;
    if (this.#bytes > this.#limits.bytes) return false;
    return this.#parent === undefined || this.#parent.takeBytes(bytes);
  }

  /** Counts steps. @throws AppError `SCRAPE_WORK_LIMIT` when a limit has been passed. */
  spend(steps = 1): void {
    if (!this.take(steps)) throw new AppError("SCRAPE_WORK_LIMIT");
  }

  /** Counts decoded bytes. @throws AppError `SCRAPE_WORK_LIMIT` when a limit has been passed. */
  spendBytes(bytes: number): void {
    if (!this.takeBytes(bytes))
      throw new AppError("SCRAPE_WORK_LIMIT", "This file unpacks to more than this service reads");
  }

  /** Names a part of the answer that is incomplete, such as `structured data`. Naming it again changes nothing. */
  cut(part: string): void {
    this.#cut.add(part);
  }

  /** The parts that were named as incomplete. */
  get cutParts(): string[] {
    return [...this.#cut];
  }

  /** What is incomplete, in words for the caller; undefined when nothing is. */
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
