import type { FrontierState } from "../../core/crawl/frontier.ts";
import type { JobCharge, SlotRequest } from "../../core/account/key-ledger.ts";

/** The credit ledgers that jobs are charged to, by key. */
export interface KeyLedgers {
  getByName(keyId: string): {
    chargeJob(charge: JobCharge): Promise<number>;
    takeSlot(slot: SlotRequest): Promise<boolean>;
    releaseSlot(jobId: string): Promise<void>;
  };
}

/** Time between two reports in the background: each writes two rows of the ledger. */
const REPORT_INTERVAL_MS = 5_000;

interface Job {
  id(): string;
  state(): FrontierState | undefined;
}

/**
 * Reports the totals of a job to the credit ledger of its key. The job itself counts which pages are done and in
 * progress, and reports totals instead of changes: a crash loses no charge, and no page is charged twice.
 */
export class JobCharges {
  readonly #ledgers: KeyLedgers;
  readonly #job: Job;
  /** Serialises the reports, so that an earlier total never arrives after a later one. */
  #last: Promise<unknown> = Promise.resolve();
  #reportedAtMs = 0;

  constructor(ledgers: KeyLedgers, job: Job) {
    this.#ledgers = ledgers;
    this.#job = job;
  }

  inOrder<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Reports the totals in the background, unless they were just reported. The last report covers what others left out. */
  async reportSoon(nowMs: number): Promise<void> {
    if (nowMs - this.#reportedAtMs < REPORT_INTERVAL_MS) return;
    this.#reportedAtMs = nowMs;
    try {
      await this.inOrder(() => this.charge(0));
    } catch {
      this.#reportedAtMs = 0;
    }
  }

  /** Charges finished pages and reserves credits for pages in progress. @returns how many more the key can pay for */
  async charge(morePages: number): Promise<number> {
    const state = this.#job.state();
    const billing = state?.config.billing;
    if (state === undefined || billing === undefined) return morePages;
    const { keyId, creditsPerPage: unit, monthlyCredits } = billing;
    const { leased } = state.counters;
    const reserved = await this.#ledgers.getByName(keyId).chargeJob({
      jobId: this.#job.id(),
      settled: state.creditsUsed,
      reserve: (leased + morePages) * unit,
      unit,
      charged: state.charged,
      monthlyCredits,
    });
    return unit === 0 ? morePages : reserved / unit - leased;
  }

  /** Takes a slot for a job that runs again. @returns false when the key has reached its limit of concurrent jobs */
  async takeSlot(): Promise<boolean> {
    const { slot, billing } = this.#job.state()?.config ?? {};
    if (slot === undefined || billing === undefined) return true;
    return await this.#ledgers.getByName(billing.keyId).takeSlot({ jobId: this.#job.id(), ...slot });
  }

  /** Releases the job's slot in the ledger after the job has ended and is charged. */
  async release(): Promise<void> {
    const keyId = this.#job.state()?.config.billing?.keyId;
    if (keyId !== undefined) await this.#ledgers.getByName(keyId).releaseSlot(this.#job.id());
  }
}
