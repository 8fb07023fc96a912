import { describe, expect, test } from "vitest";
import { HOLD_MS } from "../../../../src/core/account/key-ledger.ts";
import { toReceipt } from "../../../../src/core/account/receipt.ts";
import { KeyLedgerRecord } from "../../../../src/storage/account/key-ledger-record.ts";
import { InjectedFailure, nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";
import { sampleCount } from "../../../sample.ts";

const MONTHLY = 300;
const NOON = Date.UTC(2026, 10, 21, 12);

/** The stored of a key, whose process dies now and then. */
function house() {
  const sql = nodeSql();
  let nowMs = NOON;
  let stored = new KeyLedgerRecord(sql, nowMs);
  const ledger = () => {
    const rows = stored.ledger.usage("2026-01-01", "2026-12-31");
    return rows.reduce((sum, { totals }) => sum + totals.receipt.credits, 0);
  };
  return {
    sql,
    stored: () => stored,
    now: () => nowMs,
    advance: (ms: number) => void (nowMs += ms),
    /** What was written stays. */
    restart: () => void (stored = new KeyLedgerRecord(sql, nowMs)),
    ledger,
    admit: (holdId: string, credits = 1) =>
      stored.admit({ mode: "scrape", limit: 1e9, credits, monthlyCredits: MONTHLY, holdId }, nowMs).kind,
    record: (holdId: string, credits = 1) =>
      stored.record(
        {
          requestId: holdId, id: holdId, endpoint: "scrape", apiVersion: "v2", target: null, ms: 1, hasFailed: false,
          pages: 1, receipt: toReceipt({ credits }),
        }, // prettier-ignore
        nowMs,
      ),
    used: () => stored.usage(nowMs).creditsUsed,
  };
}

describe("the record of a key ledger", () => {
  test("keeps fields of its counters that a later version has written", () => {
    const { sql, admit, restart } = house();
    admit("a", 5);
    sql.rows("UPDATE ledger SET state = json_set(state, '$.later', 1) WHERE part = 'counters'");
    restart();
    admit("b", 5);
    const [row] = sql.rows("SELECT state->>'$.credits.used' AS used, state->>'later' AS later FROM ledger WHERE part = 'counters'"); // prettier-ignore
    expect(row).toEqual({ used: 10, later: 1 });
  });

  test("hold credits for work that is under way, and spend what it came to", () => {
    const { admit, record, used, ledger, stored, now } = house();
    admit("a", 5);
    admit("b", 5);
    expect([used(), stored().held(now()), ledger()]).toEqual([10, 10, 0]);
    record("a", 3);
    record("b", 0);
    expect([used(), stored().held(now()), ledger()]).toEqual([3, 0, 3]);
    record("a", 3);
    expect([used(), ledger()]).toEqual([3, 3]);
  });

  test("give back what a crash has left without an owner, when its time is over", () => {
    const { admit, record, used, advance, restart, stored, now } = house();
    for (let request = 0; request < 22; request++) admit(`r${request}`);
    record("r0");
    restart();
    expect([used(), stored().held(now())]).toEqual([22, 21]);
    advance(HOLD_MS - 1);
    expect(used()).toBe(22);
    advance(1);
    expect(used()).toBe(1);
    admit("later");
    expect([used(), stored().held(now())]).toEqual([2, 1]);
  });

  test("take the price of work that ends after its hold was given back", () => {
    const { admit, record, used, advance, restart, ledger } = house();
    admit("slow", 4);
    advance(HOLD_MS);
    admit("other", 1);
    record("slow", 4);
    restart();
    expect([used(), ledger()]).toEqual([5, 4]);
  });

  test("hold work that is begun again once, and take nothing for what was written down", () => {
    const { record, used, stored, now, ledger, restart } = house();
    const hold = (holdId: string, credits: number) =>
      stored().holdOnce({ holdId, credits, monthlyCredits: MONTHLY }, now());
    for (let time = 0; time < 3; time++) {
      expect(hold("page", 5)).toBe(true);
      restart();
      expect(used()).toBe(5);
    }
    record("page", 2);
    for (let time = 0; time < 3; time++) {
      expect(hold("page", 5)).toBe(true);
      record("page", 5);
      restart();
      expect([used(), ledger()]).toEqual([2, 2]);
    }
  });

  test("charge after a restart what was recorded while the row on disk was ahead, of requests without a hold in it", () => {
    const { stored, record, advance, restart, ledger, now } = house();
    const admit = (holdId: string, credits: number): void => {
      advance(20);
      stored().admit({ mode: "scrape", limit: 30_000, credits, monthlyCredits: undefined, holdId }, now());
    };
    for (let request = 0; request < 30; request++) admit(`free${request}`, 0);
    for (let request = 0; request < 20; request++) {
      admit(`paid${request}`, 1);
      record(`paid${request}`, 1);
    }
    expect([stored().used(now()), ledger()]).toEqual([20, 20]);
    restart();
    expect([stored().used(now()), stored().held(now()), ledger()]).toEqual([20, 0, 20]);
  });

  test("write one row for work that is admitted and one when it is done, and one more a page of fifty", () => {
    const { sql, admit, record } = house();
    const total = () => Number(sql.rows<{ rows: number }>("SELECT total_changes() AS rows")[0]?.rows);
    admit("first");
    record("first");
    const before = total();
    for (let request = 0; request < 100; request++) {
      admit(`r${request}`);
      record(`r${request}`, request % 2);
    }
    // Each fiftieth record writes both pages, the day's sum and the counters.
    expect(total() - before).toBe(200 + 2 * 4);
  });

  test("agree with the ledger, whatever is done in whatever order, and wherever a crash comes", () => {
    const seeds = sampleCount(20, 10, 60);
    for (let seed = 1; seed <= seeds; seed++) schedule(seed);
  });
});

/** Some hundred random steps. After each crash and at the end, the credits used are those of the ledger and of the holds. */
function schedule(seed: number): void {
  let state = seed;
  const random = (limit: number) => (state = (state * 48_271) % 2_147_483_647) % limit;
  const { sql, stored, admit, record, used, ledger, restart, advance, now } = house();
  const open: string[] = [];
  const done: string[] = [];
  let next = 0;
  const step = () => {
    switch (random(8)) {
      case 0:
      case 1:
      case 2: {
        const id = `w${next++}`;
        if (admit(id, random(6)) === "admitted") open.push(id);
        return;
      }
      case 3:
      case 4: {
        const [id] = open.splice(random(open.length || 1), 1);
        if (id === undefined) return;
        record(id, random(8));
        done.push(id);
        return;
      }
      case 5: {
        const id = open[random(open.length || 1)];
        if (id !== undefined) stored().addHold({ holdId: id, credits: random(5), monthlyCredits: MONTHLY }, now());
        return;
      }
      case 6: {
        const id = done.at(-1 - random(5));
        if (id !== undefined) record(id, random(8));
        return;
      }
      default:
        advance(random(HOLD_MS / 20));
    }
  };
  for (let count = 0; count < 400; count++) {
    if (random(10) > 0) step();
    else if (crashes(sql, random(6), step)) restart();
    expect(used(), `seed ${seed}, step ${count}`).toBe(ledger() + stored().held(now()));
  }
  advance(HOLD_MS);
  admit("last", 0);
  expect(used(), `seed ${seed}`).toBe(ledger());
}

function crashes(sql: NodeSql, statements: number, work: () => void): boolean {
  sql.failAfter(statements);
  try {
    work();
    return false;
  } catch (error) {
    if (!(error instanceof InjectedFailure)) throw error;
    return true;
  } finally {
    sql.failAfter(undefined);
  }
}
