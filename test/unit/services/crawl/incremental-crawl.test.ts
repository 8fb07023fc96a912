import { afterEach, beforeEach, expect, test } from "vitest";
import { parseSearchQuery } from "../../../../src/core/search/search-query.ts";
import type { Frontier } from "../../../../src/storage/crawl/frontier.ts";
import { readUrls } from "../../../../src/storage/crawl/frontier-read.ts";
import {
  changePages,
  changes,
  closeCrawls,
  crawlSite,
  DAY_MS,
  documentsOf,
  IDS,
  progress,
  removed,
  resetSite,
  site,
  SITE,
  statuses,
} from "../../../fakes/services/incremental-site.ts";

/** Of the search index of tests. */
const RETENTION_MS = DAY_MS;

beforeEach(resetSite);
afterEach(closeCrawls);

test("a page that has not changed costs one conditional request, and its document is that of the earlier job", async () => {
  const before = await documentsOf(await crawlSite(0));
  site.requests = [];
  const writes = site.blobs.objects.size;
  const second = await crawlSite(1, { since: 0 });
  expect(second.state()).toMatchObject({ status: "completed", creditsUsed: 1, counters: { completed: 6 } });
  expect(changes(second)).toMatchObject({ new: 0, changed: 0, unchanged: 6, removed: 0, isCompared: true });
  expect(site.requests.toSorted((left, right) => (left.url < right.url ? -1 : 1))).toEqual([
    { url: "", status: 304 },
    { url: "a", status: 304 },
    { url: "b", status: 200 },
    { url: "c", status: 304 },
    { url: "d", status: 304 },
    { url: "e", status: 304 },
  ]);
  expect(site.blobs.objects.size).toBe(writes);
  const after = await documentsOf(second);
  for (const [path, document] of before) {
    expect(after.get(path)?.markdown).toBe(document.markdown);
    expect(after.get(path)?.metadata).toMatchObject({ changeStatus: "unchanged", title: document.metadata.title });
    expect(after.get(path)?.metadata.scrapeId).toMatch(/^01a1fca9-c0e2-8/);
  }
  expect(after.get("a")?.metadata.creditsUsed).toBe(0);
  expect(after.get("b")?.metadata.creditsUsed).toBe(1);
});

test("pages that are confirmed without being read stay in the search index, and the others leave it", async () => {
  const found = async (): Promise<string[]> => {
    const indexedAfterMs = site.nowMs - RETENTION_MS;
    const terms = parseSearchQuery("page");
    const pages = await site.pageIndex.search("team", { terms, limit: 20, indexedAfterMs });
    return pages.map(({ url }) => url.slice(SITE.length)).toSorted();
  };
  const dates = ["", "a", "c"].map((url) => ({ url, lastModified: "2026-06-01" }));
  site.sitemap = dates;
  await crawlSite(0);
  expect(await found()).toEqual(["", "a", "b", "c", "d", "e"]);
  site.nowMs += RETENTION_MS * 0.6;
  site.pages.set("", { text: "the start page of the site", links: ["a", "b", "c"], etag: '"start 2"' });
  site.sitemap = dates.map(({ url }) => (url === "" ? { url } : { url, lastModified: "2026-06-01" }));
  const second = await crawlSite(1, { since: 0 });
  expect(await statuses(second)).toMatchObject({ a: "unchanged", c: "unchanged", e: "unchanged" });
  expect(site.requests.filter(({ url }) => url === "c")).toHaveLength(1);
  site.nowMs += RETENTION_MS * 0.6;
  expect(await found()).toEqual(["", "a", "b", "c", "e"]);
});

test("the search index is asked about unchanged pages when their entries may be due, and not before", async () => {
  const looks: string[][] = [];
  const { confirm } = site.pageIndex;
  site.pageIndex.confirm = async (teamId, urls, options) => {
    looks.push(urls.map((url) => url.slice(SITE.length)).toSorted());
    return await confirm(teamId, urls, options);
  };
  site.sitemap = ["", "a", "c"].map((url) => ({ url, lastModified: "2026-06-01" }));
  const looksOf = async (job: number, since?: number): Promise<string[]> => {
    looks.splice(0);
    await crawlSite(job, since === undefined ? {} : { since });
    return looks.flat().toSorted();
  };
  expect(await looksOf(0)).toEqual([]);
  site.nowMs += RETENTION_MS * 0.2;
  expect(await looksOf(1, 0)).toEqual([]);
  expect(looks).toEqual([]);
  site.nowMs += RETENTION_MS * 0.1;
  expect(await looksOf(2, 1)).toEqual(["", "a", "c", "d", "e"]);
  site.nowMs += RETENTION_MS * 0.2;
  expect(await looksOf(3, 2)).toEqual([]);
});

test("changed, new and removed pages are told apart, and the links of unchanged pages are followed", async () => {
  await crawlSite(0);
  changePages();
  const second = await crawlSite(1, { since: 0 });
  expect(await statuses(second)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "changed", d: "removed", e: "unchanged", f: "new" }); // prettier-ignore
  expect(changes(second)).toMatchObject({ new: 1, changed: 1, unchanged: 4, removed: 1 });
  expect(removed(second)).toEqual([{ url: `${SITE}d`, reason: "gone", scrapeId: expect.any(String), chunks: [] }]);
  const state = second.state();
  if (state === undefined) throw new Error("There is no job");
  const { lines } = readUrls(second.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  expect(lines.find(({ url }) => url === `${SITE}a`)).toMatchObject({ outcome: "scraped", change: "unchanged", detail: "not_modified" }); // prettier-ignore
  expect(lines.find(({ url }) => url === `${SITE}b`)).toMatchObject({ change: "unchanged", detail: "fingerprint" });
  expect(lines.find(({ url }) => url === `${SITE}d`)).toMatchObject({ change: "removed", detail: "HTTP 404" });
});

test("a page that nothing leads to any more is named as not found", async () => {
  await crawlSite(0, { formats: [{ type: "markdown" }, { type: "chunks", maxTokens: 400, overlapTokens: 0, tokenizer: "estimate" } as never] }); // prettier-ignore
  site.pages.set("a", { text: "page a, which leads nowhere now", links: [], etag: '"a2"' });
  const options = { formats: [{ type: "markdown" }, { type: "chunks", maxTokens: 400, overlapTokens: 0, tokenizer: "estimate" } as never] }; // prettier-ignore
  const second = await crawlSite(1, { since: 0, ...options });
  const gone = removed(second).find(({ url }) => url === `${SITE}e`);
  expect(gone).toMatchObject({ reason: "not_found" });
  expect(gone?.chunks).not.toEqual([]);
  expect(site.requests.filter(({ url }) => url === "e")).toHaveLength(1);
  expect(changes(second)).toMatchObject({ changed: 1, removed: 1 });
  // The changed page has lost its chunks, and says so itself.
  const lost = removed(second).find(({ url }) => url === `${SITE}a`);
  expect(lost).toMatchObject({ reason: "changed" });
  expect((await documentsOf(second)).get("a")?.metadata.removedChunks).toEqual(lost?.chunks);
  const events = second.sql.rows<{ content: string }>("SELECT content FROM outbox WHERE event = 'page.removed'");
  expect(events.map(({ content }) => JSON.parse(content))).toMatchObject([{ metadata: { sourceURL: `${SITE}e`, changeStatus: "removed", removalReason: "not_found", removedChunks: gone?.chunks } }]); // prettier-ignore
  const state = second.state();
  if (state === undefined) throw new Error("There is no job");
  const { lines } = readUrls(second.sql, state, { cursor: { part: "queue", row: 0, place: 0 }, limit: 100 });
  expect(lines.at(-1)).toEqual({
    url: `${SITE}e`,
    outcome: "removed",
    change: "removed",
    reason: "not_found",
    depth: 0,
  });
});

test("with changes alone, unchanged pages are not among the documents, and a later crawl still knows them", async () => {
  await crawlSite(0);
  changePages();
  const second = await crawlSite(1, { since: 0, output: "changes" });
  expect(await statuses(second)).toEqual({ c: "changed", d: "removed", f: "new" });
  expect(progress(second)).toMatchObject({ completed: 7, documents: 3 });
  expect(second.sql.rows("SELECT id FROM outbox WHERE event = 'page'")).toHaveLength(3);
  const third = await crawlSite(2, { since: 1 });
  expect(await statuses(third)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "unchanged", e: "unchanged", f: "unchanged", d: undefined }); // prettier-ignore
});

test("documents of an earlier day are copied, so that the end of the first job takes none from the later ones", async () => {
  const before = await documentsOf(await crawlSite(0));
  site.nowMs += DAY_MS;
  changePages();
  await crawlSite(1, { since: 0 });
  await site.blobs.deletePrefix("results/2026-06-15/");
  site.frontiers.delete(IDS[0] ?? "");
  const second = await documentsOf(site.frontiers.get(IDS[1] ?? "") as Frontier);
  expect(second.size).toBe(7);
  expect(second.get("a")?.markdown).toBe(before.get("a")?.markdown);
  site.requests = [];
  const third = await crawlSite(2, { since: 1 });
  expect(changes(third)).toMatchObject({ new: 0, changed: 0, unchanged: 6, removed: 0 });
  expect(site.requests.filter(({ status }) => status === 304)).toHaveLength(4);
  const documents = await documentsOf(third);
  expect(documents.get("a")).toMatchObject({
    markdown: before.get("a")?.markdown,
    metadata: { changeStatus: "unchanged" },
  });
  expect(documents.get("c")?.metadata.changeStatus).toBe("unchanged");
});

test("pages whose stored documents are gone are read again, and compared by their content", async () => {
  await crawlSite(0);
  await site.blobs.deletePrefix("results/");
  site.requests = [];
  const second = await crawlSite(1, { since: 0 });
  expect(site.requests.filter(({ status }) => status === 200)).toHaveLength(6);
  expect(changes(second)).toMatchObject({ new: 0, changed: 0, unchanged: 6 });
  expect((await documentsOf(second)).get("a")?.markdown).toContain("with its own words");
});

test("a page whose date in the sitemap is not newer costs no request", async () => {
  const dated = (path: string, lastModified: string) => ({ url: path, lastModified });
  site.sitemap = [dated("a", "2026-06-01"), dated("c", "2026-06-10T10:00:00Z"), dated("b", "2026-06-15"), dated("e", "yesterday")]; // prettier-ignore
  await crawlSite(0);
  site.requests = [];
  site.nowMs += 3_600_000;
  site.pages.set("c", { text: "page c, and it has changed", links: [], etag: '"c2"' });
  site.sitemap[1] = dated("c", "2026-06-15T08:30:00Z");
  const second = await crawlSite(1, { since: 0 });
  expect(site.requests.map(({ url }) => url).toSorted()).toEqual(["", "b", "c", "d", "e"]);
  expect(changes(second)).toMatchObject({ changed: 1, unchanged: 5 });
  expect((await documentsOf(second)).get("a")?.metadata).toMatchObject({ changeStatus: "unchanged", creditsUsed: 0 });
});

test.each([
  ["a screenshot", { formats: [{ type: "screenshot", fullPage: false }] }, "fetch"],
  ["actions", { actions: [{ type: "wait", milliseconds: 1 }] }, "fetch"],
  ["a wait", { waitFor: 1 }, "fetch"],
  ["a browser", {}, "browser"],
] as const)("a page with %s is loaded, whatever its date in the sitemap is", async (_, scrapeOptions, engine) => {
  site.engine = engine;
  site.sitemap = ["a", "c"].map((url) => ({ url, lastModified: "2026-06-01" }));
  await crawlSite(0, { scrapeOptions });
  site.requests = [];
  site.nowMs += 3_600_000;
  await crawlSite(1, { since: 0, scrapeOptions });
  expect(site.requests.map(({ url }) => url)).toEqual(expect.arrayContaining(["a", "c"]));
});

test("pages that only a sitemap named are not removed when it cannot be read", async () => {
  site.sitemap = [{ url: "a" }, { url: "lonely" }];
  site.pages.set("lonely", { text: "a page that nothing links to", links: [], etag: '"l"' });
  await crawlSite(0);
  site.sitemap = [];
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ removed: 0, unchanged: 6, lacksSitemap: true });
  site.sitemap = [{ url: "a" }];
  const third = await crawlSite(2, { since: 0 });
  expect(removed(third)).toMatchObject([{ url: `${SITE}lonely`, reason: "not_found" }]);
});

test("a refusal is no change: the pages behind it stay, and the next crawl compares with the state before", async () => {
  await crawlSite(0);
  site.pages.set("a", { text: "Service unavailable", links: [], status: 403, etag: '"x"' });
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ changed: 0, new: 0, removed: 0, unchanged: 5 });
  expect((await statuses(second))["a"]).toBeUndefined();
  site.pages.set("a", { text: "page a, with its own words", links: ["e"], etag: '"a1"' });
  const third = await crawlSite(2, { since: 1 });
  expect(changes(third)).toMatchObject({ unchanged: 6, new: 0 });
});

test("a run that crashes leaves the rest to the next one, and everything counts once", async () => {
  await crawlSite(0);
  changePages();
  for (let crashAfter = 1; crashAfter <= 8; crashAfter++) {
    site.frontiers.delete(IDS[1] ?? "");
    await crawlSite(1, { since: 0, crashAfter });
    for (let round = 0; round < 3; round++) {
      site.nowMs += 20_000;
      const frontier = site.frontiers.get(IDS[1] ?? "");
      frontier?.reap(site.nowMs);
      if (frontier?.state()?.status === "scraping") await crawlSite(1, { since: 0 });
    }
    const second = site.frontiers.get(IDS[1] ?? "") as Frontier;
    expect(second.state()?.status).toBe("completed");
    expect(changes(second)).toMatchObject({ new: 1, changed: 1, unchanged: 4, removed: 1, isCompared: true });
    expect(await statuses(second)).toEqual({ "": "unchanged", a: "unchanged", b: "unchanged", c: "changed", d: "removed", e: "unchanged", f: "new" }); // prettier-ignore
  }
});

test("a crawl that ends at its limit names no page as not found", async () => {
  await crawlSite(0);
  const second = await crawlSite(1, { since: 0, limit: 3 });
  expect(second.state()).toMatchObject({ status: "completed", counters: { completed: 3 } });
  expect(changes(second)).toMatchObject({ unchanged: 3, removed: 0, isCompared: false });
});

test("a page that now redirects to another one is removed, and one that always did is not", async () => {
  site.pages.set("d", { text: "", links: [], moved: "e" });
  await crawlSite(0);
  site.pages.set("b", { text: "", links: [], moved: "c" });
  const second = await crawlSite(1, { since: 0 });
  expect(removed(second)).toMatchObject([{ url: `${SITE}b`, reason: "redirected" }]);
});

test("a page that is reached by another URL this time is not removed", async () => {
  // In the first crawl it is scraped before one that redirects to it, and in the second by that one.
  site.pages.set("", { text: "Start", links: ["e"] });
  site.pages.set("e", { text: "The end", links: ["b"] });
  site.pages.set("b", { text: "", links: [], moved: "e" });
  await crawlSite(0);
  site.pages.set("", { text: "Start", links: ["b"] });
  const second = await crawlSite(1, { since: 0 });
  expect(removed(second).filter(({ reason }) => reason === "redirected")).toEqual([]);
});

/** Makes the versions of a crawl those of another version of the service, which has converted the pages otherwise. */
function convertOtherwise({ sql }: Frontier, { hasSource }: { hasSource: boolean }): void {
  let changed = 0;
  for (const { name: table } of sql.rows<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")) {
    for (const { name: column } of sql.rows<{ name: string }>("SELECT name FROM pragma_table_info(?)", table)) {
      const rows = sql.rows<{ text: string }>(
        `UPDATE ${table} SET ${column} = replace(replace(${column}, '"fingerprint":"', '"fingerprint":"0'), ?, ?)
         WHERE typeof(${column}) = 'text' AND instr(${column}, '"converter":"') > 0 RETURNING ${column} AS text`,
        hasSource ? '"converter":"' : '"source":',
        hasSource ? '"converter":"0' : '"formerly":',
      );
      changed += rows.length;
    }
  }
  expect(changed).toBeGreaterThan(0);
}

test("after an upgrade, a page that the version before has converted otherwise is unchanged", async () => {
  convertOtherwise(await crawlSite(0), { hasSource: true });
  const second = await crawlSite(1, { since: 0 });
  expect(changes(second)).toMatchObject({ new: 0, changed: 0, unchanged: 6, removed: 0 });
  expect((await documentsOf(second)).get("b")?.metadata).toMatchObject({ changeStatus: "unchanged" });
  convertOtherwise(second, { hasSource: true });
  site.pages.set("b", { text: "another text of the page", links: ["d"] });
  expect(await statuses(await crawlSite(2, { since: 1 }))).toMatchObject({ b: "changed" });
});

test("a page of a version that recorded no source is compared by its content", async () => {
  convertOtherwise(await crawlSite(0), { hasSource: false });
  expect(await statuses(await crawlSite(1, { since: 0 }))).toMatchObject({ a: "unchanged", b: "changed" });
});
