import type { FrontierState, JobBilling } from "../../core/crawl/frontier.ts";
import type { JobCharge, SlotRequest } from "../../core/account/key-ledger.ts";
import { raisedCredits } from "../../storage/crawl/raised-pages.ts";
import { answered, orFormerly } from "../object-calls.ts";

/** The credit ledgers that jobs are charged to, by key. */
export interface KeyLedgers {
  getByName(keyId: string): {
    chargeJob(charge: JobCharge): Promise<number>;
    takeSlot(slot: SlotRequest): Promise<boolean>;
    releaseSlot(jobId: string): Promise<void>;
    held(): Promise<number>;
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
    const { creditsPerPage: unit } = billing;
    const { leased, pending } = state.counters;
    const pages = Math.max(leased + morePages, billing.reservesAll === true ? pending : 0);
    const reserved = await this.#report(state, billing, { reserve: pages * unit, unit });
    return unit === 0 ? morePages : reserved / unit - leased;
  }

  /** Charges finished pages and reserves nothing: the pages in progress are no longer waited for. */
  async chargeFinished(): Promise<void> {
    const state = this.#job.state();
    const billing = state?.config.billing;
    if (state === undefined || billing === undefined) return;
    await this.#report({ ...state, raised: {} }, billing, { reserve: 0, unit: billing.creditsPerPage });
  }

  /**
   * Reserves the credits of all pages that wait and of `morePages`, where the job does so before they start.
   * @returns false, with the reservation unchanged, when the key has too few credits left.
   */
  async reserveAll(morePages: number): Promise<boolean> {
    const state = this.#job.state();
    const billing = state?.config.billing;
    if (state === undefined || billing?.reservesAll !== true || billing.monthlyCredits === undefined) return true;
    const reserve = (state.counters.pending + morePages) * billing.creditsPerPage;
    return (await this.#report(state, billing, { reserve, unit: undefined })) >= reserve;
  }

  /**
   * Reserves credits for a page in progress that costs more than was reserved for it.
   * @param before what it has reserved in the same way already
   * @returns false, with nothing reserved, when the key has too few credits left
   */
  async raise(credits: number, before: number): Promise<boolean> {
    const state = this.#job.state();
    const billing = state?.config.billing;
    if (state === undefined || billing?.monthlyCredits === undefined) return true;
    const { leased, pending } = state.counters;
    const pages = billing.reservesAll === true ? Math.max(leased, pending) : leased;
    const reserve = pages * billing.creditsPerPage + credits - before;
    return (await this.#report(state, billing, { reserve, unit: undefined })) >= reserve;
  }

  /** Reports whether requests hold credits of the key, which they may give back. */
  async othersHold(): Promise<boolean> {
    const keyId = this.#job.state()?.config.billing?.keyId;
    if (keyId === undefined) return false;
    // An object of the release before does not tell.
    const ask = orFormerly(
      () => this.#ledgers.getByName(keyId).held(),
      async () => 0,
    );
    return (await answered(ask)) > 0;
  }

  async #report(
    state: FrontierState,
    { keyId, monthlyCredits }: JobBilling,
    reservation: Pick<JobCharge, "reserve" | "unit">,
  ): Promise<number> {
    const { creditsUsed, charged } = state;
    // Reservations that pages have raised are granted: the pages cost them unless they fail.
    const settled = creditsUsed + raisedCredits(state);
    const totals = { jobId: this.#job.id(), settled, charged, monthlyCredits };
    return await answered(this.#ledgers.getByName(keyId).chargeJob({ ...totals, ...reservation }));
  }

  /** Takes a slot for a job that runs again. @returns false when the key has reached its limit of concurrent jobs */
  async takeSlot(): Promise<boolean> {
    const { slot, billing } = this.#job.state()?.config ?? {};
    if (slot === undefined || billing === undefined) return true;
    return await answered(this.#ledgers.getByName(billing.keyId).takeSlot({ jobId: this.#job.id(), ...slot }));
  }

  /** Releases the job's slot in the ledger after the job has ended and is charged. */
  async release(): Promise<void> {
    const keyId = this.#job.state()?.config.billing?.keyId;
    if (keyId !== undefined) await answered(this.#ledgers.getByName(keyId).releaseSlot(this.#job.id()));
  }
}
