import { Meter } from "../../../src/core/account/meter.ts";
import type { KeyLedger } from "../../../src/platform/account/key-ledger.ts";
import { createKeyLedger } from "../../../src/platform/account/key-ledger-port.ts";
import { KeyLeases } from "../../../src/platform/account/key-leases.ts";
import type { KeyLedgerPort } from "../../../src/ports/account/key-ledger.ts";
import { KeyLedgerRecord } from "../../../src/storage/account/key-ledger-record.ts";
import { memoryLedgerObject } from "../memory/memory-ledger-object.ts";
import { nodeSql, type NodeSql } from "../memory/node-sql.ts";

/** One isolate: a ledger port with leases of its own. */
export interface Isolate {
  ledger: KeyLedgerPort;
  /** Ends the isolate with all that it has not reported. */
  kill(): void;
}

/** What happens to a call: it fails before the object has run it, or after. */
export type CallFailure = "before" | "after";

/** Turns of the queue of promises in which a call ends, with what follows it. */
const CALL_TURNS = 50;

/** Objects of keys, each with a database in memory, and isolates that call them. Time passes when it is advanced. */
export function leasedLedgers(startMs: number) {
  let nowMs = startMs;
  let calls: string[] = [];
  let failures: (CallFailure | undefined)[] = [];
  const sleepers: { dueMs: number; wake: () => void }[] = [];
  const objects = new Map<string, { sql: NodeSql; record: KeyLedgerRecord }>();

  const objectOf = (keyId: string) => {
    const known = objects.get(keyId);
    if (known !== undefined) return known;
    const sql = nodeSql();
    const object = { sql, record: new KeyLedgerRecord(sql, nowMs) };
    objects.set(keyId, object);
    return object;
  };
  const moved = () => Object.assign(new Error("the object has moved"), { retryable: true });
  const stubOf = (keyId: string) =>
    memoryLedgerObject(async (name, run) => {
      calls.push(name);
      await settled();
      const failure = failures.shift();
      if (failure === "before") throw moved();
      const result = run(objectOf(keyId).record, nowMs);
      await settled();
      if (failure === "after") throw moved();
      return structuredClone(result);
    });
  // The port uses no more of a namespace than this.
  const namespace = { getByName: stubOf } as unknown as DurableObjectNamespace<KeyLedger>;

  const isolate = (): Isolate => {
    let isAlive = true;
    const never = new Promise<never>(() => undefined);
    const ledger = createKeyLedger(namespace, new Meter(), {
      leases: new KeyLeases(),
      clock: { now: () => nowMs },
      sleep: async (ms) => {
        await new Promise<void>((wake) => sleepers.push({ dueMs: nowMs + ms, wake }));
        if (!isAlive) await never;
      },
      defer: (work) => void work.catch(() => undefined),
    });
    return { ledger, kill: () => void (isAlive = false) };
  };

  const advance = async (ms: number): Promise<void> => {
    const untilMs = nowMs + ms;
    for (;;) {
      await settled(CALL_TURNS);
      const [next] = sleepers.toSorted((left, right) => left.dueMs - right.dueMs);
      if (next === undefined || next.dueMs > untilMs) break;
      sleepers.splice(sleepers.indexOf(next), 1);
      nowMs = Math.max(nowMs, next.dueMs);
      next.wake();
    }
    nowMs = untilMs;
    await settled(CALL_TURNS);
  };

  return {
    now: () => nowMs,
    isolate,
    advance,
    record: (keyId: string) => objectOf(keyId).record,
    rowsWritten: (keyId: string) => {
      const [row] = objectOf(keyId).sql.rows<{ rows: number }>("SELECT total_changes() AS rows");
      return row?.rows ?? 0;
    },
    /** The object of a key starts again, with what is on its disk. */
    restart: (keyId: string) => {
      const object = objectOf(keyId);
      object.record = new KeyLedgerRecord(object.sql, nowMs);
    },
    /** Fates of the next calls. */
    failNext: (...next: (CallFailure | undefined)[]) => void (failures = next),
    /** Returns the calls since the last time. */
    takeCalls: () => {
      const taken = calls;
      calls = [];
      return taken;
    },
  };
}

/** Lets all calls go on that wait for no time. */
async function settled(turns = 4): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await Promise.resolve();
}
