import { expect, test } from "vitest";
import { isAdRequest } from "../../../../src/core/scrape/ad-hosts.ts";
import { leastProcessorMs } from "../../../processor-time.ts";

const PAGE = "https://shop.example/";

test.each([
  ["a host of the list", "https://pixel.cdn.doubleclick.net/x", true],
  ["a script of a folder of advertisements", "https://cdn.example/ads/2026/show.js?slot=1", true],
  ["an image of such a folder in a query", "https://cdn.example/get?from=/banner-ads/a.webp", true],
  ["a page of the folder", "https://cdn.example/ads/prices", false],
  ["a file whose folder is only in the query", "https://cdn.example/show.js?from=/ads/", false],
  ["a file that is only in the query", "https://cdn.example/ads/show?file=show.js", false],
  ["a tracker", "https://www.facebook.com/tr/?id=1", true],
  ["a name that only ends like a host of the list", "https://notdoubleclick.net/x", false],
])("%s is judged", (_what, url, isAd) => {
  expect(isAdRequest(url, PAGE)).toBe(isAd);
});

test("requests of a listed site's own pages to that site are no advertisements", () => {
  expect(isAdRequest("https://static.hotjar.com/app.js", "https://www.hotjar.com/")).toBe(false);
});

/** Of processor time; square work takes more than half a second. */
const MAX_MS = 200;

test.each([
  ["folders", `https://x.example${"/ads".repeat(20_000)}`],
  ["folders in many queries", `https://x.example${"/ads/?".repeat(20_000)}`],
  ["files", `https://x.example/ads/${".js".repeat(20_000)}/`],
  ["names of versions", `https://x.example${"/prebid1".repeat(10_000)}x`],
  ["labels of a host", `https://${"a.".repeat(10_000)}example/`],
  ["folders of a tracker", `https://connect.facebook.net${"/fbevent".repeat(10_000)}`],
])("a URL of thousands of %s is judged in linear time", async (_what, url) => {
  expect(await leastProcessorMs(() => isAdRequest(url, PAGE), MAX_MS)).toBeLessThan(MAX_MS);
});
