import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { UsageTotals } from "../../src/core/account/usage.ts";
import { LedgerCounters } from "../../src/core/account/key-ledger.ts";
import { FrontierState } from "../../src/core/crawl/frontier.ts";
import { HostState, NEW_HOST } from "../../src/core/crawl/host-throttle.ts";
import { StepEnd } from "../../src/core/jobs/step-trace.ts";
import { CheckPlan, MonitorConfig, MonitorPage, MonitorSummary, NO_PAGES } from "../../src/core/monitors/monitor.ts";
import { Lease, PooledBrowser } from "../../src/core/sessions/browser-pool.ts";
import { ProfileState } from "../../src/core/sessions/profile.ts";
import { isString, readReplaceable, readStored, readStoredList } from "../../src/core/stored-state.ts";
import { AgentInput } from "../../src/jobs/agent/input.ts";
import { CrawlInput } from "../../src/jobs/crawl/crawl.ts";
import { DeepResearchInput } from "../../src/jobs/deep-research.ts";
import { ExtractInput } from "../../src/jobs/extract/extract.ts";
import { LlmstxtInput } from "../../src/jobs/llmstxt.ts";
import { JobSpecification } from "../../src/jobs/kind.ts";
import { StepSpecification } from "../../src/jobs/step-kind.ts";
import { EventContent } from "../../src/ports/crawl/frontier.ts";
import { RecordingManifest } from "../../src/ports/sessions/recordings.ts";
import { PageSnapshot } from "../../src/ports/storage/change-history.ts";
import { StepJobRecord } from "../../src/storage/jobs/step-job.ts";
import { createTables, readState, writeState } from "../../src/storage/crawl/frontier-tables.ts";
import { nodeSql } from "../fakes/memory/node-sql.ts";

const FRONTIER = {
  config: { limit: 10, maxConcurrency: 5, hasSeed: false, events: ["page"], leaseMs: 12_000, expiresAtMs: 9 },
  status: "scraping",
  createdAtMs: 1,
  counters: { discovered: 1, pending: 1, leased: 0, completed: 0, failed: 0, skipped: { robots: 0 } },
  creditsUsed: 0,
  cursor: { row: 0, place: 0 },
  nextLease: 1,
  seed: "none",
  closed: false,
};
const RULES = {
  startUrl: "https://a.example/",
  folder: "",
  includePaths: [],
  excludePaths: ["^/private"],
  regexOnFullURL: false,
  maxDiscoveryDepth: null,
  maxDepth: 3,
  allowExternalLinks: false,
  allowSubdomains: false,
  ignoreQueryParameters: false,
  deduplicateSimilarURLs: true,
};
const STEP_JOB = {
  status: "scraping",
  config: { expiresAtMs: 9 },
  createdAtMs: 1,
  steps: 2,
  creditsUsed: 3,
  creditsHeld: 0,
  costs: { pages: 2 },
  isClosed: false,
};
const SPECIFICATION = {
  id: "job",
  kind: "extract",
  apiVersion: "v2",
  key: { id: "key", teamId: "team" },
  scrapeDefaults: { timeoutMs: 1, maxAgeMs: 1 },
  publicOrigin: "https://service.example",
  createdAtMs: 1,
  input: { prompt: "prices" },
};
const PAGE = { id: "page", targetId: "target", url: "https://a.example/", status: "same", createdAt: "2026-11-01" };
const TARGET = { id: "target", type: "search", queries: ["cod"] };

/** Each stored shape as an early version has written it, and what this version adds to it. */
const OLD: [name: string, schema: z.ZodType, stored: unknown, understood: object][] = [
  ["frontier", FrontierState, FRONTIER, { charged: 0, isStopping: false, rest: "limit", overflow: { count: 0 } }],
  [
    "job of pages",
    JobSpecification,
    { ...SPECIFICATION, scrapeOptions: {} },
    { ownHosts: [], zeroDataRetention: false },
  ],
  [
    "step job",
    StepSpecification,
    { ...SPECIFICATION, deadlineMs: 5 },
    { key: { scopes: { admin: false }, limits: {} } },
  ],
  ["step", StepEnd, { kind: "failed", code: "A_CODE_OF_ANOTHER_VERSION", message: "no" }, { code: "UNKNOWN_ERROR" }],
  ["host", HostState, { nextAtMs: 5, paceMs: 3 }, { ...NEW_HOST, nextAtMs: 5 }],
  ["ledger", LedgerCounters, { credits: { periodStartMs: 1, used: 2 } }, { windows: {} }],
  ["event", EventContent, { data: { a: 1 } }, { data: { a: 1 } }],
  [
    "browser",
    PooledBrowser,
    { sessionId: "s", bornAtMs: 1, pages: 0, lastUsedAtMs: 1, provenAtMs: 1, draining: false },
    {},
  ],
  ["lease", Lease, { leaseId: "l", sessionId: "s", expiresAtMs: 5 }, { leaseId: "l" }],
  [
    "profile",
    ProfileState,
    { version: 1, cookies: [], origins: [{ origin: "https://a.example" }] },
    { origins: [{ databases: [] }] },
  ],
  ["snapshot", PageSnapshot, { scrapedAtMs: 1, markdown: "x" }, { markdown: "x" }],
  ["check plan", CheckPlan, { listed: [], pages: [] }, { failed: [], warnings: [] }],
  ["summary", MonitorSummary, { totalPages: 2, same: 2 }, { ...NO_PAGES, totalPages: 2, same: 2 }],
  ["page of a check", MonitorPage, PAGE, { diff: null, previousScrapeId: null, statusCode: null }],
  [
    "monitor",
    MonitorConfig,
    { schedule: { cron: "0 * * * *" }, targets: [TARGET], publicOrigin: "https://service.example" },
    { webhook: null, goal: null, retentionDays: 30, targets: [{ searchWindow: "24h", maxResults: 10 }] },
  ],
  [
    "recording",
    RecordingManifest,
    { sessionId: "s", teamId: "t", playToken: "p", startedMs: 1, pages: [], network: { segments: 0, entries: 0 } },
    { isCut: false },
  ],
  [
    "input of an agent",
    AgentInput,
    { prompt: "prices", urls: [], strictConstrainToURLs: false },
    { prompt: "prices", strictConstrainToURLs: false },
  ],
  [
    "input of an extract",
    ExtractInput,
    { urls: [], ignoreSitemap: false, includeSubdomains: true, enableWebSearch: false, scrapeOptions: {} },
    { includeSubdomains: true },
  ],
  ["input of a crawl", CrawlInput, { rules: RULES, sitemap: "skip", isLanded: true }, { rules: RULES }],
  ["input of a deep research", DeepResearchInput, { query: "bells", maxDepth: 2, maxUrls: 3 }, { maxDepth: 2 }],
  [
    "input of an llms.txt",
    LlmstxtInput,
    { url: "https://a.example/", maxUrls: 3, showFullText: true },
    { showFullText: true },
  ],
];

describe("stored state", () => {
  test.each(OLD)("of an older version is understood: %s", (name, schema, stored, understood) => {
    expect(readStored(schema, JSON.stringify(stored), name)).toMatchObject(understood);
  });

  test.each(OLD)("without a form that this version knows is refused by name: %s", (name, schema) => {
    const refusal = { code: "STORED_STATE_UNREADABLE", message: expect.stringContaining(`stored ${name}`) };
    for (const text of ["{", "null", '"text"', "[]"]) {
      expect(() => readStored(schema, text, name), text).toThrow(expect.objectContaining(refusal));
    }
    expect(readReplaceable(schema, "[]")).toBeUndefined();
  });

  test("names the field that cannot be read, and not its value", () => {
    const text = JSON.stringify({ ...FRONTIER, nextLease: "a secret" });
    expect(() => readStored(FrontierState, text, "frontier")).toThrow(/nextLease: invalid_type\)$/);
  });

  test("usage of an older version has no latencies", () => {
    const { latency: _, ...totals } = { requests: 1, errors: 0, pages: 1, latency: {} };
    expect(() => readStored(UsageTotals, JSON.stringify(totals), "usage")).toThrow("receipt");
  });

  test("in lists is checked entry by entry", () => {
    expect(readStoredList(isString, '["a","b"]', "frontier")).toEqual(["a", "b"]);
    for (const text of ['["a",1]', "{}", "["])
      expect(() => readStoredList(isString, text, "frontier")).toThrow("stored");
  });

  test("of a step job of an older version continues with the defaults", () => {
    const sql = nodeSql();
    const record = new StepJobRecord(sql);
    sql.rows("INSERT INTO job (one, specification, state) VALUES (1, '{}', ?)", JSON.stringify(STEP_JOB));
    expect(record.opened()).toEqual({ specification: "{}", status: "scraping", idleRuns: 0 });
    record.recordRun(5);
    expect(record.opened()).toMatchObject({ idleRuns: 1 });
    expect(record.progress()).toMatchObject({ steps: 2, creditsUsed: 3, charged: 0, costs: { pages: 2, credits: 0 } });
    sql.rows("UPDATE job SET state = '{}'");
    expect(() => new StepJobRecord(sql).state()).toThrow("stored step job");
  });

  test("of a frontier is parsed with its schema until the object has written it", () => {
    const sql = nodeSql();
    createTables(sql);
    sql.rows("INSERT INTO frontier (one, state) VALUES (1, ?)", JSON.stringify(FRONTIER));
    const state = readState(sql);
    expect(state).toMatchObject({ charged: 0, counters: { skipped: { limit: 0, credits: 0 } } });
    if (state !== undefined) writeState(sql, state);
    expect(readState(sql)).toEqual(state);
  });
});
