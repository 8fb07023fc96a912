import type {
  Admission,
  AdmitRequest,
  CreditChange,
  HoldRequest,
  JobCharge,
  KeyUsage,
  SlotRequest,
} from "../../core/account/key-ledger.ts";
import type { LeaseAsk, LeaseGrant, LeaseReport, LeaseTerms } from "../../core/account/key-lease.ts";
import type { DayParts } from "../../core/account/usage-breakdown.ts";
import type { ActivityEntry, JobRecordOfWork, UsageRow, WorkRecord } from "../../core/account/usage.ts";
import type { ActivityPart, ActivityQuery } from "../../ports/account/key-ledger.ts";
import { KeyLedgerRecord } from "../../storage/account/key-ledger-record.ts";
import { MeasuredObject } from "../metering/measured-object.ts";

/**
 * The counters and the credit ledger of one key: one object per key, so that they are exact wherever callers connect.
 * Every change is written before it takes effect, and the platform holds a response until the write is durable: a crash
 * or an eviction gives no credit away. Writes one row per admitted request, and one when the request is done; one for
 * all requests of a lease, and one for the works of a report.
 *
 * A report is what an isolate has done with leases of the key; a call that has one applies it first.
 */
export class KeyLedger extends MeasuredObject {
  readonly #record: KeyLedgerRecord;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    this.#record = new KeyLedgerRecord(this.sql, Date.now());
  }

  admit(request: AdmitRequest, ask?: LeaseAsk, report?: LeaseReport): Admission & { lease?: LeaseGrant } {
    return this.#record.admit(request, Date.now(), { ask, report });
  }

  /** Grants a lease without a request; undefined when the key is not hot or has little left. */
  lease(ask: LeaseAsk, terms: LeaseTerms, report: LeaseReport): LeaseGrant | undefined {
    return this.#record.lease({ ask, terms }, report, Date.now());
  }

  report(report: LeaseReport): void {
    this.#record.report(report, Date.now());
  }

  addHold(request: HoldRequest): boolean {
    return this.#record.addHold(request, Date.now());
  }

  holdOnce(request: HoldRequest): boolean {
    return this.#record.holdOnce(request, Date.now());
  }

  adjustCredits(change: CreditChange): boolean {
    return this.#record.adjustCredits(change, Date.now());
  }

  /** @returns the number of reserved credits */
  chargeJob(charge: JobCharge): number {
    return this.#record.chargeJob(charge, Date.now());
  }

  takeSlot(slot: SlotRequest): boolean {
    return this.#record.takeSlot(slot, Date.now());
  }

  /** Releases a job's slot and deletes its reservation. */
  releaseSlot(jobId: string): void {
    this.#record.releaseSlot(jobId, Date.now());
  }

  /** @returns the credits that requests hold, which they may give back */
  held(): number {
    return this.#record.held(Date.now());
  }

  usage(report?: LeaseReport): KeyUsage {
    this.#apply(report);
    return this.#record.usage(Date.now());
  }

  record(work: WorkRecord): void {
    this.#record.record(work, Date.now());
  }

  recordJob(job: JobRecordOfWork): void {
    this.#record.ledger.recordJob(job);
  }

  usageDays(fromDay: string, toDay: string, report?: LeaseReport): UsageRow[] {
    this.#apply(report);
    return this.#record.ledger.usage(fromDay, toDay);
  }

  usageParts(fromDay: string, toDay: string, report?: LeaseReport): DayParts {
    this.#apply(report);
    return this.#record.ledger.parts(fromDay, toDay);
  }

  /** Returns a part of the list, so that requests of the key run between two parts. */
  activityPart(query: ActivityQuery, report?: LeaseReport): ActivityPart {
    this.#apply(report);
    return this.#record.ledger.activity(query);
  }

  /** Returns the whole list, for Workers of the releases before `activityPart`, which still run while one is deployed. */
  activity(query: ActivityQuery, report?: LeaseReport): ActivityEntry[] {
    const found: ActivityEntry[] = [];
    this.#apply(report);
    for (let { cursor } = query; ;) {
      const { entries, next } = this.#record.ledger.activity({ ...query, limit: query.limit - found.length, cursor });
      found.push(...entries);
      if (next === undefined) return found;
      cursor = next;
    }
  }

  lastSuccessMs(report?: LeaseReport): number | undefined {
    this.#apply(report);
    return this.#record.ledger.lastSuccessMs();
  }

  #apply(report: LeaseReport | undefined): void {
    if (report !== undefined) this.#record.report(report, Date.now());
  }
}
