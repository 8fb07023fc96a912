import { expect, test } from "vitest";
import { monitorService, PRICES, pricePage } from "../../fakes/services/monitor-service.ts";

const SITE = "https://site.example";
const LINKS = [`${SITE}/docs/a`, `${SITE}/docs/b?page=1`, `${SITE}/docs/b?page=2`, `${SITE}/shop`];
const BELOW = "https://sub.site.example/docs/c";

/** The paths of the pages that a check of the site below `/docs/` lists. */
async function listed(crawlOptions: object): Promise<string[]> {
  const { create, run, web } = monitorService();
  for (const url of [...LINKS, BELOW]) web[url] = pricePage(url);
  web[`${SITE}/docs/`] = pricePage("Home", [...LINKS, BELOW]);
  const target = { type: "crawl", url: `${SITE}/docs/`, crawlOptions: { sitemap: "skip", ...crawlOptions } };
  const { pages } = await run(await create({ ...PRICES, targets: [target] }));
  return pages.map(({ url }) => url.replace(SITE, "")).toSorted();
}

test.each([
  {
    name: "no options",
    crawlOptions: {},
    has: ["/docs/a", "/docs/b?page=1", "/docs/b?page=2"],
    lacks: ["/shop", BELOW],
  },
  { name: "includePaths", crawlOptions: { includePaths: ["/a$"] }, has: ["/docs/a"], lacks: ["/docs/b?page=1"] },
  { name: "excludePaths", crawlOptions: { excludePaths: ["/a$"] }, has: ["/docs/b?page=1"], lacks: ["/docs/a"] },
  { name: "crawlEntireDomain", crawlOptions: { crawlEntireDomain: true }, has: ["/docs/a", "/shop"], lacks: [BELOW] },
  { name: "allowSubdomains", crawlOptions: { allowSubdomains: true }, has: ["/docs/a", BELOW], lacks: ["/shop"] },
  { name: "ignoreQueryParameters", crawlOptions: { ignoreQueryParameters: true }, has: [], lacks: ["/docs/b?page=2"] },
])("a crawl target with $name lists these pages", async ({ crawlOptions, has, lacks }) => {
  const pages = await listed(crawlOptions);
  expect(pages).toEqual(expect.arrayContaining(has));
  expect(pages.filter((page) => lacks.includes(page))).toEqual([]);
});

test.each([
  { domains: {}, pages: ["https://a.example/1", "https://b.example/1"] },
  { domains: { includeDomains: ["a.example"] }, pages: ["https://a.example/1"] },
  { domains: { excludeDomains: ["a.example"] }, pages: ["https://b.example/1"] },
  { domains: { includeDomains: [" A.Example"] }, pages: ["https://a.example/1"] },
  { domains: { includeDomains: ["www.a.example"] }, pages: ["https://a.example/1"] },
])("a search target with $domains lists the results of these domains", async ({ domains, pages }) => {
  const { create, run, found } = monitorService();
  found.urls = ["https://a.example/1", "https://b.example/1"];
  const target = { type: "search", queries: ["ferries"], ...domains };
  const check = await run(await create({ ...PRICES, goal: "New ferries", targets: [target] }));
  expect(check.pages.map(({ url }) => url).toSorted()).toEqual(pages);
});

test.each(["https://a.example", "a.example/", "a.example/news", ""])("%j is no domain of a search", async (domain) => {
  const { post } = monitorService();
  const target = { type: "search", queries: ["ferries"], includeDomains: [domain] };
  expect((await post("/v2/monitor", { ...PRICES, goal: "New ferries", targets: [target] })).status).toBe(400);
});

test("the tag of changeTracking, which has no effect in a monitor, is named in the warning", async () => {
  const { post } = monitorService();
  const warningFor = async (fields: object): Promise<unknown> => {
    const scrapeOptions = { formats: ["markdown", { type: "changeTracking", ...fields }] };
    const targets = [{ ...PRICES.targets[0], scrapeOptions }];
    return ((await (await post("/v2/monitor", { ...PRICES, targets })).json()) as { warning?: string }).warning;
  };
  expect(await warningFor({ tag: "nightly" })).toBe(
    "changeTracking.tag: it has no effect in a monitor, whose checks are compared with each other.",
  );
  expect(await warningFor({ tag: null })).toBeUndefined();
});

test("a pattern that is no regular expression is refused when a monitor is created, and when it is changed", async () => {
  const { create, post, patch } = monitorService();
  const targets = [{ type: "crawl", url: SITE, crawlOptions: { includePaths: ["("] } }];
  const id = await create();
  for (const response of [await post("/v2/monitor", { ...PRICES, targets }), await patch(id, { targets })])
    expect([response.status, await response.json()]).toMatchObject([400, { code: "BAD_REQUEST" }]);
});

test("patterns with many Unicode classes are refused in requests, and stored ones are checked by and kept", async () => {
  const { create, post, patch, run, monitor, database, web } = monitorService();
  const includePaths = [String.raw`\pL|`.repeat(150) + "/docs"];
  web[`${SITE}/`] = pricePage("Home", LINKS);
  for (const url of LINKS) web[url] = pricePage(url);
  const target = (crawlOptions: object) => ({ type: "crawl", url: SITE, crawlOptions });
  const id = await create({ ...PRICES, targets: [target({ includePaths: ["/docs"] })] });
  const refused = { targets: [target({ includePaths })] };
  for (const response of [await post("/v2/monitor", { ...PRICES, ...refused }), await patch(id, refused)])
    expect([response.status, await response.json()]).toMatchObject([400, { code: "BAD_REQUEST" }]);
  const estimate = await post("/v2/monitor", { ...PRICES, ...refused, estimate: true });
  expect(estimate.status).toBe(400);
  await database
    .prepare("UPDATE monitors SET config = json_set(config, '$.targets[0].crawlOptions.includePaths', json(?))")
    .bind(JSON.stringify(includePaths))
    .run();
  const { pages } = await run(id);
  expect(pages.map(({ url }) => url)).toContain(`${SITE}/docs/a`);
  const { targets } = await monitor(id);
  expect((await patch(id, { name: "Docs", targets })).status).toBe(200);
  expect(await monitor(id)).toMatchObject({ name: "Docs", targets });
});

test("an update keeps, reorders and removes stored patterns with many Unicode classes, and adds none", async () => {
  const { create, patch, monitor, database } = monitorService();
  const [docs, shop] = ["/docs", "/shop"].map((path) => String.raw`\pL|`.repeat(80) + path);
  const id = await create({ ...PRICES, targets: [{ type: "crawl", url: SITE }] });
  const stored = JSON.stringify({ includePaths: [docs, shop] });
  await database
    .prepare("UPDATE monitors SET config = json_set(config, '$.targets[0].crawlOptions', json(?))")
    .bind(stored)
    .run();
  const { targets } = await monitor(id);
  const change = async (crawlOptions: object): Promise<number> => {
    return (await patch(id, { targets: [{ ...targets[0], crawlOptions }] })).status;
  };
  expect(await change({ includePaths: [docs, shop, "/new"] })).toBe(400);
  expect(await change({ includePaths: [docs, docs] })).toBe(400);
  expect(await change({ excludePaths: [docs, shop] })).toBe(400);
  expect(await change({ includePaths: [shop, docs], excludePaths: ["/old"], limit: 3 })).toBe(200);
  expect(await change({ includePaths: [docs] })).toBe(200);
  expect(await change({ includePaths: [docs, shop] })).toBe(400);
});
