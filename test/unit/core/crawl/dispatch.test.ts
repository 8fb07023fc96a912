import { describe, expect, test } from "vitest";
import { batchEntries, PAGES_PER_MESSAGE, spreadByHost, messagesNeeded } from "../../../../src/core/crawl/dispatch.ts";
import { documentId, jobIdPrefix } from "../../../../src/core/scrape/document-id.ts";

describe("tickets", () => {
  test.each([
    { why: "one for a page", claimable: 1, maxConcurrency: 50, open: 0, wanted: 1 },
    { why: "none for nothing", claimable: 0, maxConcurrency: 50, open: 0, wanted: 0 },
    {
      why: "as many as the concurrency fills",
      claimable: 1000,
      maxConcurrency: PAGES_PER_MESSAGE * 2,
      open: 0,
      wanted: 2,
    },
    {
      why: "a second one beside the first",
      claimable: 1000,
      maxConcurrency: PAGES_PER_MESSAGE * 2,
      open: 1,
      wanted: 1,
    },
    { why: "one for each eight pages", claimable: 1000, maxConcurrency: 50, open: 0, wanted: 7 },
    { why: "none beyond the concurrency", claimable: 1000, maxConcurrency: PAGES_PER_MESSAGE, open: 1, wanted: 0 },
    { why: "one of a job where there is no room", claimable: 1000, maxConcurrency: 50, open: 0, room: 0, wanted: 1 },
    { why: "no second one where there is no room", claimable: 1000, maxConcurrency: 50, open: 1, room: 0, wanted: 0 },
    { why: "as many as there is room for", claimable: 1000, maxConcurrency: 50, open: 2, room: 3, wanted: 3 },
  ])("are sent out: $why", ({ wanted, room = Infinity, ...progress }) => {
    expect(messagesNeeded({ room, ...progress })).toBe(wanted);
  });
});

describe("the moments of hosts", () => {
  test("are given to the items of each host in their order, and what is too far off is put back", () => {
    const items = ["http://a.example/1", "b.example/1", "http://a.example/2"].map((url, index) => ({
      key: String(index),
      url,
      depth: 0,
      isExternal: false,
      attempt: 1,
    }));
    const moments = new Map([["a.example", [100, 9_000]]]);
    const { now, later } = spreadByHost(items, moments, 2_000);
    expect(now.map(({ key, startAtMs }) => [key, startAtMs])).toEqual([["0", 100], ["1", 0]]); // prettier-ignore
    expect(later).toMatchObject([{ item: { key: "2" }, atMs: 9_000 }]);
  });
});

test("entries of a batch are known by their place, so that one URL may stand there twice", () => {
  expect(batchEntries(["http://a.example", "http://a.example"], 7).map(({ key }) => key)).toEqual(["#7", "#8"]);
});

test("a document's id is a UUID that leads back to its job", () => {
  const job = "01a1fca9-c0e6-70a0-9c2a-f06008640789";
  const id = documentId(job, 2 ** 40 + 3);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(job.startsWith(jobIdPrefix(id) ?? "none")).toBe(true);
  expect(jobIdPrefix(job)).toBeUndefined();
});
