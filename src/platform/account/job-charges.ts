import type { FrontierState } from "../../core/crawl/frontier.ts";
import type { JobCharge, SlotRequest } from "../../core/account/key-ledger.ts";

/** The gates of keys, which the pages of jobs are paid at. */
export interface KeyLedgers {
  getByName(keyId: string): {
    chargeJob(charge: JobCharge): Promise<number>;
    takeSlot(slot: SlotRequest): Promise<boolean>;
    releaseSlot(jobId: string): Promise<void>;
  };
}

interface Job {
  id(): string;
  state(): FrontierState | undefined;
}

/**
 * Tells a key's gate what a job has come to. The job knows which pages are done and which are under way, whatever became
 * of whoever scraped them, and tells totals: nothing is lost by a crash and nothing is paid twice.
 */
export class JobCharges {
  readonly #gates: KeyLedgers;
  readonly #job: Job;
  /** One after the other, so that a later number is never overtaken by an earlier one. */
  #last: Promise<unknown> = Promise.resolve();
  #isDue = false;

  constructor(gates: KeyLedgers, job: Job) {
    this.#gates = gates;
    this.#job = job;
  }

  inRun<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Tells the gate some time. What does not arrive is told with the next number, or at the end. */
  async tellSoon(): Promise<void> {
    if (this.#isDue) return;
    this.#isDue = true;
    const told = this.inRun(async () => {
      this.#isDue = false;
      await this.charge(0);
    });
    await told.catch(() => undefined);
  }

  /** Pays what is done and sets credits aside for what is under way. @returns how many more pages there are credits for. */
  async charge(morePages: number): Promise<number> {
    const state = this.#job.state();
    const billing = state?.config.billing;
    if (state === undefined || billing === undefined) return morePages;
    const { keyId, creditsPerPage: unit, monthlyCredits } = billing;
    const { leased } = state.counters;
    const reserved = await this.#gates.getByName(keyId).chargeJob({
      jobId: this.#job.id(),
      settled: state.creditsUsed,
      reserve: (leased + morePages) * unit,
      unit,
      charged: state.charged,
      monthlyCredits,
    });
    return unit === 0 ? morePages : reserved / unit - leased;
  }

  /** The job is over and paid: the gate forgets it and has room for another. */
  async release(): Promise<void> {
    const keyId = this.#job.state()?.config.billing?.keyId;
    if (keyId !== undefined) await this.#gates.getByName(keyId).releaseSlot(this.#job.id());
  }
}
