import type {
  Admission,
  AdmitRequest,
  CreditChange,
  HoldRequest,
  JobCharge,
  KeyUsage,
  SlotRequest,
} from "../../core/account/key-ledger.ts";
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

/** The counters of one key: exact, in one place. */
export interface KeyLedgerPort {
  admit(keyId: string, request: AdmitRequest): Promise<Admission>;
  /**
   * Holds more credits for work that is under way, until `record` writes the work down under the hold's id.
   * @returns false when more was asked for than is left; then nothing is taken.
   */
  addHold(keyId: string, request: HoldRequest): Promise<boolean>;
  /**
   * Holds credits for work that may have been begun before: in the place of what is held for it, and none for work that
   * was written down a short while ago. @returns false when more was asked for than is left.
   */
  holdOnce(keyId: string, request: HoldRequest): Promise<boolean>;
  /** Brings what a job has taken to these totals. @returns how many credits are set aside. */
  chargeJob(keyId: string, charge: JobCharge): Promise<number>;
  /**
   * Corrects the credits that a request took: negative gives back, positive takes more.
   * @returns false when more was asked for than is left; then nothing is taken.
   */
  adjustCredits(keyId: string, change: CreditChange): Promise<boolean>;
  /** Takes one of `limit` job slots until it is released or its time is over. Taking the same job's slot twice is one slot. */
  takeSlot(keyId: string, slot: SlotRequest): Promise<boolean>;
  releaseSlot(keyId: string, jobId: string): Promise<void>;
  usage(keyId: string): Promise<KeyUsage>;
  /**
   * Writes down what was done, and spends the credits of its receipt in the place of those that are held for it. The same
   * request counts once, however often it is told.
   */
  record(keyId: string, work: WorkRecord): Promise<void>;
  /** Writes down what a job has come to, in place of what was known of it. */
  recordJob(keyId: string, job: JobRecordOfWork): Promise<void>;
  /** Sums by day and endpoint, from one day (`2026-11-21`) to another, both included. */
  usageDays(keyId: string, fromDay: string, toDay: string): Promise<UsageRow[]>;
  activity(keyId: string, query: ActivityQuery): Promise<ActivityEntry[]>;
  /** When the newest piece of work ended that succeeded, as far back as the list of activity reaches. */
  lastSuccessMs(keyId: string): Promise<number | undefined>;
}

/** The newest entries below a cursor, not older than a moment. */
export interface ActivityQuery {
  sinceMs: number;
  limit: number;
  endpoint?: string | undefined;
  cursor?: ActivityCursor | undefined;
}
