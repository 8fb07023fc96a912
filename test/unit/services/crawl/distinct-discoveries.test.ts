/** Links that many pages have are reported once, and other requests run while a page of very many is read. */
import { expect, test } from "vitest";
import { distinctDiscoveries, ReportedUrls } from "../../../../src/services/crawl/distinct-discoveries.ts";
import type { Discoveries } from "../../../../src/jobs/kind.ts";

function candidate(url: string, depth = 1): Discoveries["candidates"][number] {
  return { key: url, url, depth, isExternal: false, parent: undefined };
}

function leftOut(url: string): Discoveries["filtered"][number] {
  return { url, reason: "EXTERNAL_LINK", depth: 1, parent: undefined };
}

test("each URL is reported once, with its shortest path", async () => {
  const reported = new ReportedUrls();
  const pages = [
    { candidates: [candidate("a", 3), candidate("b")], filtered: [leftOut("x"), leftOut("a")] },
    { candidates: [candidate("a", 2), candidate("a", 4)], filtered: [leftOut("x"), leftOut("y")] },
  ];
  const found = await distinctDiscoveries(pages, reported);
  expect(found.candidates).toEqual([candidate("a", 2), candidate("b")]);
  expect(found.filtered.map(({ url }) => url)).toEqual(["x", "a", "y"]);
  await reported.add(found, 100);
  const further = { candidates: [candidate("a", 1), candidate("x")], filtered: [leftOut("b"), leftOut("y")] };
  expect(await distinctDiscoveries([further], reported)).toEqual({ candidates: [candidate("x")], filtered: [leftOut("b")] }); // prettier-ignore
});

test("the URLs of earlier reports are forgotten when they are too many", async () => {
  const reported = new ReportedUrls();
  await reported.add({ candidates: [candidate("a")], filtered: [leftOut("x")] }, 2);
  expect([reported.inScope.has("a"), reported.filtered.has("x")]).toEqual([true, true]);
  await reported.add({ candidates: [candidate("c")], filtered: [] }, 2);
  expect([reported.inScope.has("a"), reported.filtered.has("x"), reported.inScope.has("c")]).toEqual([
    false,
    false,
    true,
  ]);
});

test("a report of very many URLs is remembered to the limit", async () => {
  const reported = new ReportedUrls();
  const urls = Array.from({ length: 1_234 }, (_, index) => String(index));
  await reported.add({ candidates: urls.map((url) => candidate(url)), filtered: urls.map(leftOut) }, 100);
  expect(reported.inScope.size + reported.filtered.size).toBeLessThanOrEqual(100);
  expect(reported.filtered.has("1233")).toBe(true);
});

test("other requests run while very many URLs are compared and remembered", async () => {
  const urls = Array.from({ length: 5_000 }, (_, index) => `https://site.example/${index}`);
  const page = { candidates: urls.map((url) => candidate(url)), filtered: urls.map(leftOut) };
  const reported = new ReportedUrls();
  let turns = 0;
  const others = setInterval(() => turns++, 0);
  const found = await distinctDiscoveries([page], reported);
  const compared = turns;
  await reported.add(found, 50_000);
  clearInterval(others);
  expect(found).toEqual(page);
  expect(compared).toBeGreaterThan(4);
  expect(turns - compared).toBeGreaterThan(4);
});
