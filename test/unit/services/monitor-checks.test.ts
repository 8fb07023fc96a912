import { describe, expect, test } from "vitest";
import { monitorService, PRICES, PRICES_URL, pricePage, HOOK } from "../../fakes/services/monitor-service.ts";

const SITE = "https://site.example";
const crawlOf = (limit: number) => ({
  ...PRICES,
  name: "Site",
  targets: [{ type: "crawl", url: `${SITE}/`, crawlOptions: { limit, sitemap: "skip" } }],
});
/** A site whose first page links to these. */
function site(web: Record<string, unknown>, paths: readonly string[], words = "Home"): void {
  const links = paths.map((path) => SITE + path);
  web[`${SITE}/`] = pricePage(words, links);
  for (const path of paths) web[SITE + path] = pricePage(`This is ${path}`);
}
const statusesOf = (pages: { url: string; status: string }[]): Record<string, string> =>
  Object.fromEntries(pages.map(({ url, status }) => [url.slice(SITE.length), status]));

test("a page that turns robots away is an error, and is compared with what it said before", async () => {
  const { create, run, web } = monitorService();
  const id = await create();
  await run(id);
  web[PRICES_URL] =
    "<title>Just a moment...</title><body><h1>Checking your browser</h1><p>Verify you are human</p></body>";
  expect(await run(id)).toMatchObject({
    status: "failed",
    actualCredits: 0,
    pages: [{ status: "error", statusCode: 200, error: "Blocked by the site (bot_wall)" }],
  });
  web[PRICES_URL] = pricePage("Cod costs 4");
  expect((await run(id)).summary).toMatchObject({ same: 1 });
});

test("a page that says nothing any more has changed, with a warning", async () => {
  const { create, run, web } = monitorService();
  const id = await create();
  await run(id);
  web[PRICES_URL] = "<title>Prices</title><body></body>";
  const { pages } = await run(id);
  expect(pages).toMatchObject([{ status: "changed", warning: "The page has no visible text." }]);
});

describe("what a check has cost", () => {
  test("is in the team's usage and activity once, under the scrape's id", async () => {
    const { create, run, read, web } = monitorService();
    site(web, []);
    const id = await create({ ...PRICES, targets: [...PRICES.targets, ...crawlOf(1).targets] });
    const { actualCredits, pages } = await run(id);
    expect(actualCredits).toBe(3);
    interface Usage {
      totals: { credits: number; pages: number };
      data: { endpoint: string; credits: number; pages: number; bytesFetched: number }[];
    }
    const usage = (await read("/v2/team/usage?groupBy=endpoint")) as unknown as Usage;
    expect(usage.totals.credits).toBe(actualCredits);
    expect(usage.data).toMatchObject([{ endpoint: "monitor", credits: 3, requests: 3 }]);
    const { data } = await read<{ id: string }[]>("/v2/team/activity?endpoint=monitor");
    expect(data).toHaveLength(3);
    expect(data).toContainEqual(
      expect.objectContaining({ id: pages[0]?.currentScrapeId, target: PRICES_URL, credits_used: 1, succeeded: true }),
    );
  });

  test.each([
    ["a page", PRICES.targets[0], 1],
    [
      "a page with its data",
      { ...PRICES.targets[0], scrapeOptions: { formats: [{ type: "json", prompt: "prices" }] } },
      5,
    ],
    ["a site", { type: "crawl", url: `${SITE}/`, crawlOptions: { limit: 7 } }, 1 + 7],
    ["two searches", { type: "search", queries: ["cod", "ling"], maxResults: 20 }, 2 * 4],
  ])("is estimated by its targets: %s", async (_what, target, credits) => {
    const { create, start, readCheck, monitor } = monitorService();
    const id = await create({ ...PRICES, judgeEnabled: false, targets: [target] });
    expect((await readCheck(id, await start(id))).estimatedCredits).toBe(credits);
    expect((await monitor(id)).estimatedCreditsPerMonth).toBe(credits * 24 * 30);
  });

  test("is told of a failure that costs something, too", async () => {
    const { create, run, read } = monitorService();
    const id = await create({ ...PRICES, targets: [{ ...PRICES.targets[0], scrapeOptions: { lockdown: true } }] });
    expect(await run(id)).toMatchObject({
      status: "failed",
      actualCredits: 1,
      pages: [{ error: expect.stringContaining("(SCRAPE_LOCKDOWN_CACHE_MISS)") }],
    });
    expect(await read("/v2/team/usage")).toMatchObject({ totals: { credits: 1, errors: 1 } });
  });

  test("is given back for a page that did not load and a search that nobody answered", async () => {
    const { create, run, read, web, found } = monitorService({ creditsPerMonth: 10 });
    web[PRICES_URL] = { failed: "SCRAPE_SITE_ERROR" };
    found.urls = undefined;
    const search = { type: "search", queries: ["cod", "ling"] };
    const id = await create({ ...PRICES, judgeEnabled: false, targets: [...PRICES.targets, search] });
    const check = await run(id);
    expect(check).toMatchObject({ status: "failed", actualCredits: 0, summary: { error: 3, totalPages: 3 } });
    expect(check.targetResults).toMatchObject([{}, { type: "search", searchCompleted: false, resultCount: 0 }]);
    expect(check.pages.map(({ url, error }) => `${url} ${error}`)).toEqual([
      expect.stringMatching(/^https:\/\/a\.example\/ .*\(SCRAPE_\w+\)$/),
      expect.stringMatching(/^cod No search provider answered: .*\(SEARCH_FAILED\)$/),
      expect.stringMatching(/^ling .*\(SEARCH_FAILED\)$/),
    ]);
    expect((await read("/v2/team/credit-usage")).data).toMatchObject({ remainingCredits: 10 });
  });
});

describe("a check of a site", () => {
  test("finds its pages new, the same, changed, and removed when they are gone", async () => {
    const { create, run, web, told } = monitorService();
    site(web, ["/a", "/b", "/c"]);
    const id = await create({ ...crawlOf(10), webhook: { url: HOOK, events: ["page"] } });
    expect(statusesOf((await run(id)).pages)).toEqual({ "": "new", "/a": "new", "/b": "new", "/c": "new" });
    site(web, ["/a", "/c", "/d"]);
    web[`${SITE}/a`] = pricePage("Something else");
    delete web[`${SITE}/b`];
    const before = told().length;
    const check = await run(id);
    expect(statusesOf(check.pages)).toEqual({
      "": "same",
      "/a": "changed",
      "/b": "removed",
      "/c": "same",
      "/d": "new",
    });
    expect(check).toMatchObject({ status: "completed", summary: { totalPages: 5, removed: 1, new: 1, changed: 1 } });
    expect(check.pages.find(({ status }) => status === "removed")).toMatchObject({
      statusCode: 404,
      previousScrapeId: expect.any(String),
    });
    const statuses = told().slice(before).map(({ data }) => data[0]?.["status"]); // prettier-ignore
    expect(statuses.toSorted()).toEqual(["changed", "new", "same", "same"]);
    expect(statusesOf((await run(id)).pages)).not.toHaveProperty("/b");
  });

  test("does not call a page removed that it has not looked at, or that is still there", async () => {
    const { create, run, web } = monitorService();
    site(web, ["/a", "/b"]);
    const id = await create(crawlOf(3));
    await run(id);
    site(web, ["/c", "/d"]);
    const second = await run(id);
    expect(statusesOf(second.pages)).toMatchObject({ "/c": "new", "/d": "new" });
    expect(second.summary.removed).toBe(0);
    site(web, ["/c"]);
    const { pages, summary } = await run(id);
    expect(statusesOf(pages)).toMatchObject({ "/c": "same", "/a": "same" });
    expect(summary.removed).toBe(0);
  });

  test("looks at no page that a change of its rules leaves out, and keeps what is known when they stay", async () => {
    const { create, run, web, patch, monitor } = monitorService();
    site(web, ["/a", "/b"]);
    const id = await create(crawlOf(5));
    await run(id);
    const { targets } = await monitor(id);
    const [target] = targets;
    await patch(id, { targets, name: "The same" });
    expect((await run(id)).summary).toMatchObject({ same: 3, new: 0 });
    await patch(id, { targets: [{ ...target, crawlOptions: { sitemap: "skip", excludePaths: ["/b"] } }] });
    expect(statusesOf((await run(id)).pages)).toEqual({ "": "new", "/a": "new" });
  });

  test("tells that the site lists nothing, and looks at what it knew", async () => {
    const { create, run, web } = monitorService();
    site(web, ["/a"]);
    const id = await create(crawlOf(5));
    await run(id);
    web[`${SITE}/`] = { status: 500, body: "Oh" };
    const check = await run(id);
    expect(check).toMatchObject({ status: "partial", summary: { same: 1, error: 2, removed: 0 } });
    expect(check.targetResults).toMatchObject([{ warning: expect.stringContaining("500") }]);
    const other = await create({ ...crawlOf(5), targets: [{ type: "crawl", url: "https://nowhere.example/" }] });
    expect(await run(other)).toMatchObject({ status: "failed", pages: [{ status: "error" }] });
  });
});

describe("a check of searches", () => {
  const SEARCH = { ...PRICES, judgeEnabled: false, targets: [{ type: "search", queries: ["cod"] }] };

  test("finds addresses new that no earlier search brought, and reads none", async () => {
    const { create, run, found, http } = monitorService();
    found.urls = ["https://a.example/1", "https://a.example/2"];
    const id = await create(SEARCH);
    expect(await run(id)).toMatchObject({
      status: "completed",
      actualCredits: 2,
      summary: { new: 2 },
      targetResults: [{ type: "search", searchCompleted: true, resultCount: 2 }],
    });
    found.urls = ["https://a.example/2", "https://a.example/3"];
    const { pages } = await run(id);
    expect(pages.map(({ url, status }) => [url, status])).toEqual([
      ["https://a.example/2", "same"],
      ["https://a.example/3", "new"],
    ]);
    expect(http.seen).toEqual([]);
  });

  test("says that it found more than can be kept", async () => {
    const { create, run, found } = monitorService();
    found.urls = Array.from({ length: 50 }, (_, place) => `https://a.example/${place}${"a".repeat(40_000)}`);
    const id = await create({ ...SEARCH, targets: [...PRICES.targets, { ...SEARCH.targets[0], maxResults: 50 }] });
    const { status, pages, actualCredits } = await run(id);
    expect([status, actualCredits]).toEqual(["partial", 11]);
    expect(pages.find((page) => page.status === "error")).toMatchObject({
      url: "cod",
      error: expect.stringMatching(/more pages/),
    });
  });

  test("is partial when one of several targets fails", async () => {
    const { create, run, found } = monitorService();
    found.urls = undefined;
    const id = await create({ ...SEARCH, targets: [...PRICES.targets, ...SEARCH.targets] });
    expect(await run(id)).toMatchObject({ status: "partial", error: null, summary: { new: 1, error: 1 } });
  });
});

describe("the pages of a check", () => {
  test("are read in parts, and by their status", async () => {
    const { create, run, read, readCheck, web } = monitorService();
    const urls = Array.from({ length: 5 }, (_, place) => `https://a.example/${place}`);
    for (const url of urls.slice(1)) web[url] = pricePage(url);
    const id = await create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    const { id: checkId } = await run(id);
    const seen: string[] = [];
    let path: string | undefined = `/v2/monitor/${id}/checks/${checkId}?limit=2`;
    let parts = 0;
    for (; path !== undefined; parts++) {
      const part: { data: { pages: { url: string }[] }; next?: string } = await read(path);
      seen.push(...part.data.pages.map(({ url }) => url));
      path = part.next === undefined ? undefined : new URL(part.next).pathname + new URL(part.next).search;
    }
    expect([parts, seen]).toEqual([3, urls]);
    expect((await readCheck(id, checkId, "?status=error")).pages).toMatchObject([
      { url: urls[0], statusCode: 404, error: expect.any(String) },
    ]);
  });

  test("and checks are listed in parts too", async () => {
    const { create, run, read } = monitorService();
    const id = await create();
    const ids = [(await run(id)).id, (await run(id)).id, (await run(id)).id].toReversed();
    const list = async (query: string) => (await read<{ id: string }[]>(`/v2/monitor/${id}/checks?${query}`)).data;
    expect((await list("limit=2")).map((check) => check.id)).toEqual(ids.slice(0, 2));
    expect((await list("limit=2&offset=2")).map((check) => check.id)).toEqual(ids.slice(2));
    expect(await list("status=failed")).toEqual([]);
  });

  test.each([
    ["too large to be kept", (place: string) => `<p>${place} ${"ä".repeat(140)}</p>`.repeat(1000), /left out/],
    [
      "behind what is compared line by line",
      (place: string) => `<p>${"ä".repeat(400_000)}</p><p>${place}</p>`,
      /first 600000 bytes/,
    ],
  ])("have a warning in place of a diff that is %s", async (_what, textOf, warning) => {
    const { create, run, web } = monitorService();
    web[PRICES_URL] = `<title>Long</title><article><h1>Long</h1>${textOf("Here")}</article>`;
    const id = await create();
    await run(id);
    web[PRICES_URL] = `<title>Long</title><article><h1>Long</h1>${textOf("There")}</article>`;
    const { status, pages } = await run(id);
    expect(status).toBe("completed");
    expect(pages).toMatchObject([{ status: "changed", diff: null, warning: expect.stringMatching(warning) }]);
    expect(JSON.stringify(pages).length).toBeLessThan(10_000);
  });
});

test("a check whose key is revoked on the way reads no further page", async () => {
  const service = monitorService();
  const urls = [PRICES_URL, "https://a.example/two", "https://a.example/three"];
  for (const url of urls) service.web[url] = pricePage("Cod costs 4");
  const id = await service.create({ ...PRICES, targets: [{ type: "scrape", urls }] });
  const [key] = await service.deps.keys.listAll();
  const insert = service.deps.scrapes.insert.bind(service.deps.scrapes);
  let read = 0;
  service.deps.scrapes.insert = async (...scrape) => {
    if (++read === 1) await service.deps.keys.revoke(key?.id ?? "", service.clock.now());
    await insert(...scrape);
  };
  const check = await service.run(id);
  expect(read).toBe(1);
  expect(check).toMatchObject({ status: "failed", error: expect.stringContaining("API key is no longer valid") });
});

test("the list of checks and the cron do without the plans of checks, also of those from an earlier version", async () => {
  const { create, run, start, checks, cron, clock, database, found, monitor } = monitorService();
  found.urls = ["https://a.example/1", "https://a.example/2"];
  const search = { type: "search", queries: ["cod"] };
  const id = await create({ ...PRICES, judgeEnabled: false, targets: [search] });
  await run(id);
  const results = [{ type: "search", searchCompleted: true, resultCount: 2 }];
  expect(await checks(id)).toMatchObject([{ targetResults: results }]);
  const [{ id: targetId } = { id: "" }] = (await monitor(id)).targets;
  const plan = { listed: [targetId], pages: found.urls.map((url) => ({ targetId, url })) };
  const earlier = "UPDATE monitor_checks SET target_results = NULL, plan = ?";
  await database.prepare(earlier).bind(JSON.stringify(plan)).run();
  expect(await checks(id)).toMatchObject([{ targetResults: results }]);
  const open = await start(id);
  await database.prepare("UPDATE monitor_checks SET plan = 'of another form'").run();
  expect((await checks(id))[1]).toMatchObject({ targetResults: results });
  clock.advance(600_000);
  await cron();
  expect((await checks(id))[0]).toMatchObject({ id: open, status: "queued" });
});
