/** URLs in packed rows: how many rows they take, and that each key is known exactly. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import type { Candidate } from "../../../../src/core/crawl/frontier.ts";
import { NumberSet } from "../../../../src/core/number-set.ts";
import { PlaceIndex } from "../../../../src/core/place-index.ts";
import { progressOf, readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { readMissing } from "../../../../src/storage/crawl/frontier-versions.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { hash53 } from "../../../../src/core/text/hash.ts";
import { Urls, urlsOf } from "../../../../src/storage/crawl/frontier-urls.ts";
import { given } from "../../../fakes/given.ts";
import { isShort } from "../../../sample.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const CONFIG = {
  limit: undefined,
  maxConcurrency: 50,
  delayMs: 0,
  hasSeed: true,
  failsWhenEmpty: false,
  events: [],
  leaseMs: 12_000,
  expiresAtMs: 1e15,
} as const;

let sql: NodeSql;
beforeEach(() => {
  sql = nodeSql();
});
afterEach(() => sql.close());

const rowsWritten = (): number => given(sql.rows<{ rows: number }>("SELECT total_changes() AS rows")[0]).rows;
const link = (name: string, depth = 1): Candidate => ({ key: `a.example/${name}`, url: `https://a.example/${name}`, depth, isExternal: false, parent: "https://a.example/" }); // prettier-ignore
const links = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => link(String(from + at)));

function tell(frontier: Frontier, candidates: Candidate[]): void {
  frontier.complete({ results: [], object: "", candidates, filtered: [], hosts: {} }, 1);
}

function lines(frontier: Frontier) {
  const found = [];
  for (
    let cursor: Parameters<typeof readUrls>[2]["cursor"] | undefined = { part: "queue", row: 0, place: 0 };
    cursor;
  ) {
    const page: ReturnType<typeof readUrls> = readUrls(sql, given(frontier.state()), { cursor, limit: 1_000 });
    found.push(...page.lines);
    cursor = page.next;
  }
  return found;
}

test("URLs that are found write a row for each 256, and none when they are found again", () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, batchEntries(Array.from({ length: 10_000 }, (_, at) => `https://a.example/${at}`), 0), 0); // prettier-ignore
  expect(sql.rows("SELECT * FROM urls")).toEqual([]);
  expect(sql.rows("SELECT * FROM queue")).toHaveLength(40);
  tell(frontier, links(0, 512));
  const before = rowsWritten();
  tell(frontier, links(0, 512));
  expect(rowsWritten() - before).toBe(0);
  expect(frontier.state()?.counters).toMatchObject({ discovered: 10_512, pending: 10_512 });
});

test("very many URLs are each known once, after the object woke again too, in rows of 64 kB at most", () => {
  let frontier = new Frontier(sql);
  frontier.start(CONFIG, [link("")], 0);
  const COUNT = isShort() ? 30_000 : 100_000;
  for (let from = 0; from < COUNT; from += 5_000) {
    // A part was found before.
    tell(frontier, links(Math.max(0, from - 1_000), from + 5_000));
    if (from % 20_000 === 0) frontier = new Frontier(sql);
  }
  expect(frontier.state()?.counters.discovered).toBe(COUNT + 1);
  expect(sql.rows("SELECT * FROM urls")).toEqual([]);
  const [stored] = sql.rows<{ rows: number; longest: number }>(
    "SELECT count(*) AS rows, max(length(CAST(keys AS BLOB))) AS longest FROM queue",
  );
  expect(given(stored).longest).toBeLessThanOrEqual(65_536);
  expect(given(stored).rows).toBeLessThanOrEqual(1.1 * (COUNT / 256));
  expect(new Set(lines(frontier).map(({ url }) => url)).size).toBe(COUNT + 1);
});

test("keys that share a hash are told apart, in packed rows and in rows of their own", () => {
  urlsOf(sql, (key) => hash53(key) % 7);
  let frontier = new Frontier(sql);
  frontier.start(CONFIG, [link("")], 0);
  for (let round = 0; round < 3; round++) {
    tell(frontier, links(0, 40 + round));
    frontier = new Frontier(sql);
  }
  // Seven keys at most are packed, one for each hash.
  expect(sql.rows("SELECT * FROM urls").length).toBeGreaterThanOrEqual(36);
  expect(frontier.state()?.counters.discovered).toBe(43);
  expect(new Set(lines(frontier).map(({ url }) => url)).size).toBe(43);
  const known = links(0, 42).map(({ key }) => key);
  expect(readMissing(sql, [...known, "a.example/42", "a.example/x"]).notFound).toEqual(["a.example/42", "a.example/x"]);
  const claimed = [];
  for (let claim = frontier.claim(9, 2); claim !== undefined; claim = frontier.claim(9, 2))
    claimed.push(...claim.items);
  expect(new Set(claimed.map(({ url }) => url)).size).toBe(43);
  expect(claimed).toHaveLength(43);
});

test("keys whose hashes an object of another seed finds equal are all known", () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, [link("")], 0);
  tell(frontier, links(0, 600));
  const urls = new Urls(sql, (key) => hash53(key) % 7);
  const known = links(0, 600).map(({ key }) => key);
  expect(urls.get([...known, "a.example/600"]).size).toBe(600);
  urls.amend(new Map([["a.example/599", { depth: 0 }]]));
  expect(urls.one("a.example/599")).toMatchObject({ url: "https://a.example/599", depth: 0 });
  expect(urls.after("a.example/598", 9)).toMatchObject([{ key: "a.example/599" }]);
  expect(urls.hasAsFound(link("600"))).toBe(false);
});

test("hashes of URLs differ for each job, so that no site can choose links that fall on one slot", () => {
  const placed = vi.spyOn(PlaceIndex.prototype, "set");
  const added = vi.spyOn(NumberSet.prototype, "add");
  const hashesOf = (database: NodeSql): number[] => {
    placed.mockClear();
    added.mockClear();
    const frontier = new Frontier(database);
    frontier.start({ ...CONFIG, limit: 5 }, [link("")], 0);
    // The rules leave out one URL for good, and another until it is found elsewhere.
    const filtered = ["out", "far"].map((name) => ({ ...link(name), reason: "DEPTH_LIMIT", ...(name === "out" && { key: undefined }) })); // prettier-ignore
    // The key and the URL of these are one text.
    const candidates = links(0, 9).map((found) => ({ ...found, key: found.url }));
    frontier.complete({ results: [], object: "", candidates, filtered, hosts: {} }, 1);
    for (const [hash, { text }] of placed.mock.calls.slice(1)) expect(text).not.toBe(hash >>> 0);
    return [...placed.mock.calls.map(([hash]) => hash), ...added.mock.calls.map(([hash]) => hash)];
  };
  const other = nodeSql();
  const [hashes, others] = [hashesOf(sql), hashesOf(other)];
  other.close();
  expect(hashes).toHaveLength(12);
  expect(hashes.filter((hash) => others.includes(hash))).toEqual([]);
  vi.restoreAllMocks();
});

describe("a transaction that fails", () => {
  test("leaves nothing of its URLs in memory: they are found again", () => {
    const frontier = new Frontier(sql);
    frontier.start(CONFIG, [link("")], 0);
    tell(frontier, links(0, 10));
    // Each of the statements that a report with new URLs takes.
    for (let statement = 0; statement < 20; statement++) {
      sql.failAfter(statement);
      try {
        tell(frontier, [link("new", 5), ...links(0, 10).map((known) => ({ ...known, depth: 0 }))]);
        break;
      } catch {
        expect(lines(frontier)).toHaveLength(11);
      } finally {
        sql.failAfter(undefined);
      }
    }
    tell(frontier, [link("new", 5)]);
    expect(lines(frontier)).toHaveLength(12);
    expect(lines(frontier)[5]).toMatchObject({ url: "https://a.example/4", depth: 0 });
  });

  test("around the start of a job leaves its first URLs to the next start", () => {
    const frontier = new Frontier(sql);
    expect(() =>
      sql.transaction(() => {
        frontier.start(CONFIG, [link("")], 0);
        throw new Error("The specification cannot be stored");
      }),
    ).toThrow("specification");
    expect(frontier.start(CONFIG, [link("")], 1)).toBe(true);
    expect(frontier.state()?.counters).toMatchObject({ discovered: 1, pending: 1 });
    expect(frontier.claim(5, 2)?.items).toMatchObject([{ url: "https://a.example/" }]);
  });
});

test("long URLs share rows as far as these stay short, and are then alone", () => {
  const frontier = new Frontier(sql);
  frontier.start(CONFIG, [link("")], 0);
  const long = Array.from({ length: 20 }, (_, at) => link(`${at}?${"é".repeat(at < 10 ? 7_000 : 60_000)}`));
  tell(frontier, long);
  const sizes = sql.rows<{ urls: number; bytes: number }>(
    "SELECT json_array_length(keys) AS urls, length(CAST(keys AS BLOB)) AS bytes FROM queue ORDER BY id",
  );
  expect(sizes.map(({ urls }) => urls)).toEqual([1, 3, 3, 3, 1, ...Array.from({ length: 10 }, () => 1)]);
  expect(Math.max(...sizes.map(({ bytes }) => bytes))).toBeLessThan(2_000_000);
  expect(lines(frontier)).toHaveLength(21);
});

test("a job that is closed keeps no index of its URLs in memory, and reads it again for those that ask for them", () => {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, hasSeed: false }, links(0, 600), 0);
  const { rows } = sql;
  let indexed = 0;
  sql.rows = (query, ...values) => {
    if (query.startsWith("SELECT id, keys FROM queue WHERE id >= ? ORDER BY id LIMIT 20")) indexed++;
    return rows.call(sql, query, ...values) as never[];
  };
  tell(frontier, links(0, 100));
  frontier.close(2);
  tell(frontier, links(0, 100));
  // A job that runs is not closed.
  expect(indexed).toBe(0);
  frontier.cancel(3);
  frontier.close(4);
  progressOf(given(frontier.state()));
  expect(indexed).toBe(0);
  const asked = ["a.example/599", "a.example/600"];
  expect(readMissing(sql, asked).notFound).toEqual(["a.example/600"]);
  expect(indexed).toBeGreaterThan(0);
});
