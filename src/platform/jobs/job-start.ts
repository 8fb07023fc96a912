import type { SlotRequest } from "../../core/account/key-ledger.ts";

/** A job's own record, as far as its start concerns it. */
export interface StartingJob {
  id(): string;
  /** The slot that the job still has to take before it may work; undefined when it has one or needs none. */
  wantedSlot(): JobSlot | undefined;
  /** Writes down that the slot is taken. */
  noteSlot(): void;
  /** Removes everything that the job has written, because it may not start. */
  forget(): Promise<void>;
}

/** The slot that a job takes from its key, and gives back when it ends. */
export interface JobSlot {
  keyId: string;
  /** Jobs that the key may run at a time. */
  limit: number;
  leaseMs: number;
}

interface SlotGates {
  getByName(keyId: string): { takeSlot(slot: SlotRequest): Promise<boolean> };
}

/**
 * Finishes the start of a job. The job's own record is written first, together with the alarm that calls this again, and
 * takes the slot afterwards: a slot is never held by a job that does not exist, and a crash between two steps is finished
 * by the alarm. Taking the slot of the same job twice takes one slot.
 */
export class JobStart {
  readonly #gates: SlotGates;
  readonly #job: StartingJob;
  #finishing: Promise<boolean> | undefined;

  constructor(gates: SlotGates, job: StartingJob) {
    this.#gates = gates;
    this.#job = job;
  }

  /**
   * @returns false when the key runs as many jobs as it may; nothing is left of the job then.
   * @throws what the credit ledger throws; the job is still to be started.
   */
  finish(): Promise<boolean> {
    return (this.#finishing ??= this.#takeSlot().finally(() => (this.#finishing = undefined)));
  }

  async #takeSlot(): Promise<boolean> {
    const slot = this.#job.wantedSlot();
    if (slot === undefined) return true;
    const { keyId, limit, leaseMs } = slot;
    const isTaken = await this.#gates.getByName(keyId).takeSlot({ jobId: this.#job.id(), limit, leaseMs });
    if (isTaken) this.#job.noteSlot();
    else await this.#job.forget();
    return isTaken;
  }
}
