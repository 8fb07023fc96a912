import type { SlotRequest } from "../../core/account/key-ledger.ts";

/** The part of a job's record that its start uses. */
export interface StartingJob {
  id(): string;
  /** Returns the slot that the job must take before it may work; undefined when it has one or needs none. */
  wantedSlot(): JobSlot | undefined;
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
  getByName(keyId: string): { takeSlot(slot: SlotRequest): Promise<boolean> };
}

/**
 * Completes the start of a job. The job's own record is stored first, together with the alarm that calls this again,
 * and the slot is taken afterwards: a slot never belongs to a job that does not exist, and after a crash between two
 * steps the alarm completes the start. Taking the slot of the same job twice takes one slot.
 */
export class JobStart {
  readonly #ledgers: SlotLedgers;
  readonly #job: StartingJob;
  #finishing: Promise<boolean> | undefined;

  constructor(ledgers: SlotLedgers, job: StartingJob) {
    this.#ledgers = ledgers;
    this.#job = job;
  }

  /**
   * @returns false when the key has reached its limit of concurrent jobs; the job is deleted then.
   * @throws the ledger's errors; the job is still to be started then.
   */
  finish(): Promise<boolean> {
    return (this.#finishing ??= this.#takeSlot().finally(() => (this.#finishing = undefined)));
  }

  async #takeSlot(): Promise<boolean> {
    const slot = this.#job.wantedSlot();
    if (slot === undefined) return true;
    const { keyId, limit, leaseMs } = slot;
    const isTaken = await this.#ledgers.getByName(keyId).takeSlot({ jobId: this.#job.id(), limit, leaseMs });
    if (isTaken) this.#job.noteSlot();
    else await this.#job.forget();
    return isTaken;
  }
}
