import { AppError } from "../../core/errors.ts";
import type { Meter } from "../../core/account/meter.ts";
import type { Admission, KeyLedgerPort, KeyUsage } from "../../ports/account/key-ledger.ts";
import type { KeyLedger } from "./key-ledger.ts";

type Stub = DurableObjectStub<KeyLedger>;

/**
 * Calls each key's object: one round trip per call, and a second one only after the object has moved or restarted. The
 * meter counts the credits; the namespace counts its own costs.
 */
export function createKeyLedger(namespace: DurableObjectNamespace<KeyLedger>, meter: Meter): KeyLedgerPort {
  const call = async <Result>(keyId: string, ask: (stub: Stub) => Promise<Result>): Promise<Result> => {
    // An exception breaks the stub that raised it, so every try gets a new stub.
    return await ask(namespace.getByName(keyId));
  };
  const once = async <Result>(keyId: string, ask: (stub: Stub) => Promise<Result>): Promise<Result> => {
    try {
      return await call(keyId, ask);
    } catch (error) {
      throw unavailable(error);
    }
  };
  /** Retries calls that may run twice: in the worst case a request counts double, which never overspends. */
  const twice = async <Result>(keyId: string, ask: (stub: Stub) => Promise<Result>): Promise<Result> => {
    try {
      return await call(keyId, ask);
    } catch (error) {
      if (!isRetryable(error)) throw unavailable(error);
      return await once(keyId, ask);
    }
  };

  return {
    async admit(keyId, request) {
      const admission = await twice<Admission>(keyId, (stub) => stub.admit(request));
      if (admission.kind !== "admitted") return admission;
      meter.add("credits", request.credits);
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
    usage: (keyId) => twice<KeyUsage>(keyId, (stub) => stub.usage()),
    record: (keyId, work) => twice(keyId, (stub) => stub.record(work)),
    recordJob: (keyId, job) => twice(keyId, (stub) => stub.recordJob(job)),
    usageDays: (keyId, fromDay, toDay) => twice(keyId, async (stub) => stub.usageDays(fromDay, toDay)),
    usageParts: (keyId, fromDay, toDay) => twice(keyId, async (stub) => stub.usageParts(fromDay, toDay)),
    activity: (keyId, query) => twice(keyId, async (stub) => stub.activity(query)),
    lastSuccessMs: (keyId) => twice(keyId, async (stub) => stub.lastSuccessMs()),
  };
}

/** Reports whether a call may be repeated: the object moved or restarted (`retryable`) and is not `overloaded`. */
function isRetryable(error: unknown): boolean {
  const { retryable, overloaded } = Object(error) as { retryable?: unknown; overloaded?: unknown };
  return retryable === true && overloaded !== true;
}

function unavailable(error: unknown): AppError {
  return new AppError("SERVICE_UNAVAILABLE", undefined, { cause: error, retryAfterSeconds: 1 });
}
