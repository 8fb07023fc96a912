import { DurableObject } from "cloudflare:workers";
import {
  NO_COUNTERS,
  NO_SLOTS,
  adjustCredits,
  admit,
  chargeJob,
  forgetJob,
  keyUsage,
  releaseSlot,
  takeSlot,
  type Admission,
  type AdmitRequest,
  type CreditChange,
  type GateCounters,
  type GateSlots,
  type JobCharge,
  type KeyUsage,
  type SlotRequest,
} from "../core/key-gate.ts";
import type { ActivityEntry, JobRecordOfWork, UsageRow, WorkRecord } from "../core/usage.ts";
import type { ActivityQuery } from "../ports/key-gate.ts";
import type { SqlValue } from "../ports/sql.ts";
import { UsageLedger } from "../storage/usage-ledger.ts";

/**
 * The counters of one key, one object a key, so that they are exact wherever the callers are.
 * Memory holds a copy of two rows. Every change is written before it is believed, and the platform holds an answer back
 * until the write is durable: a crash or an eviction gives no credit away. One row written a request is the price.
 */
export class KeyGate extends DurableObject {
  #counters: GateCounters;
  #slots: GateSlots;
  #opened: UsageLedger | undefined;

  constructor(state: DurableObjectState, env: Cloudflare.Env) {
    super(state, env);
    state.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS gate (part TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID",
    );
    this.#counters = this.#read<GateCounters>("counters") ?? NO_COUNTERS;
    this.#slots = this.#read<GateSlots>("slots") ?? NO_SLOTS;
  }

  admit(request: AdmitRequest): Admission {
    const { admission, counters } = admit(this.#counters, request, Date.now());
    this.#keepCounters(counters);
    return admission;
  }

  adjustCredits(change: CreditChange): boolean {
    const { done, counters } = adjustCredits(this.#counters, change, Date.now());
    this.#keepCounters(counters);
    return done;
  }

  /** @returns how many credits are set aside. */
  chargeJob(charge: JobCharge): number {
    const { reserved, counters } = chargeJob(this.#counters, charge, Date.now());
    this.#keepCounters(counters);
    return reserved;
  }

  takeSlot(slot: SlotRequest): boolean {
    const { taken, slots } = takeSlot(this.#slots, slot, Date.now());
    this.#keepSlots(slots);
    return taken;
  }

  /** Gives a job's slot back and forgets what it has taken. */
  releaseSlot(jobId: string): void {
    this.#keepCounters(forgetJob(this.#counters, jobId));
    this.#keepSlots(releaseSlot(this.#slots, jobId, Date.now()));
  }

  usage(): KeyUsage {
    return keyUsage(this.#counters, this.#slots, Date.now());
  }

  record(work: WorkRecord): void {
    this.#ledger.record(work, Date.now());
  }

  recordJob(job: JobRecordOfWork): void {
    this.#ledger.recordJob(job);
  }

  usageDays(fromDay: string, toDay: string): UsageRow[] {
    return this.#ledger.usage(fromDay, toDay);
  }

  activity(query: ActivityQuery): ActivityEntry[] {
    return this.#ledger.activity(query);
  }

  lastSuccessMs(): number | undefined {
    return this.#ledger.lastSuccessMs();
  }

  /** Made when it is first asked for: most keys that are only checked have nothing to write down. */
  get #ledger(): UsageLedger {
    const { storage } = this.ctx;
    return (this.#opened ??= new UsageLedger({
      rows: <Row>(query: string, ...values: SqlValue[]) => storage.sql.exec(query, ...values).toArray() as Row[],
      transaction: (work) => storage.transactionSync(work),
    }));
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
    const [row] = this.ctx.storage.sql.exec<{ state: string }>("SELECT state FROM gate WHERE part = ?", part);
    return row === undefined ? undefined : (JSON.parse(row.state) as State);
  }

  #write(part: "counters" | "slots", state: GateCounters | GateSlots): void {
    this.ctx.storage.sql.exec("INSERT OR REPLACE INTO gate (part, state) VALUES (?, ?)", part, JSON.stringify(state));
  }
}
