import { expect, test } from "vitest";
import type { EngineOutcome } from "../../../src/core/page.ts";
import { AppError } from "../../../src/core/errors.ts";
import { batchScrape } from "../../../src/jobs/batch-scrape.ts";
import type { JobSpecification } from "../../../src/jobs/kind.ts";
import { CrawlTemplate } from "../../../src/services/crawl-template.ts";
import { scrapeItem } from "../../../src/services/scrape-item.ts";
import { V2_DEFAULTS } from "../../../src/services/scrape-plan.ts";
import { testDeps } from "../../fakes/test-deps.ts";

const URL = "http://a.example/page";
const JOB = "01a1fca9-c0e6-70a0-9c2a-f06008640789";

/** Scrapes one item with an engine that does what the test says. */
function scrapeWith(load: () => Promise<EngineOutcome>, attempt = 1) {
  const deps = testDeps({ engines: [{ engine: "fetch", provides: new Set(), load }] });
  const specification = {
    id: JOB,
    kind: "batch_scrape",
    scrapeOptions: {},
    scrapeDefaults: V2_DEFAULTS,
    key: { teamId: "team" },
    zeroDataRetention: false,
    publicOrigin: "http://service.example",
    input: {},
  } as unknown as JobSpecification;
  const item = { key: "#0", url: URL, depth: 0, isExternal: false, attempt };
  const template = new CrawlTemplate({ specification, kind: batchScrape });
  return scrapeItem(deps, { item, documentNumber: 65, specification, kind: batchScrape, template });
}

function page(statusCode: number, headers: Record<string, string> = {}): EngineOutcome {
  const text = "A page of a small harbour, with enough words that nobody takes it for an empty shell. ".repeat(20);
  const body = `<html><head><title>Harbour</title></head><body><main><h1>Harbour</h1><p>${text}</p></main></body></html>`;
  const loaded = {
    engine: "fetch" as const,
    url: URL,
    statusCode,
    headers,
    contentType: "text/html",
    body,
    warnings: [],
  };
  return { kind: "loaded", page: loaded };
}

test("a page becomes a document with an id that leads back to its job", async () => {
  const { result, documentJson, credits } = await scrapeWith(async () => page(200));
  expect(result).toMatchObject({ kind: "scraped", key: "#0", attempt: 1, credits: 1 });
  expect(credits).toBe(1);
  expect(JSON.parse(documentJson ?? "")).toMatchObject({
    markdown: expect.stringContaining("small harbour"),
    metadata: { sourceURL: URL, statusCode: 200, scrapeId: result.kind === "scraped" ? result.scrapeId : "none" },
  });
});

test("a page whose processing throws has failed, and is worth another try", async () => {
  const outcome = await scrapeWith(() => Promise.reject(new TypeError("secret inside")));
  expect(outcome.result).toMatchObject({ kind: "failed", code: "UNKNOWN_ERROR", retryable: true });
  expect(JSON.stringify(outcome)).not.toContain("secret inside");
});

test.each([
  { why: "a name that does not exist", code: "SCRAPE_DNS_RESOLUTION_ERROR", attempt: 1, retryable: false },
  { why: "a page that took all its time", code: "SCRAPE_TIMEOUT", attempt: 1, retryable: true },
  { why: "one that did so twice", code: "SCRAPE_TIMEOUT", attempt: 2, retryable: false },
] as const)("$why fails with its code", async ({ code, attempt, retryable }) => {
  const { result, credits } = await scrapeWith(() => Promise.reject(new AppError(code)), attempt);
  expect(result).toMatchObject({ kind: "failed", code, retryable });
  expect(credits).toBe(0);
});

test("a site that says “not now” is asked again when it wants, and taken at its word in the end", async () => {
  const busy = async () => page(503, { "retry-after": "120" });
  const first = await scrapeWith(busy);
  expect(first).toMatchObject({
    result: { kind: "failed", retryable: true, retryAfterMs: 120_000 },
    report: { statusCode: 503, retryAfterMs: 120_000 },
  });
  const last = await scrapeWith(busy, 3);
  expect(last.result.kind).toBe("scraped");
});
