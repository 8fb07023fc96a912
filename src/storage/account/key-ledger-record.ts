import type { z } from "zod";
import { readStored } from "../../core/stored-state.ts";
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
  LedgerCounters,
  LedgerSlots,
  type HoldRequest,
  type JobCharge,
  type KeyUsage,
  type SlotRequest,
} from "../../core/account/key-ledger.ts";
import type { WorkRecord } from "../../core/account/usage.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { UsageLedger } from "./usage-ledger.ts";

/**
 * The counters and the ledger of one key, always consistent: the cost of a piece of work is charged when the work is
 * recorded in the ledger, and reserved until then. The reservation of lost work is released automatically.
 *
 * Two rows store the counters. Admitting work writes one of them, with the hold in it; recording the work writes only
 * the ledger's row. The hold is removed in memory and with the next write; after a restart, the ledger shows which of
 * the holds on disk are settled. Every method takes the time as an argument.
 */
export class KeyLedgerRecord {
  readonly #sql: Sql;
  #counters: LedgerCounters;
  #slots: LedgerSlots;
  #opened: UsageLedger | undefined;

  constructor(sql: Sql, nowMs: number) {
    this.#sql = sql;
    sql.rows("CREATE TABLE IF NOT EXISTS ledger (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
    this.#counters = this.#read(LedgerCounters, "counters") ?? NO_COUNTERS;
    this.#slots = this.#read(LedgerSlots, "slots") ?? NO_SLOTS;
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

  /** Reserves credits. @returns false, and reserves nothing, when too few are left. */
  addHold(request: HoldRequest, nowMs: number): boolean {
    const { done, counters } = addHold(this.#counters, request, nowMs);
    this.#keepCounters(counters);
    return done;
  }

  /**
   * Reserves credits for work that may be repeated after a crash: replaces its reservation, and reserves nothing when
   * the work is already in the ledger. @returns false when too few credits are left.
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

  /** Sets the credits of a job to its totals. @returns the number of reserved credits. */
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

  /** Releases a job's slot and deletes its entry. */
  releaseSlot(jobId: string, nowMs: number): void {
    this.#keepCounters(forgetJob(this.#counters, jobId));
    this.#keepSlots(releaseSlot(this.#slots, jobId, nowMs));
  }

  usage(nowMs: number): KeyUsage {
    return keyUsage(this.#counters, this.#slots, nowMs);
  }

  /** Returns the credits reserved for work that is neither recorded nor lost. */
  held(nowMs: number): number {
    return heldCredits(this.#counters, nowMs);
  }

  /** Records work and charges its cost in one step. Repeated records are charged once. */
  record(work: WorkRecord, nowMs: number): void {
    const { requestId: holdId } = work;
    this.#sql.transaction(() => {
      const known = this.ledger.creditsOf(holdId);
      const fillsPage = this.ledger.record(work, nowMs);
      const credits = known === undefined ? work.receipt.credits : 0;
      const { wasHeld, counters } = settleHold(this.#counters, { holdId, credits }, nowMs);
      // The ledger has the credits of its last pages only: before it drops one, its holds are removed on disk as well.
      if (fillsPage || known !== undefined || !wasHeld) this.#keepCounters(counters);
      else this.#counters = counters;
    });
  }

  /** Created on first use: most keys that are only checked have nothing to record. */
  get ledger(): UsageLedger {
    return (this.#opened ??= new UsageLedger(this.#sql));
  }

  #keepCounters(counters: LedgerCounters): void {
    if (counters === this.#counters) return;
    this.#write("counters", counters);
    this.#counters = counters;
  }

  #keepSlots(slots: LedgerSlots): void {
    if (slots === this.#slots) return;
    this.#write("slots", slots);
    this.#slots = slots;
  }

  /** Reads a row, when the object starts. */
  #read<Schema extends z.ZodType>(schema: Schema, part: "counters" | "slots"): z.output<Schema> | undefined {
    const [row] = this.#sql.rows<{ state: string }>("SELECT state FROM ledger WHERE part = ?", part);
    return row === undefined ? undefined : readStored(schema, row.state, "credit ledger");
  }

  #write(part: "counters" | "slots", state: LedgerCounters | LedgerSlots): void {
    this.#sql.rows("INSERT OR REPLACE INTO ledger (part, state) VALUES (?, ?)", part, JSON.stringify(state));
  }
}
