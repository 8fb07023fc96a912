import type { z } from "zod";
import { readStored, writtenBack } from "../../core/stored-state.ts";
import {
  NO_COUNTERS,
  NO_SLOTS,
  addHold,
  adjustCredits,
  admit,
  chargedCredits,
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
import {
  endLease,
  grantLease,
  isHeld,
  LEASE_MS,
  settleWork,
  type LeaseAsk,
  type LeaseGrant,
  type LeaseReport,
  type LeaseTerms,
} from "../../core/account/key-lease.ts";
import type { WorkRecord } from "../../core/account/usage.ts";
import type { Sql } from "../../ports/storage/sql.ts";
import { UsageLedger } from "./usage-ledger.ts";

const StoredCounters = writtenBack(LedgerCounters);

/** Shortest time by which the rate of a key is measured. */
const MIN_RATE_MS = 1_000;

/** Requests by which the row on disk is ahead, and until when. */
interface Ahead {
  mode: AdmitRequest["mode"];
  requests: number;
  fromMs: number;
  endsAtMs: number;
}

/** Requests that were admitted or leased. */
interface Admitted {
  terms: LeaseTerms;
  requests: number;
  /** False for credits that are spent at once, of which the ledger will have no record. */
  mayBeAhead: boolean;
}

/**
 * The counters and the ledger of one key, always consistent: the cost of a piece of work is charged when the work is
 * recorded in the ledger, and reserved until then. The reservation of lost work is released automatically.
 *
 * Two rows store the counters. Admitting work writes one of them, with the hold in it; recording works writes only
 * the ledger's row. Their holds are removed in memory and with the next write; after a restart, the ledger shows which
 * of the holds on disk are settled. Every method takes the time as an argument.
 *
 * Of a hot key without a monthly budget, the row on disk is ahead of the counters in memory by some requests, which are
 * admitted without a write. After a restart they count as used, until the end of their window.
 *
 * Calls carry the report of an isolate: works and ended leases, which are applied before the call itself.
 */
export class KeyLedgerRecord {
  readonly #sql: Sql;
  #counters: LedgerCounters;
  #slots: LedgerSlots;
  #opened: UsageLedger | undefined;
  #ahead: Ahead | undefined;

  constructor(sql: Sql, nowMs: number) {
    this.#sql = sql;
    sql.rows("CREATE TABLE IF NOT EXISTS ledger (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID");
    this.#counters = this.#read(StoredCounters, "counters") ?? NO_COUNTERS;
    this.#slots = this.#read(LedgerSlots, "slots") ?? NO_SLOTS;
    this.#settleRecorded(nowMs);
  }

  /** Settles works that were recorded after the counters were written: their holds are on disk, or the row was ahead. */
  #settleRecorded(nowMs: number): void {
    const { holds = {}, recordedUpToMs } = this.#counters;
    if (Object.keys(holds).length === 0 && recordedUpToMs === undefined) return;
    const works =
      recordedUpToMs === undefined
        ? // Counters of earlier versions, which had no leases.
          Object.keys(holds).map((holdId) => ({ holdId, credits: this.ledger.creditsOf(holdId), atMs: nowMs }))
        : this.ledger.recordedAfter(recordedUpToMs).map(({ requestId, ...work }) => ({ holdId: requestId, ...work }));
    for (const { holdId, credits, atMs, ...from } of works) {
      if (credits !== undefined) {
        this.#counters = settleWork(this.#counters, { holdId, credits, ...from }, atMs).counters;
      }
    }
  }

  /** Admits a request, and grants a lease for further ones where it is asked for. */
  admit(
    request: AdmitRequest,
    nowMs: number,
    { ask, report }: { ask?: LeaseAsk | undefined; report?: LeaseReport | undefined } = {},
  ): Admission & { lease?: LeaseGrant } {
    return this.#after(report, nowMs, () => {
      const { admission, counters } = admit(this.#counters, request, nowMs);
      if (admission.kind !== "admitted") {
        this.#keepCounters(counters);
        return admission;
      }
      const leased = ask === undefined ? undefined : grantLease(counters, { ask, terms: request }, nowMs);
      const grant = leased?.grant;
      const mayBeAhead = isHeld(request);
      const terms = { terms: request, requests: 1 + (grant?.requests ?? 0), mayBeAhead };
      this.#keepAdmitted(leased?.counters ?? counters, terms, nowMs);
      return grant === undefined ? admission : { ...admission, lease: grant };
    });
  }

  /** Writes the counters after admissions, unless the row on disk is ahead by as many requests. */
  #keepAdmitted(counters: LedgerCounters, { terms, requests, mayBeAhead }: Admitted, nowMs: number): void {
    const ahead = this.#ahead;
    const hasRoom =
      ahead?.mode === terms.mode && ahead.requests >= requests && nowMs >= ahead.fromMs && nowMs < ahead.endsAtMs;
    // Credits of a budget are written before they are used; without one, the ledger says what was used.
    const isFree = mayBeAhead && terms.monthlyCredits === undefined;
    if (hasRoom && isFree) {
      ahead.requests -= requests;
      this.#counters = counters;
      return;
    }
    const { startMs, count } = counters.windows[terms.mode] ?? { startMs: nowMs, count: 0 };
    const rate = count / Math.max(MIN_RATE_MS, nowMs - startMs);
    const ask = { id: `ahead-${crypto.randomUUID()}`, requests: Math.ceil(2 * rate * LEASE_MS) };
    const { grant, counters: onDisk } = isFree
      ? grantLease(counters, { ask, terms: { ...terms, credits: 0 } }, nowMs)
      : { counters };
    this.#keepCounters(counters, onDisk);
    if (grant === undefined) return;
    this.#ahead = { mode: terms.mode, requests: grant.requests, fromMs: nowMs, endsAtMs: nowMs + grant.lifeMs };
  }

  /** Grants a lease without a request. */
  lease(asked: { ask: LeaseAsk; terms: LeaseTerms }, report: LeaseReport, nowMs: number): LeaseGrant | undefined {
    return this.#after(report, nowMs, () => {
      const { grant, counters } = grantLease(this.#counters, asked, nowMs);
      if (grant === undefined) this.#keepCounters(counters);
      else this.#keepAdmitted(counters, { ...asked, requests: grant.requests, mayBeAhead: true }, nowMs);
      return grant;
    });
  }

  /** Records the works of a report, and ends its leases. */
  report(report: LeaseReport, nowMs: number): void {
    this.#after(report, nowMs, () => undefined);
  }

  /** Does work after the works and the ended leases of a report, in one transaction. */
  #after<Result>(report: LeaseReport | undefined, nowMs: number, work: () => Result): Result {
    if (report === undefined || report.ended.length + report.works.length === 0) return work();
    return this.#sql.transaction(() => {
      this.#record(report.works, nowMs);
      // In memory, and on disk with the next write: a lease that a crash leaves is released as lost.
      for (const end of report.ended) this.#counters = endLease(this.#counters, end, nowMs);
      return work();
    });
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

  /** Returns the credits that are charged or reserved this month, those of leases included. */
  used(nowMs: number): number {
    return chargedCredits(this.#counters, nowMs);
  }

  /** Returns the credits reserved for work that is neither recorded nor lost. */
  held(nowMs: number): number {
    return heldCredits(this.#counters, nowMs);
  }

  /** Records work and charges its cost in one step. Repeated records are charged once. */
  record(work: WorkRecord, nowMs: number): void {
    this.#record([work], nowMs);
  }

  #record(reported: readonly WorkRecord[], nowMs: number): void {
    const { holds = {} } = this.#counters;
    const works = reported.filter(({ requestId, onlyHeld }) => onlyHeld !== true || Object.hasOwn(holds, requestId));
    if (works.length === 0) return;
    this.#sql.transaction(() => {
      let after = this.#counters;
      let isSettled = true;
      const seen = new Set<string>();
      for (const { requestId: holdId, receipt, lease } of works) {
        const isKnown = seen.has(holdId) || this.ledger.creditsOf(holdId) !== undefined;
        seen.add(holdId);
        const settled = isKnown ? { holdId, credits: 0 } : { holdId, credits: receipt.credits, lease };
        const { wasHeld, counters } = settleWork(after, settled, nowMs);
        isSettled &&= !isKnown && wasHeld;
        after = counters;
      }
      const fillsPage = this.ledger.recordAll(works, nowMs);
      // The ledger shows the holds of its last pages only, and no charge that was not held: these are written.
      if (fillsPage || !isSettled) this.#keepCounters(after);
      else this.#counters = after;
    });
  }

  /** Created on first use: most keys that are only checked have nothing to record. */
  get ledger(): UsageLedger {
    return (this.#opened ??= new UsageLedger(this.#sql));
  }

  /** @param onDisk counters to write, if not the same */
  #keepCounters(counters: LedgerCounters, onDisk = counters): void {
    if (counters === this.#counters) return;
    const isAhead = onDisk !== counters;
    // Works of requests that the row is ahead by have no hold in it: after a restart, their time tells that they are not charged.
    const hasWorks = this.#opened !== undefined || isAhead || Object.keys(onDisk.holds ?? {}).length > 0;
    const recorded = hasWorks ? { recordedUpToMs: this.ledger.lastAtMs } : {};
    this.#ahead = undefined;
    this.#write("counters", { ...onDisk, ...recorded });
    this.#counters = { ...counters, ...recorded };
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
