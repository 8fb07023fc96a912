import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Candidate } from "../../../../src/core/crawl/frontier.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { addCandidates, addFiltered, makeRoom } from "../../../../src/storage/crawl/frontier-add.ts";
import { PackedSet } from "../../../../src/storage/crawl/packed-set.ts";
import { given } from "../../../fakes/given.ts";
import { readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

const START: Candidate = { key: "start", url: "https://a.example/", depth: 0, isExternal: false, parent: undefined };
const CONFIG = {
  limit: undefined,
  maxConcurrency: 10,
  delayMs: 0,
  hasSeed: true,
  failsWhenEmpty: false,
  events: [],
  leaseMs: 10_000,
  expiresAtMs: 1e15,
} as const;

let sql: NodeSql;
beforeEach(() => {
  sql = nodeSql();
});
afterEach(() => sql.close());

function found(depth: number, name: string, parent = `parent at ${depth}`): Candidate {
  return { key: name, url: `https://a.example/${name}`, depth, isExternal: false, parent };
}

function tell(frontier: Frontier, candidates: Candidate[]): void {
  frontier.complete({ results: [], object: "", candidates, filtered: [], hosts: {} }, 1);
}

describe("a page that is found again", () => {
  test("by a shorter way is as near as that, while it waits", () => {
    const frontier = new Frontier(sql);
    frontier.start(CONFIG, [START], 0);
    tell(frontier, [found(3, "page")]);
    tell(frontier, [found(5, "page")]);
    tell(frontier, [found(1, "page")]);
    const state = frontier.state();
    if (state === undefined) throw new Error("It has begun");
    const { lines } = readUrls(sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 9 });
    expect(lines[1]).toMatchObject({ url: "https://a.example/page", depth: 1, parent: "parent at 1" });
    expect(frontier.claim(10, 2)?.items[1]).toMatchObject({ depth: 1 });
    expect(state.counters.discovered).toBe(2);
  });

  test("stays as far as it was once it has been scraped", () => {
    const frontier = new Frontier(sql);
    frontier.start({ ...CONFIG, hasSeed: false }, [found(3, "page"), found(0, "other")], 0);
    const claim = frontier.claim(1, 1);
    const result = { key: "page", attempt: 1, leaseId: claim?.leaseId ?? 0, kind: "robots" } as const;
    frontier.complete({ results: [result], object: "", candidates: [], filtered: [], hosts: {} }, 1);
    tell(frontier, [found(1, "page")]);
    const [row] = sql.rows<{ depth: number }>("SELECT depth FROM urls WHERE key = 'page'");
    expect(row?.depth).toBe(3);
  });
});

test("URLs that are found after a job was cancelled, while a page is still under way, are not added", () => {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, hasSeed: false }, [found(0, "page")], 0);
  frontier.claim(1, 1);
  frontier.cancel(2);
  tell(frontier, [found(1, "late")]);
  expect(frontier.state()?.counters).toMatchObject({ discovered: 1, leased: 1, pending: 1 });
});

test("more URLs than half a million that the rules leave out are all counted and listed", () => {
  const COUNT = 600_000;
  const PIECE = 5_000;
  let frontier = new Frontier(sql);
  frontier.start(CONFIG, [START], 0);
  for (let first = 0; first < COUNT; first += PIECE) {
    const filtered = Array.from({ length: PIECE }, (_, place) => ({
      url: `https://b.example/${first + place}`,
      reason: "EXTERNAL_LINK",
      depth: 1,
      parent: undefined,
    }));
    frontier.complete({ results: [], object: "", candidates: [], filtered, hosts: {} }, 1);
    // The object is evicted in the middle, and told the same once more.
    if (first === COUNT / 2) {
      frontier = new Frontier(sql);
      frontier.complete({ results: [], object: "", candidates: [], filtered, hosts: {} }, 1);
    }
  }
  expect(frontier.state()?.counters.skipped.filtered).toBe(COUNT);
  const [listed] = sql.rows<{ count: number }>("SELECT sum(json_array_length(entries)) AS count FROM filtered");
  expect(listed?.count).toBe(COUNT);
});

test("links of a page that are long together are stored in values of 2 MB at most, whether they are in scope or not", () => {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, limit: 300 }, [START], 0);
  const long = (name: string) => `https://a.example/${name}?${"value=1&".repeat(250)}`;
  const links = Array.from({ length: 500 }, (_, at) => found(1, `in-scope-${at}`, long("parent")));
  const candidates = links.map((link) => ({ ...link, key: long(link.key), url: long(link.key) }));
  const filtered = links.map((link, at) => ({ ...link, key: long(`out-${at}`), url: long(`out-${at}`), reason: "DEPTH_LIMIT" })); // prettier-ignore
  frontier.complete({ results: [], object: "", candidates, filtered, hosts: {} }, 1);
  // The start and all links, those beyond the limit and outside of the scope included.
  expect(frontier.state()?.counters).toMatchObject({ discovered: 1_001, skipped: { filtered: 500 } });
});

test("URLs beyond the limit and URLs that the rules leave out are listed up to a number, and no page of the crawl is lost", () => {
  const frontier = new Frontier(sql);
  frontier.start({ ...CONFIG, limit: 5, hasSeed: false }, [START], 0);
  const state = given(frontier.state());
  const adding = { sql, state, packed: new PackedSet(), mostListed: { filtered: 20, overflow: 10 } };
  const leftOut = Array.from({ length: 30 }, (_, at) => ({ url: `https://b.example/${at}`, reason: "EXTERNAL_LINK" as const, depth: 1, parent: undefined })); // prettier-ignore
  addFiltered(adding, leftOut.slice(0, 20));
  expect([state.counters.skipped.filtered, state.isListCut]).toEqual([20, undefined]);
  addFiltered(adding, leftOut);
  expect([state.counters.skipped.filtered, state.isListCut]).toEqual([20, true]);
  addCandidates(
    adding,
    Array.from({ length: 40 }, (_, at) => found(1, `page-${at}`)),
  );
  // The start, four pages within the limit, and ten beyond it.
  expect([state.counters.discovered, state.overflow.count]).toEqual([35, 10]);
  addCandidates(
    adding,
    Array.from({ length: 40 }, (_, at) => found(1, `page-${at}`)),
  );
  expect([state.counters.discovered, state.overflow.count]).toEqual([35, 10]);
  expect(makeRoom(adding, 100)).toBe(true);
  expect([state.counters.discovered, state.overflow.count]).toEqual([35, 0]);
});
