import {
  NO_COUNTERS,
  NO_SLOTS,
  addHold,
  adjustCredits,
  admit,
  chargeJob,
  forgetJob,
  heldCredits,
  keyUsage,
  releaseSlot,
  settleHold,
  takeSlot,
  type Admission,
  type AdmitRequest,
  type CreditChange,
  type GateCounters,
  type GateSlots,
  type HoldRequest,
  type JobCharge,
  type KeyUsage,
  type SlotRequest,
} from "../../core/account/key-ledger.ts";
import type { WorkRecord } from "../../core/account/usage.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { UsageLedger } from "./usage-ledger.ts";

/**
 * The counters and the ledger of one key, which always agree: what a piece of work costs is spent when the work is
 * written into the ledger, and until then it is held for that work. A hold whose work was lost goes back by itself.
 *
 * Two rows hold the counters. Admitting work writes one of them, with the hold in it; writing the work down writes the
 * ledger's row alone. The hold is removed in memory and with the next write; after a restart, the ledger tells which of
 * the holds on disk are settled. Every method takes the time as an argument.
 */
export class KeyBooks {
  readonly #sql: Sql;
  #counters: GateCounters;
  #slots: GateSlots;
  #opened: UsageLedger | undefined;

  constructor(sql: Sql, nowMs: number) {
    this.#sql = sql;
    sql.rows("CREATE TABLE IF NOT EXISTS gate (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
    this.#counters = this.#read<GateCounters>("counters") ?? NO_COUNTERS;
    this.#slots = this.#read<GateSlots>("slots") ?? NO_SLOTS;
    for (const holdId of Object.keys(this.#counters.holds ?? {})) {
      const credits = this.ledger.creditsOf(holdId);
      if (credits !== undefined) this.#counters = settleHold(this.#counters, { holdId, credits }, nowMs).counters;
    }
  }

  admit(request: AdmitRequest, nowMs: number): Admission {
    const { admission, counters } = admit(this.#counters, request, nowMs);
    this.#keepCounters(counters);
    return admission;
  }

  /** @returns false when more was asked for than is left; then nothing is taken. */
  addHold(request: HoldRequest, nowMs: number): boolean {
    const { done, counters } = addHold(this.#counters, request, nowMs);
    this.#keepCounters(counters);
    return done;
  }

  /**
   * Holds credits for work that may be done again after a crash: in the place of what is held for it, and none when the
   * work is in the ledger already. @returns false when more was asked for than is left.
   */
  holdOnce(request: HoldRequest, nowMs: number): boolean {
    if (this.ledger.creditsOf(request.holdId) !== undefined) return true;
    const free = settleHold(this.#counters, { holdId: request.holdId, credits: 0 }, nowMs).counters;
    const { done, counters } = addHold(free, request, nowMs);
    this.#keepCounters(counters);
    return done;
  }

  adjustCredits(change: CreditChange, nowMs: number): boolean {
    const { done, counters } = adjustCredits(this.#counters, change, nowMs);
    this.#keepCounters(counters);
    return done;
  }

  /** @returns how many credits are set aside. */
  chargeJob(charge: JobCharge, nowMs: number): number {
    const { reserved, counters } = chargeJob(this.#counters, charge, nowMs);
    this.#keepCounters(counters);
    return reserved;
  }

  takeSlot(slot: SlotRequest, nowMs: number): boolean {
    const { taken, slots } = takeSlot(this.#slots, slot, nowMs);
    this.#keepSlots(slots);
    return taken;
  }

  /** Gives a job's slot back and forgets what it has taken. */
  releaseSlot(jobId: string, nowMs: number): void {
    this.#keepCounters(forgetJob(this.#counters, jobId));
    this.#keepSlots(releaseSlot(this.#slots, jobId, nowMs));
  }

  usage(nowMs: number): KeyUsage {
    return keyUsage(this.#counters, this.#slots, nowMs);
  }

  /** Credits that are held for work which is not written down yet, and not given up for lost. */
  held(nowMs: number): number {
    return heldCredits(this.#counters, nowMs);
  }

  /** Writes work down and spends what it came to, in one step. Told twice, it is spent once. */
  record(work: WorkRecord, nowMs: number): void {
    const { requestId: holdId } = work;
    this.#sql.transaction(() => {
      const known = this.ledger.creditsOf(holdId);
      const fillsPage = this.ledger.record(work, nowMs);
      const credits = known === undefined ? work.receipt.credits : 0;
      const { wasHeld, counters } = settleHold(this.#counters, { holdId, credits }, nowMs);
      // The ledger knows its last pages alone: before one is forgotten, its holds are removed on disk as well.
      if (fillsPage || known !== undefined || !wasHeld) this.#keepCounters(counters);
      else this.#counters = counters;
    });
  }

  /** Made when it is first asked for: most keys that are only checked have nothing to write down. */
  get ledger(): UsageLedger {
    return (this.#opened ??= new UsageLedger(this.#sql));
  }

  #keepCounters(counters: GateCounters): void {
    if (counters === this.#counters) return;
    this.#write("counters", counters);
    this.#counters = counters;
  }

  #keepSlots(slots: GateSlots): void {
    if (slots === this.#slots) return;
    this.#write("slots", slots);
    this.#slots = slots;
  }

  /** Rows are written by this class alone, in the shape that it reads: hence the cast without a parse. */
  #read<State>(part: "counters" | "slots"): State | undefined {
    const [row] = this.#sql.rows<{ state: string }>("SELECT state FROM gate WHERE part = ?", part);
    return row === undefined ? undefined : (JSON.parse(row.state) as State);
  }

  #write(part: "counters" | "slots", state: GateCounters | GateSlots): void {
    this.#sql.rows("INSERT OR REPLACE INTO gate (part, state) VALUES (?, ?)", part, JSON.stringify(state));
  }
}
