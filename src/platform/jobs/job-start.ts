import type { SlotRequest } from "../../core/account/key-ledger.ts";
import type { StartOutcome } from "../../ports/crawl/frontier.ts";
import { answered } from "../object-calls.ts";

/** The part of a job's record that its start uses. */
export interface StartingJob {
  id(): string;
  /** Returns the slot that the job must take before it may work; undefined when it has one or needs none. */
  wantedSlot(): JobSlot | undefined;
  /** Reserves the credits that the job needs before it starts. @returns false when the key has too few left */
  reserve?(): Promise<boolean>;
  /** Stores that the slot is taken. */
  noteSlot(): void;
  /** Deletes everything that the job has stored, because it may not start. */
  forget(): Promise<void>;
}

/** The slot that a job takes from its key and releases when it ends. */
export interface JobSlot {
  keyId: string;
  /** Limit of concurrent jobs of the key. */
  limit: number;
  leaseMs: number;
}

interface SlotLedgers {
  getByName(keyId: string): {
    takeSlot(slot: SlotRequest): Promise<boolean>;
    releaseSlot(jobId: string): Promise<void>;
  };
}

/**
 * Completes the start of a job. The job's own record is stored first, together with the alarm that calls this again,
 * and the slot and the credits are taken afterwards: they never belong to a job that does not exist, and after a crash
 * between two steps the alarm completes the start. Taking those of the same job twice takes them once.
 */
export class JobStart {
  readonly #ledgers: SlotLedgers;
  readonly #job: StartingJob;
  #finishing: Promise<StartOutcome> | undefined;

  constructor(ledgers: SlotLedgers, job: StartingJob) {
    this.#ledgers = ledgers;
    this.#job = job;
  }

  /**
   * @returns the reason when the job may not start; it is deleted then.
   * @throws the ledger's errors; the job is still to be started then.
   */
  finish(): Promise<StartOutcome> {
    return (this.#finishing ??= this.#take().finally(() => (this.#finishing = undefined)));
  }

  async #take(): Promise<StartOutcome> {
    const slot = this.#job.wantedSlot();
    if (slot === undefined) return "started";
    const { keyId, limit, leaseMs } = slot;
    const jobId = this.#job.id();
    if (!(await answered(this.#ledgers.getByName(keyId).takeSlot({ jobId, limit, leaseMs }))))
      return await this.#refuse("no_slot");
    if ((await this.#job.reserve?.()) === false) {
      await answered(this.#ledgers.getByName(keyId).releaseSlot(jobId));
      return await this.#refuse("no_credits");
    }
    this.#job.noteSlot();
    return "started";
  }

  async #refuse(reason: StartOutcome): Promise<StartOutcome> {
    await this.#job.forget();
    return reason;
  }
}
