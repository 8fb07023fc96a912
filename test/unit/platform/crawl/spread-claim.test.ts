import { afterEach, beforeEach, expect, test } from "vitest";
import { batchEntries } from "../../../../src/core/crawl/dispatch.ts";
import { PutBackTimes } from "../../../../src/core/crawl/put-back-times.ts";
import { spreadClaim } from "../../../../src/platform/crawl/spread-claim.ts";
import { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { given } from "../../../fakes/given.ts";
import { nodeSql, type NodeSql } from "../../../fakes/memory/node-sql.ts";

let sql: NodeSql;
beforeEach(() => (sql = nodeSql()));
afterEach(() => sql.close());

test("pages whose host's throttle does not answer wait without an attempt, and the others begin", async () => {
  const frontier = new Frontier(sql);
  const config = { limit: undefined, maxConcurrency: 10, delayMs: 0, hasSeed: false, failsWhenEmpty: false };
  const seeds = batchEntries(["https://a.example/", "https://b.example/1", "https://b.example/2"], 0);
  frontier.start({ ...config, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }, seeds, Date.now());
  const throttles = {
    getByName: (name: string) => ({
      reserve: async (_: string, count: number): Promise<number[]> => {
        if (name === "b.example") throw new Error("The object does not answer");
        return Array.from({ length: count }, () => Date.now());
      },
    }),
  };
  const putBack = new PutBackTimes();
  const { claim } = await spreadClaim({ frontier, throttles, putBack }, given(frontier.claim(10, Date.now())));
  expect(claim.items.map(({ key }) => key)).toEqual(["#0"]);
  expect(frontier.state()?.counters).toMatchObject({ leased: 1, pending: 3, failed: 0 });
  const later = given(frontier.claim(10, Date.now() + 10_000));
  expect(later.items.map(({ key, attempt }) => [key, attempt])).toEqual([["#1", 1], ["#2", 1]]); // prettier-ignore
});

test("of pages that are leased ahead, those remain so that are not put back", async () => {
  const frontier = new Frontier(sql);
  const config = { limit: undefined, maxConcurrency: 2, delayMs: 0, hasSeed: false, failsWhenEmpty: false };
  const urls = Array.from({ length: 12 }, (_, at) => `https://a.example/${at}`);
  frontier.start({ ...config, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }, batchEntries(urls, 0), Date.now());
  const spread = async (soon: number) => {
    const nowMs = Date.now();
    const reserve = async (_: string, count: number) => Array.from({ length: count }, (_time, at) => (at < soon ? nowMs : nowMs + 60_000)); // prettier-ignore
    const throttles = { getByName: () => ({ reserve }) };
    const putBack = new PutBackTimes();
    const { claim } = await spreadClaim({ frontier, throttles, putBack }, given(frontier.claim(2, nowMs, { ahead: 3, unreported: 9 }))); // prettier-ignore
    return { items: claim.items.length, ahead: claim.ahead };
  };
  expect(await spread(9)).toEqual({ items: 5, ahead: 3 });
  expect(await spread(3)).toEqual({ items: 3, ahead: 1 });
  expect(await spread(1)).toEqual({ items: 1, ahead: undefined });
});
