import { afterEach, beforeEach, expect, test } from "vitest";
import { readVersions } from "../../../../src/storage/crawl/frontier-versions.ts";
import {
  changes,
  closeCrawls,
  crawlSite,
  DAY_MS,
  removed,
  resetSite,
  site,
  SITE,
} from "../../../fakes/services/incremental-site.ts";

beforeEach(resetSite);
afterEach(closeCrawls);

test("a page whose links now lead to the end of its redirect is not removed, and its document is once both are gone", async () => {
  site.pages.set("old", { text: "", links: [], moved: "target" });
  site.pages.set("target", { text: "the page that the redirect leads to", links: [], etag: '"t"' });
  site.pages.set("b", { text: "page b, which links to the redirect", links: ["old"] });
  await crawlSite(0);
  site.pages.set("b", { text: "page b, which links to the redirect", links: ["target"] });
  const second = await crawlSite(1, { since: 0 });
  expect(removed(second).filter(({ reason }) => reason !== "changed")).toEqual([]);
  expect(changes(second)).toMatchObject({ new: 0, removed: 0, isCompared: true });
  site.pages.set("b", { text: "page b, which links to nothing", links: [] });
  const third = await crawlSite(2, { since: 0 });
  expect(removed(third)).toMatchObject([{ url: `${SITE}old`, reason: "not_found" }]);
  // The second crawl has found the target itself.
  const fourth = await crawlSite(3, { since: 1 });
  expect(removed(fourth)).toMatchObject([{ url: `${SITE}target`, reason: "not_found" }]);
});

test("pages below one that only a sitemap named are not removed when it cannot be read", async () => {
  site.sitemap = [{ url: "lonely" }];
  site.pages.set("lonely", { text: "a page that nothing links to", links: ["below"], etag: '"l"' });
  site.pages.set("below", { text: "a page below it", links: ["deeper"], etag: '"l2"' });
  site.pages.set("deeper", { text: "a page still deeper", links: [], etag: '"l3"' });
  await crawlSite(0);
  site.sitemap = [];
  site.pages.set("a", { text: "page a, which leads nowhere now", links: [], etag: '"a2"' });
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ lacksSitemap: true });
  expect(removed(second)).toMatchObject([{ url: `${SITE}e`, reason: "not_found" }]);
});

test("pages below one whose robots.txt cannot be read are not removed", async () => {
  await crawlSite(0);
  // Its robots.txt is cached by host and time.
  site.nowMs += 3 * DAY_MS;
  site.closedHosts.add("site.example");
  let second = await crawlSite(1, { since: 0, asksRobots: true });
  for (let round = 0; round < 40 && second.state()?.status === "scraping"; round++) {
    site.nowMs += 61_000;
    second.reap(site.nowMs);
    second = await crawlSite(1, { since: 0, asksRobots: true });
  }
  site.closedHosts.clear();
  expect(second.state()?.counters).toMatchObject({ discovered: 6, failed: 6 });
  expect(removed(second)).toEqual([]);
  expect(readVersions(second.sql, { after: "", limit: 100 })).toHaveLength(6);
});
