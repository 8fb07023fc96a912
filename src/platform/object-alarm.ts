/** An alarm that is this late is not expected any more. */
const OVERDUE_MS = 15_000;
/** Time after which the alarm of a running job is checked when somebody asks for the job's progress. */
const CHECK_AFTER_MS = 15_000;

/**
 * The time at which an object's alarm is set, held in memory beside the stored one. After a crash the runtime may not know
 * an alarm that the object has stored: one that is overdue counts as none, and is set again.
 */
export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;
  #atMs: number | undefined;
  #checkedAtMs = 0;

  constructor(storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">) {
    this.#storage = storage;
  }

  /** Sets the alarm in any case. Nothing is awaited before it is stored: it is, together with what was written just before. */
  async set(atMs: number): Promise<void> {
    this.#checkedAtMs = Date.now();
    this.#atMs = atMs;
    await this.#storage.setAlarm(atMs);
  }

  /** Sets the alarm unless an earlier one is set and not overdue. Each call of `setAlarm` writes a row. */
  async setBy(atMs: number): Promise<void> {
    this.#checkedAtMs = Date.now();
    this.#atMs ??= (await this.#storage.getAlarm()) ?? undefined;
    if (this.#atMs !== undefined && this.#atMs <= atMs && this.#atMs > Date.now() - OVERDUE_MS) return;
    await this.set(atMs);
  }

  /** Reports whether the alarm was neither set nor checked for a while. */
  isCheckDue(): boolean {
    return Date.now() - this.#checkedAtMs > CHECK_AFTER_MS;
  }

  /** Forgets the time: the alarm has come, or was deleted. */
  forget(): void {
    this.#atMs = undefined;
  }
}
