import { expect, test } from "vitest";
import { parseSearchQuery } from "../../../src/core/search/search-query.ts";
import { createOwnIndex } from "../../../src/search/providers/web/own-index.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryPageIndex } from "../../fakes/memory/memory-page-index.ts";

test("other requests run while the snippets of many pages are looked for", async () => {
  const clock = fixedClock();
  const pages = memoryPageIndex();
  const bodies = Array.from({ length: 60 }, (_, page) => ({
    url: `https://a.example/${page}`,
    title: `Page ${page}`,
    description: "",
    language: "en",
    body: "The ferry sails at noon. ".repeat(800),
    fileType: "html",
    datedAtMs: clock.now(),
    scrapeId: "",
  }));
  await pages.put("team", bodies, { nowMs: clock.now(), retentionMs: 86_400_000 });
  const found = pages.search("team", { terms: parseSearchQuery("ferry"), limit: 60, indexedAfterMs: 0 });
  const provider = createOwnIndex({
    pages: { ...pages, search: async () => await found },
    clock,
    retentionMs: 86_400_000,
  });
  await found;
  let others = 0;
  const beside = setInterval(() => others++, 0);
  const outcome = await provider.search({
    text: "ferry",
    terms: parseSearchQuery("ferry"),
    source: "web",
    limit: 60,
    includeDomains: [],
    excludeDomains: [],
    teamId: "team",
    deadlineMs: clock.now() + 10_000,
  });
  clearInterval(beside);
  expect(outcome).toMatchObject({ kind: "answered", hits: { length: 60 } });
  expect(others).toBeGreaterThan(5);
});
