import type { Meter, MeterCounts } from "../../core/account/meter.ts";
import { LEASE_MS, type LeaseReport, type LeaseTerms } from "../../core/account/key-lease.ts";
import type { ActivityEntry, WorkRecord } from "../../core/account/usage.ts";
import { AppError } from "../../core/errors.ts";
import type { ActivityPart, AdmitRequest, KeyLedgerPort } from "../../ports/account/key-ledger.ts";
import type { Clock } from "../../ports/system.ts";
import type { KeyLedger } from "./key-ledger.ts";
import { answered, orFormerly } from "../object-calls.ts";
import { isLeasable, type KeyLeases } from "./key-leases.ts";

type Stub = DurableObjectStub<KeyLedger>;

/** Time for which works that were admitted from leases are collected. A renewal, which is due before, takes them along. */
const COLLECT_MS = 3_500;
/** Works that are sent without waiting for more. */
const MAX_WORKS = 32;
/** Pauses before a report that did not arrive is sent again. After the last one the isolate's next call has it. */
const RETRY_PAUSES_MS = [1_000, 5_000, 15_000];
const NOTHING: LeaseReport = { works: [], ended: [] };

/** Dependencies of a ledger that admits requests from leases. */
export interface LeaseTools {
  /** One for the isolate. */
  leases: KeyLeases;
  clock: Clock;
  sleep(ms: number): Promise<void>;
  /** Runs work after the response. */
  defer(work: Promise<unknown>): void;
}

/**
 * Calls each key's object: one round trip per call, and a second one only after the object has moved or restarted. The
 * meter counts the credits; the namespace counts its own costs. With `tools`, requests of a hot key are admitted from
 * leases, without a call, and the works of these requests are recorded together.
 */
export function createKeyLedger(
  namespace: DurableObjectNamespace<KeyLedger>,
  meter: Meter,
  tools?: LeaseTools,
): KeyLedgerPort {
  const calls = ledgerCalls(namespace);
  const leased = tools === undefined ? undefined : new LeasedCalls(calls, tools);
  const { once, twice } = calls;
  /** Reads the ledger after it has received what the isolate has to report. */
  const read = async <Result>(keyId: string, ask: (stub: Stub, report?: LeaseReport) => Promise<Result>) =>
    leased === undefined
      ? await twice(keyId, ask)
      : await leased.reporting(keyId, (report) => twice(keyId, (stub) => ask(stub, report)));

  return {
    async admit(keyId, request) {
      const admission =
        leased === undefined
          ? await twice(keyId, async (stub) => stub.admit(request))
          : await leased.admit(keyId, request);
      if (admission.kind === "admitted") meter.add("credits", request.credits);
      return admission;
    },
    addHold: (keyId, request) => once(keyId, (stub) => stub.addHold(request)),
    holdOnce: (keyId, request) => twice(keyId, async (stub) => stub.holdOnce(request)),
    chargeJob: (keyId, charge) => twice(keyId, async (stub) => stub.chargeJob(charge)),
    async adjustCredits(keyId, change) {
      // A refund is counted in advance, because its receipt may be written before the ledger responds.
      if (change.credits < 0) meter.add("credits", change.credits);
      const isDone = await once(keyId, (stub) => stub.adjustCredits(change));
      if (isDone && change.credits > 0) meter.add("credits", change.credits);
      return isDone;
    },
    takeSlot: (keyId, slot) => twice(keyId, (stub) => stub.takeSlot(slot)),
    releaseSlot: (keyId, jobId) => twice(keyId, (stub) => stub.releaseSlot(jobId)),
    usage: (keyId) => read(keyId, async (stub, report) => stub.usage(report)),
    record: (keyId, work) =>
      leased === undefined ? twice(keyId, (stub) => stub.record(work)) : leased.record(keyId, work),
    recordCosts: (keyId, holdId) => leased?.recordCosts(keyId, holdId) ?? RECORD_COSTS,
    recordJob: (keyId, job) => twice(keyId, (stub) => stub.recordJob(job)),
    usageDays: (keyId, fromDay, toDay) => read(keyId, async (stub, report) => stub.usageDays(fromDay, toDay, report)),
    usageParts: (keyId, fromDay, toDay) => read(keyId, async (stub, report) => stub.usageParts(fromDay, toDay, report)),
    async activity(keyId, query) {
      const found: ActivityEntry[] = [];
      for (let { cursor } = query; ;) {
        const rest = { ...query, limit: query.limit - found.length, cursor };
        const { entries, next } = await read(keyId, (stub, report) =>
          orFormerly<ActivityPart>(
            async () => await stub.activityPart(rest, report),
            async () => ({ entries: await namespace.getByName(keyId).activity(rest, report) }),
          ),
        );
        found.push(...entries);
        if (next === undefined) return found;
        cursor = next;
      }
    },
    lastSuccessMs: (keyId) => read(keyId, async (stub, report) => stub.lastSuccessMs(report)),
  };
}

/** Costs of the call that records one work. */
const RECORD_COSTS: Partial<MeterCounts> = { durableObjectRequests: 1, durableObjectRowsWritten: 1 };
/** Costs of the call that renews a lease and takes the collected works along. */
const RENEWAL_COSTS: Partial<MeterCounts> = { durableObjectRequests: 1, durableObjectRowsWritten: 2 };

type LedgerCall = <Result>(keyId: string, ask: (stub: Stub) => Promise<Result>) => Promise<Result>;

function ledgerCalls(namespace: DurableObjectNamespace<KeyLedger>): { once: LedgerCall; twice: LedgerCall } {
  const call: LedgerCall = async (keyId, ask) => {
    // An exception breaks the stub that raised it, so every try gets a new stub.
    return await answered(ask(namespace.getByName(keyId)));
  };
  const once: LedgerCall = async (keyId, ask) => {
    try {
      return await call(keyId, ask);
    } catch (error) {
      throw unavailable(error);
    }
  };
  /** Retries calls that may run twice: in the worst case a request counts double, which never overspends. */
  const twice: LedgerCall = async (keyId, ask) => {
    try {
      return await call(keyId, ask);
    } catch (error) {
      if (!isRetryable(error)) throw unavailable(error);
      return await once(keyId, ask);
    }
  };
  return { once, twice };
}

/** Admissions from leases, and the reports of what was done with them. */
class LeasedCalls {
  readonly #calls: { twice: LedgerCall };
  readonly #tools: LeaseTools;

  constructor(calls: { twice: LedgerCall }, tools: LeaseTools) {
    this.#calls = calls;
    this.#tools = tools;
  }

  async admit(keyId: string, request: AdmitRequest) {
    const { leases, clock, defer } = this.#tools;
    const taken = leases.take(keyId, request, clock.now());
    if (taken !== undefined) {
      // Work with credits is recorded later, and renews its lease then.
      const terms = request.credits === 0 ? leases.renewal(keyId, request.mode, clock.now()) : undefined;
      if (terms !== undefined) defer(this.#renew(keyId, terms));
      return taken;
    }
    const admission = await this.#ask(keyId, request);
    // Requests and credits of leases may be what is missing: the ledger decides again with all that is free.
    if (admission.kind === "admitted" || !leases.end(keyId, clock.now())) return admission;
    return await this.#ask(keyId, request);
  }

  async #ask(keyId: string, request: AdmitRequest) {
    const { leases, clock } = this.#tools;
    const askedAtMs = clock.now();
    const ask = isLeasable(request) ? leases.askFor(keyId, request.mode, askedAtMs) : undefined;
    const { lease: grant, ...admission } = await this.reporting(keyId, (report) =>
      this.#calls.twice(keyId, async (stub) => stub.admit(request, ask, report)),
    );
    if (ask !== undefined) this.#asked(keyId, { ask, terms: request, grant }, askedAtMs);
    return admission;
  }

  /** Renews a lease, with the works and ended leases until now. */
  async #renew(keyId: string, terms: LeaseTerms): Promise<void> {
    const { leases, clock } = this.#tools;
    const askedAtMs = clock.now();
    const ask = leases.ask(keyId, terms.mode, askedAtMs);
    if (ask === undefined) return;
    const grant = await this.reporting(keyId, (report = NOTHING) =>
      this.#calls.twice(keyId, async (stub) => stub.lease(ask, terms, report)),
    );
    this.#asked(keyId, { ask, terms, grant }, askedAtMs);
  }

  #asked(keyId: string, outcome: Parameters<KeyLeases["asked"]>[1], askedAtMs: number): void {
    const { leases, defer } = this.#tools;
    leases.asked(keyId, outcome, askedAtMs);
    if (outcome.grant !== undefined) defer(this.#reportLater(keyId, outcome.ask.id, LEASE_MS + COLLECT_MS));
  }

  /** Records a work: with others, when it was admitted from a lease. */
  async record(keyId: string, work: WorkRecord): Promise<void> {
    const { leases, clock } = this.#tools;
    const mode = leases.modeOf(work.requestId);
    if (mode === undefined) {
      const report = leases.report(keyId, clock.now());
      if (report === undefined) return await this.#recordAlone(keyId, work);
      return await this.#send(keyId, { ...report, works: [...report.works, work] });
    }
    const count = leases.add(keyId, work);
    const terms = leases.renewal(keyId, mode, clock.now());
    if (terms !== undefined) return await this.#renew(keyId, terms);
    if (count === 1) return await this.#reportLater(keyId, work.requestId, COLLECT_MS);
    if (count >= MAX_WORKS) await this.#report(keyId);
  }

  /** Records one work. When the call fails, the work is reported later as well: repeated works count once. */
  async #recordAlone(keyId: string, work: WorkRecord): Promise<void> {
    const { leases, defer } = this.#tools;
    try {
      await this.#calls.twice(keyId, (stub) => stub.record(work));
    } catch (error) {
      leases.putBack(keyId, { ...NOTHING, works: [work] });
      defer(this.#sendAgain(keyId, 0));
      throw error;
    }
  }

  recordCosts(keyId: string, holdId: string): Partial<MeterCounts> {
    const { leases, clock } = this.#tools;
    const mode = leases.modeOf(holdId);
    if (mode === undefined) return RECORD_COSTS;
    return leases.renewal(keyId, mode, clock.now()) === undefined ? {} : RENEWAL_COSTS;
  }

  /** Makes a call that carries the report of a key. A report that a failed call had is sent again. */
  async reporting<Result>(keyId: string, call: (report?: LeaseReport) => Promise<Result>): Promise<Result> {
    const { leases, clock, defer } = this.#tools;
    const report = leases.report(keyId, clock.now());
    try {
      return await call(report);
    } catch (error) {
      if (report !== undefined) {
        leases.putBack(keyId, report);
        defer(this.#sendAgain(keyId, 0));
      }
      throw error;
    }
  }

  /** Reports after a time what no other call has reported until then. */
  async #reportLater(keyId: string, id: string, ms: number): Promise<void> {
    await this.#tools.sleep(ms);
    if (this.#tools.leases.isPending(keyId, id)) await this.#report(keyId);
  }

  async #report(keyId: string): Promise<void> {
    const report = this.#tools.leases.report(keyId, this.#tools.clock.now());
    if (report !== undefined) await this.#send(keyId, report);
  }

  async #send(keyId: string, report: LeaseReport, retry = 0): Promise<void> {
    try {
      await this.#calls.twice(keyId, (stub) => stub.report(report));
    } catch (error) {
      this.#tools.leases.putBack(keyId, report);
      if (retry >= RETRY_PAUSES_MS.length) throw error;
      await this.#sendAgain(keyId, retry);
    }
  }

  /** Sends what is to be reported after a pause, unless another call has taken it along. */
  async #sendAgain(keyId: string, retry: number): Promise<void> {
    await this.#tools.sleep(RETRY_PAUSES_MS[retry] ?? 0);
    const report = this.#tools.leases.report(keyId, this.#tools.clock.now());
    if (report !== undefined) await this.#send(keyId, report, retry + 1);
  }
}

/** Reports whether a call may be repeated: the object moved or restarted (`retryable`) and is not `overloaded`. */
function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = Object(error) as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}

function unavailable(error: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
}
