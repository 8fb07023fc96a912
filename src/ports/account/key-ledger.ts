import type {
  Admission,
  AdmitRequest,
  CreditChange,
  HoldRequest,
  JobCharge,
  KeyUsage,
  SlotRequest,
} from "../../core/account/key-ledger.ts";
import type { MeterCounts } from "../../core/account/meter.ts";
import type { DayParts } from "../../core/account/usage-breakdown.ts";
import type { ActivityCursor, ActivityEntry, JobRecordOfWork, UsageRow, WorkRecord } from "../../core/account/usage.ts";

export type {
  Admission,
  AdmitRequest,
  CreditChange,
  HoldRequest,
  JobCharge,
  KeyUsage,
  RateLimitState,
  SlotRequest,
} from "../../core/account/key-ledger.ts";

/** The rate limiter and credit ledger of each key; one object per key, so the counts are exact. */
export interface KeyLedgerPort {
  admit(keyId: string, request: AdmitRequest): Promise<Admission>;
  /**
   * Reserves more credits for running work, until `record` is called with the hold's id.
   * @returns false, and reserves nothing, when too few credits are left.
   */
  addHold(keyId: string, request: HoldRequest): Promise<boolean>;
  /**
   * Reserves credits for work that may have begun before: replaces an existing reservation, and reserves nothing for
   * work that was recorded recently. @returns false when too few credits are left.
   */
  holdOnce(keyId: string, request: HoldRequest): Promise<boolean>;
  /** Sets the credits of a job to these totals. @returns the number of reserved credits. */
  chargeJob(keyId: string, charge: JobCharge): Promise<number>;
  /**
   * Corrects the credits of a request: negative refunds, positive charges more.
   * @returns false, and charges nothing, when too few credits are left.
   */
  adjustCredits(keyId: string, change: CreditChange): Promise<boolean>;
  /** Takes one of `limit` job slots until it is released or its lease expires. A job has at most one slot. */
  takeSlot(keyId: string, slot: SlotRequest): Promise<boolean>;
  releaseSlot(keyId: string, jobId: string): Promise<void>;
  usage(keyId: string): Promise<KeyUsage>;
  /**
   * Records completed work and charges the credits of its receipt in place of the reservation. A request counts once,
   * however often it is recorded.
   */
  record(keyId: string, work: WorkRecord): Promise<void>;
  /** Returns what recording the work of a request will cost: nothing, where it is recorded with the works of others. */
  recordCosts(keyId: string, holdId: string): Partial<MeterCounts>;
  /** Records the totals of a job; replaces its earlier record. */
  recordJob(keyId: string, job: JobRecordOfWork): Promise<void>;
  /** Returns sums by day and endpoint, from one day (`2026-11-21`) to another, both inclusive. */
  usageDays(keyId: string, fromDay: string, toDay: string): Promise<UsageRow[]>;
  /** Returns sums from one day to another, both inclusive, by hour, host, engine and error code. */
  usageParts(keyId: string, fromDay: string, toDay: string): Promise<DayParts>;
  activity(keyId: string, query: ActivityQuery): Promise<ActivityEntry[]>;
  /** Returns the end of the latest successful work among some 10,000 entries of the activity list, in ms since the epoch. */
  lastSuccessMs(keyId: string): Promise<number | undefined>;
}

export type ActivityOutcome = "succeeded" | "failed";

/** Query for the newest activity below a cursor and not older than `sinceMs`. */
export interface ActivityQuery {
  sinceMs: number;
  limit: number;
  endpoint?: string | undefined;
  /** Only requests that succeeded, or only those that failed. */
  outcome?: ActivityOutcome | undefined;
  cursor?: ActivityCursor | undefined;
}

/** The part of a list of activity that one call reads. */
export interface ActivityPart {
  entries: ActivityEntry[];
  /** Last entry that was read, when more are to be read after it. */
  next?: ActivityCursor;
}
