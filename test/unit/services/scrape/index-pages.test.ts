import { describe, expect, test } from "vitest";
import { openPage } from "../../../../src/content/page-view.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { isIndexed, toIndexedPage } from "../../../../src/services/scrape/index-pages.ts";
import type { LoadedThroughCache } from "../../../../src/services/scrape/load-through-cache.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const NOW = Date.UTC(2026, 5, 15);
const clean = { onlyMainContent: true, includeTags: [], excludeTags: [] };

async function loaded(body: string, page: Partial<LoadedPage> = {}): Promise<LoadedThroughCache> {
  const view = await openPage(
    {
      engine: "fetch",
      url: "https://a.example/final",
      statusCode: 200,
      headers: {},
      contentType: "text/html",
      body: new TextEncoder().encode(body),
      warnings: [],
      ...page,
    },
    { clean, pdf: undefined, bytesOnly: false },
  );
  return { view, attempts: [], obstacle: undefined, cacheState: undefined };
}

const wanted = { url: "https://a.example/asked", markdown: undefined, scrapeId: "a", nowMs: NOW };

describe("what is to be found of a page", () => {
  test("is its text without marks, what it says about itself, and when it was published", async () => {
    const html = `<html lang="en-GB"><head><title>Bells</title><meta name="description" content="All about bells">
      <meta property="article:published_time" content="2025-03-04T00:00:00Z"></head>
      <body><article><h1>Bells</h1><p>See <a href="/x">the <b>bell</b></a> ring.</p></article></body></html>`;
    expect(toIndexedPage(await loaded(html), wanted)).toEqual({
      url: "https://a.example/final",
      title: "Bells",
      description: "All about bells",
      language: "en",
      body: "# Bells\n\nSee the bell ring.",
      fileType: "html",
      datedAtMs: Date.UTC(2025, 2, 4),
      scrapeId: "a",
    });
  });

  test("is dated by its reading when it does not say, or says something that cannot be", async () => {
    const dated = (date: string) =>
      loaded(`<meta property="article:published_time" content="${date}"><p>A bell rings.</p>`);
    for (const date of ["", "tomorrow", "2099-01-01", "1876-01-01"])
      expect(toIndexedPage(await dated(date), wanted)?.datedAtMs).toBe(NOW);
  });

  test.each([
    { why: "an error", page: { statusCode: 404 } },
    {
      why: "the bytes of a PDF",
      page: { contentType: "application/pdf", body: new TextEncoder().encode("%PDF-1.7\n") },
    },
  ])("is nothing for $why", async ({ page }) => {
    expect(toIndexedPage(await loaded("<p>A bell rings.</p>", page), wanted)).toBeUndefined();
  });

  test("is nothing for a wall, and for a page without text", async () => {
    const wall = {
      ...(await loaded("<p>Who are you?</p>")),
      obstacle: { kind: "blocked", reason: "bot_wall" } as const,
    };
    expect(toIndexedPage(wall, wanted)).toBeUndefined();
    expect(toIndexedPage(await loaded("<p> </p>"), wanted)).toBeUndefined();
  });
});

test.each([
  { why: "as a rule", options: {}, is: true },
  { why: "with storeInCache: false", options: { storeInCache: false }, is: false },
  { why: "with zero data retention", zeroDataRetention: true, is: false },
  { why: "without an index", indexRetentionMs: 0, is: false },
])("a page is indexed $why: $is", ({ options = {}, zeroDataRetention = false, indexRetentionMs = 1, is }) => {
  const deps = testDeps({ settings: { indexRetentionMs } });
  expect(isIndexed(deps, { options, zeroDataRetention })).toBe(is);
});
