/** The soak finds what it looks for: each fault that it names is put before it here. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { toReceipt } from "../../../src/core/account/receipt.ts";
import { KeyLedgerRecord } from "../../../src/storage/account/key-ledger-record.ts";
import type { Answer, Caller } from "../../bench/soak/caller.ts";
import { Kills } from "../../bench/soak/kills.ts";
import { ROUNDS, TREE_PAGES } from "../../bench/soak/load.ts";
import { compareMemory } from "../../bench/soak/measure.ts";
import { faultsOfStoredState, heldSlots } from "../../bench/soak/stored-state.ts";
import { nodeSql } from "../../fakes/memory/node-sql.ts";
import type { Site } from "../../site/start-site.ts";
import { treePaths } from "../../site/routes/tree.ts";

const NOON = Date.UTC(2026, 10, 21, 12);
const LEDGER = "v3/do/orbweaver-KeyLedger/key.sqlite";

let state: string;
beforeEach(() => void (state = mkdtempSync(join(tmpdir(), "soak-"))));
afterEach(() => rmSync(state, { recursive: true }));

/** Writes a database where the service has it. */
function write(path: string, work: (sql: ReturnType<typeof nodeSql>) => void): void {
  mkdirSync(dirname(join(state, path)), { recursive: true });
  const sql = nodeSql(join(state, path));
  work(sql);
  sql.close();
}

const admitted = (holdId: string) => ({ mode: "scrape", limit: 100, credits: 2, monthlyCredits: undefined, holdId }) as const; // prettier-ignore
const work = (id: string) => ({ requestId: id, id, endpoint: "scrape", apiVersion: "v2", target: null, ms: 1, hasFailed: false, pages: 1, receipt: toReceipt({ credits: 2 }) }) as const; // prettier-ignore

test("a state in which everything has ended has no faults; work that was cut off is held, and no fault", () => {
  write(LEDGER, (sql) => {
    const record = new KeyLedgerRecord(sql, NOON);
    record.admit(admitted("done"), NOON);
    record.record(work("done"), NOON);
    record.admit(admitted("cut off"), NOON);
  });
  expect(faultsOfStoredState(state, NOON)).toEqual([]);
  expect(heldSlots(state, NOON)).toBe(0);
});

test("a slot that is held, a job and a check that never end, and credits that no work explains are faults", () => {
  write(LEDGER, (sql) => {
    const record = new KeyLedgerRecord(sql, NOON);
    record.takeSlot({ jobId: "job", limit: 5, leaseMs: 60_000 }, NOON);
    record.adjustCredits({ credits: 7, monthlyCredits: undefined }, NOON);
  });
  write("v3/d1/miniflare-D1DatabaseObject/a.sqlite", (sql) => {
    sql.rows("CREATE TABLE jobs (id TEXT, kind TEXT, status TEXT)");
    sql.rows("CREATE TABLE monitor_checks (id TEXT, status TEXT)");
    sql.rows("INSERT INTO jobs VALUES ('1', 'crawl', 'scraping'), ('2', 'crawl', 'completed')");
    sql.rows("INSERT INTO monitor_checks VALUES ('3', 'running'), ('4', 'completed')");
  });
  expect(faultsOfStoredState(state, NOON)).toEqual([
    "stored: the crawl 1 never ends",
    "stored: the check 3 never ends",
    "stored: 1 slots are held",
    "stored: 7 credits are charged, but the ledger has 0, and 0 are held",
  ]);
  expect(heldSlots(state, NOON)).toBe(1);
});

test("a state without the books of keys is a fault", () => {
  expect(faultsOfStoredState(state, NOON)).toEqual(["stored: there are no books of keys"]);
});

/** One crawl of a service that lists these pages. @returns the faults */
async function crawl(paths: readonly string[], status = "completed", startStatus = 200): Promise<string[]> {
  const faults: string[] = [];
  const site = { url: "https://site.example" } as Site;
  const data = paths.map((path) => ({ metadata: { sourceURL: `${site.url}${path}` } }));
  const answer = (body: Answer["body"], code = 200): Answer => ({ status: code, text: JSON.stringify(body), body });
  const ask = async (_kind: string, path: string, body?: object): Promise<Answer> => {
    if (body !== undefined) return answer({ success: startStatus === 200, id: "job" }, startStatus);
    const skip = new URL(path, site.url).searchParams.get("skip");
    return answer(skip === null ? { status } : { data: data.slice(Number(skip), Number(skip) + 10) });
  };
  const world = { caller: { ask } as unknown as Caller, site, kills: new Kills(), fault: (what: string) => void faults.push(what) }; // prettier-ignore
  await ROUNDS["crawl"]?.(world, 0);
  return faults;
}

test("a page that is lost, doubled or not asked for is a fault, and so is a job that fails without a kill", async () => {
  const all = treePaths(TREE_PAGES);
  expect(await crawl(all)).toEqual([]);
  expect(await crawl(all.slice(1))).toEqual(["crawl: lost /tree/"]);
  expect(await crawl([...all, "/tree/3"])).toEqual(["crawl: doubled /tree/3"]);
  expect(await crawl([...all, "/other"])).toEqual(["crawl: not asked for /other"]);
  expect(await crawl(all, "failed")).toEqual(["crawl: ended as failed"]);
  expect(await crawl(all, "completed", 500)).toEqual([expect.stringContaining("crawl: 500")]);
});

test.each([
  { why: "grows by 4 %", minutes: 30, factor: 1.04, hasGrown: false },
  { why: "grows by 6 %", minutes: 30, factor: 1.06, hasGrown: true },
  { why: "was watched for 19 minutes", minutes: 19, factor: 2, hasGrown: undefined },
])("memory that $why after the tenth minute is a fault: $hasGrown", ({ minutes, factor, hasGrown }) => {
  const samples = Array.from({ length: minutes * 12 }, (_, at) => {
    const atMs = at * 5_000;
    // It fills up at first; a restarted runtime is small, and a picture takes a lot for a moment.
    const settled = atMs < 600_000 ? 100 : atMs > 900_000 ? 500 * factor : 500;
    return { atMs, bytes: settled * (at % 7 === 0 ? 3 : 1) };
  });
  expect(compareMemory(samples)?.hasGrown).toBe(hasGrown);
});
