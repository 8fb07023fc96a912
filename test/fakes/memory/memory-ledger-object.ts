import type { KeyLedger } from "../../../src/platform/account/key-ledger.ts";
import type { LeaseReport } from "../../../src/core/account/key-lease.ts";
import type { KeyLedgerRecord } from "../../../src/storage/account/key-ledger-record.ts";

type Method = Extract<
  keyof KeyLedger,
  | "admit" | "lease" | "report" | "addHold" | "holdOnce" | "adjustCredits" | "chargeJob" | "takeSlot" | "releaseSlot"
  | "record" | "recordJob" | "usage" | "usageDays" | "usageParts" | "activityPart" | "lastSuccessMs"
>; // prettier-ignore
type LedgerObject = {
  [Name in Method]: (...args: Parameters<KeyLedger[Name]>) => Promise<ReturnType<KeyLedger[Name]>>;
};
type Call = <Result>(name: string, run: (record: KeyLedgerRecord, nowMs: number) => Result) => Promise<Result>;

/** The methods of a key's object, each as one call. */
export function memoryLedgerObject(call: Call): LedgerObject {
  const read = <Result>(
    name: string,
    report: LeaseReport | undefined,
    run: (record: KeyLedgerRecord, nowMs: number) => Result,
  ) =>
    call(name, (record, nowMs) => {
      if (report !== undefined) record.report(report, nowMs);
      return run(record, nowMs);
    });
  return {
    admit: (request, ask, report) => call("admit", (record, nowMs) => record.admit(request, nowMs, { ask, report })),
    lease: (ask, terms, report) => call("lease", (record, nowMs) => record.lease({ ask, terms }, report, nowMs)),
    report: (report) => call("report", (record, nowMs) => record.report(report, nowMs)),
    addHold: (request) => call("addHold", (record, nowMs) => record.addHold(request, nowMs)),
    holdOnce: (request) => call("holdOnce", (record, nowMs) => record.holdOnce(request, nowMs)),
    adjustCredits: (change) => call("adjustCredits", (record, nowMs) => record.adjustCredits(change, nowMs)),
    chargeJob: (charge) => call("chargeJob", (record, nowMs) => record.chargeJob(charge, nowMs)),
    takeSlot: (slot) => call("takeSlot", (record, nowMs) => record.takeSlot(slot, nowMs)),
    releaseSlot: (jobId) => call("releaseSlot", (record, nowMs) => record.releaseSlot(jobId, nowMs)),
    record: (work) => call("record", (record, nowMs) => record.record(work, nowMs)),
    recordJob: (job) => call("recordJob", (record) => record.ledger.recordJob(job)),
    usage: (report) => read("usage", report, (record, nowMs) => record.usage(nowMs)),
    usageDays: (fromDay, toDay, report) => read("usageDays", report, (record) => record.ledger.usage(fromDay, toDay)),
    usageParts: (fromDay, toDay, report) => read("usageParts", report, (record) => record.ledger.parts(fromDay, toDay)),
    activityPart: (query, report) => read("activityPart", report, (record) => record.ledger.activity(query)),
    lastSuccessMs: (report) => read("lastSuccessMs", report, (record) => record.ledger.lastSuccessMs()),
  };
}
