import { expect, test } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { FairAdmission } from "../../../src/core/waits/fair-admission.ts";
import { parseSearchQuery } from "../../../src/core/search/search-query.ts";
import type { PageQuery } from "../../../src/ports/search/page-index.ts";
import { createOwnIndex, type Admit } from "../../../src/search/providers/web/own-index.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { memoryPageIndex } from "../../fakes/memory/memory-page-index.ts";

const asked = (teamId: string, deadlineMs: number) => ({
  text: "ferry",
  terms: parseSearchQuery("ferry"),
  source: "web" as const,
  limit: 60,
  includeDomains: [],
  excludeDomains: [],
  teamId,
  deadlineMs,
});

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
  const outcome = await provider.search(asked("team", clock.now() + 10_000));
  clearInterval(beside);
  expect(outcome).toMatchObject({ kind: "answered", hits: { length: 60 } });
  expect(others).toBeGreaterThan(5);
});

test("of a team with many searches, few are begun before the first of another, and those that come too late say so", async () => {
  const turns = new FairAdmission({ places: 2, refusesLate: true, isProcessorBusy: () => true });
  const admit: Admit = ({ teamId }, work, deadlineMs) => turns.run({ teamId, keyId: "" }, work, { deadlineMs });
  const begun: string[] = [];
  const search = async (teamId: string) => {
    begun.push(teamId);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return [];
  };
  const pages = { ...memoryPageIndex(), search };
  const provider = createOwnIndex({ pages, clock: fixedClock(), retentionMs: 1_000, admit });
  const many = Array.from({ length: 40 }, () => provider.search(asked("busy", Date.now() + 60_000)));
  const late = provider.search(asked("busy", Date.now() + 10));
  expect(await provider.search(asked("other", Date.now() + 60_000))).toEqual({ kind: "answered", hits: [] });
  expect(begun.indexOf("other")).toBeLessThan(5);
  expect(await late).toMatchObject({
    kind: "failed",
    reason: "timed_out",
    refusal: { code: "RATE_LIMITED", retryAfterSeconds: 10 },
  });
  for (const outcome of await Promise.all(many)) expect(outcome.kind).toBe("answered");
});

test("a search that comes too late since other teams fill the index is not told that its own team sends too much", async () => {
  const turns = new FairAdmission({ places: 1, refusesLate: true, isProcessorBusy: () => true });
  const ended = Promise.withResolvers<void>();
  const others = Array.from({ length: 8 }, (_, team) =>
    turns.run({ teamId: `${team}`, keyId: "" }, () => ended.promise),
  );
  const late = turns.run({ teamId: "a", keyId: "" }, () => ended.promise, { deadlineMs: Date.now() + 10 });
  await expect(late).rejects.toMatchObject({ code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 10 });
  ended.resolve();
  await Promise.all(others);
});

test("only sites that are in all lists of a query are searched", async () => {
  const sites: string[][] = [];
  const search = async (_team: string, { terms }: PageQuery) => (sites.push(terms.sites), []);
  const pages = { ...memoryPageIndex(), search };
  const provider = createOwnIndex({ pages, clock: fixedClock(), retentionMs: 1_000 });
  const query = asked("team", 10_000);
  await provider.search({ ...query, category: "developer", includeDomains: ["docs.rs", "a.example"] });
  await provider.search({ ...query, category: "developer", includeDomains: ["a.example"] });
  await provider.search({ ...query, category: "github" });
  await provider.search(query);
  expect(sites).toEqual([["docs.rs"], ["github.com"], []]);
});

test("an index that is away is not taken for one whose turn came too late", async () => {
  const logged: object[] = [];
  const outcome = async (error: Error) => {
    const pages = { ...memoryPageIndex(), search: () => Promise.reject(error) };
    const log = (event: object): void => void logged.push(event);
    const provider = createOwnIndex({ pages, clock: fixedClock(), retentionMs: 1_000, log });
    return await provider.search(asked("team", Date.now() + 60_000));
  };
  expect(await outcome(new AppError("SCRAPE_TIMEOUT"))).toMatchObject({ reason: "timed_out" });
  expect(logged).toEqual([]);
  expect(await outcome(new AppError("SERVICE_UNAVAILABLE"))).toMatchObject({ reason: "server_error" });
  expect(logged).toMatchObject([{ event: "own_index_failed" }]);
});
