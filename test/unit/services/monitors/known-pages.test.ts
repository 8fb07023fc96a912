import { expect, test } from "vitest";
import { purgeExpired } from "../../../../src/services/upkeep/purge-expired.ts";
import { monitorService, PRICES, pricePage } from "../../../fakes/services/monitor-service.ts";

const SITE = "https://site.example";
const DAY_MS = 86_400_000;
const CRAWL = {
  ...PRICES,
  retentionDays: 3,
  targets: [{ type: "crawl", url: `${SITE}/`, crawlOptions: { limit: 3, sitemap: "skip" } }],
};

type Service = ReturnType<typeof monitorService>;

/** A site whose first page links to these. */
function site(web: Service["web"], paths: readonly string[]): void {
  const links = paths.map((path) => SITE + path);
  web[`${SITE}/`] = pricePage("Home", links);
  for (const link of links) web[link] = pricePage(link);
}

const paths = async ({ database }: Service, table = "monitor_states"): Promise<string[]> => {
  const query = `SELECT url FROM ${table} ORDER BY url`;
  return (await database.prepare(query).run<{ url: string }>()).results.map(({ url }) => url.slice(SITE.length));
};

test("the sitemaps of a site are requested with the headers and languages of its pages", async () => {
  const service = monitorService();
  site(service.web, ["/a"]);
  const scrapeOptions = { headers: { Authorization: "Bearer secret" }, location: { languages: ["de"] } };
  const targets = [{ type: "crawl", url: `${SITE}/`, crawlOptions: { limit: 3 }, scrapeOptions }];
  await service.run(await service.create({ ...CRAWL, targets }));
  const sitemap = service.http.seen.find(({ url }) => url === `${SITE}/sitemap.xml`);
  expect(sitemap?.headers).toMatchObject({ Authorization: "Bearer secret", "accept-language": "de" });
});

test("pages that no check lists within the retention of the monitor are forgotten", async () => {
  const service = monitorService();
  const id = await service.create(CRAWL);
  for (let day = 0; day < 6; day++) {
    site(service.web, [`/?v=${day}a`, `/?v=${day}b`]);
    await service.run(id);
    service.clock.advance(DAY_MS);
  }
  const known = ["", "/?v=2a", "/?v=2b", "/?v=3a", "/?v=3b", "/?v=4a", "/?v=4b", "/?v=5a", "/?v=5b"];
  expect(await paths(service)).toEqual(known);
  expect(await paths(service, "monitor_seen")).toEqual(known);
});

test("a monitor that was paused, or whose site could not be listed, knows its pages as before", async () => {
  const service = monitorService();
  site(service.web, ["/a"]);
  const id = await service.create(CRAWL);
  await service.run(id);
  const known = await paths(service);
  service.clock.advance(100 * DAY_MS);
  service.web[`${SITE}/`] = { failed: "SCRAPE_SITE_ERROR" };
  service.web[`${SITE}/a`] = { failed: "SCRAPE_SITE_ERROR" };
  await service.run(id);
  expect(await paths(service)).toEqual(known);
});

test("pages that an earlier version has stored are forgotten after the retention, from the next check on", async () => {
  const service = monitorService();
  site(service.web, ["/a", "/b"]);
  const id = await service.create(CRAWL);
  await service.run(id);
  await service.database.prepare("DELETE FROM monitor_seen").run();
  site(service.web, ["/c", "/d"]);
  for (const isKnown of [true, true, false]) {
    await service.run(id);
    expect((await paths(service)).includes("/a")).toBe(isKnown);
    service.clock.advance(2 * DAY_MS);
  }
});

/** Runs a monitor that has states of these pages, which an earlier version has stored. Returns those of them that the check has. */
async function checkedOf(service: Service, crawlOptions: object, target: string, known: readonly string[]) {
  const id = await service.create({ ...CRAWL, targets: [{ type: "crawl", url: target, crawlOptions }] });
  const targetId = (await service.monitor(id)).targets[0]?.id ?? "";
  for (const url of known) {
    service.web[url] ??= pricePage(url);
    await service.database
      .prepare("INSERT INTO monitor_states (monitor_id, target_id, url, text_hash, text) VALUES (?, ?, ?, '', '')")
      .bind(id, targetId, url)
      .run();
  }
  const { id: checkId } = await service.run(id);
  const query = service.database.prepare("SELECT url FROM monitor_pages WHERE check_id = ?").bind(checkId);
  const pages = new Set((await query.run<{ url: string }>()).results.map(({ url }) => url));
  return known.filter((url) => pages.has(url));
}

test("known pages that the rules of the target exclude are not checked", async () => {
  const service = monitorService();
  site(service.web, ["/docs/a"]);
  service.web[`${SITE}/docs`] = pricePage("Docs", [`${SITE}/docs/a`]);
  const options = { limit: 9, sitemap: "skip", excludePaths: ["/old/"], ignoreQueryParameters: true };
  const excluded = [`${SITE}/docs/old/x`, `${SITE}/blog/y`, `${SITE}/docs/b?page=2`, "https://other.example/docs/z"];
  expect(await checkedOf(service, options, `${SITE}/docs`, [...excluded, `${SITE}/docs/b`])).toEqual([
    `${SITE}/docs/b`,
  ]);
});

test("known pages of other hosts are not checked, and the first page of the site is", async () => {
  const service = monitorService();
  site(service.web, ["/a"]);
  const options = { limit: 9, sitemap: "skip" };
  expect(await checkedOf(service, options, `${SITE}/`, ["https://other.example/z", SITE])).toEqual([SITE]);
  service.web[`${SITE}/`] = { status: 500, body: "Oh" };
  expect(await checkedOf(service, options, `${SITE}/`, [SITE])).toEqual([SITE]);
});

test("known pages of a site that has moved are checked, but for those that the rules for paths exclude", async () => {
  const service = monitorService();
  const moved = "https://moved.example";
  service.web[`${SITE}/`] = { url: `${moved}/`, body: pricePage("Home", [`${moved}/a`]) };
  for (const path of ["/", "/a"]) service.web[moved + path] = pricePage(path);
  const options = { limit: 9, sitemap: "skip", excludePaths: ["/old/"] };
  const known = [`${moved}/b`, `${moved}/old/x`];
  expect(await checkedOf(service, options, `${SITE}/`, known)).toEqual([`${moved}/b`]);
});

test("a target knows a thousand pages at most, and those that were listed last remain", async () => {
  const service = monitorService();
  site(service.web, ["/a", "/b"]);
  const id = await service.create(CRAWL);
  await service.run(id);
  const targetId = (await service.monitor(id)).targets[0]?.id ?? "";
  const nowMs = service.clock.now();
  const numbers = "WITH RECURSIVE n(at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM n WHERE at < 1500)";
  const url = `printf('${SITE}/old/%04d', at)`;
  for (const columns of [
    `monitor_states (monitor_id, target_id, url, text_hash, text) SELECT ?, ?, ${url}, '', ''`,
    `monitor_seen SELECT ?, ?, ${url}, ${nowMs - 5_000} + at`,
  ])
    await service.database
      .prepare(`INSERT INTO ${columns} FROM (${numbers} SELECT at FROM n)`)
      .bind(id, targetId)
      .run();
  await service.run(id);
  const known = await paths(service);
  expect(known).toHaveLength(1_000);
  expect(known).toEqual(expect.arrayContaining(["", "/a", "/b", "/old/1500", "/old/0504"]));
  expect(known).not.toContain("/old/0503");
});

test("the data of a deleted monitor are deleted in portions, by the request and then by the upkeep", async () => {
  const service = monitorService();
  const { database, deps, queue } = service;
  const [id, other] = [await service.create(), await service.create()];
  const checkId = (await service.run(id)).id;
  await service.run(other);
  const numbers = "WITH RECURSIVE n(at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM n WHERE at < 2500)";
  for (const columns of [
    `monitor_pages SELECT '${checkId}', 't', at, at, ?, 'same', '{}', 9999999999999`,
    `monitor_states (monitor_id, target_id, url, text_hash, text) SELECT ?, 't', at, '', ''`,
    `monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)
       SELECT '${checkId}', ?, at, 'page', '{}', 0, 0, 1`,
  ])
    await database.prepare(`INSERT INTO ${columns} FROM (${numbers} SELECT at FROM n)`).bind(id).run();
  const most = { deleted: 0 };
  const { batch } = database;
  database.batch = async <Row>(statements: D1PreparedStatement[]) => {
    const results = await batch.call(database, statements);
    most.deleted = Math.max(most.deleted, ...results.map(({ meta }) => meta.changes));
    // What the statements answer is not changed: hence the cast.
    return results as D1Result<Row>[];
  };
  const left = async (): Promise<number[]> => {
    const tables = ["monitor_checks", "monitor_pages", "monitor_states", "monitor_seen", "monitor_events"];
    const counts = tables.map(async (table) => {
      const query = `SELECT count(*) AS rows FROM ${table} WHERE monitor_id = ?`;
      return (await database.prepare(query).bind(id).run<{ rows: number }>()).results[0]?.rows ?? 0;
    });
    return await Promise.all(counts);
  };
  expect((await service.ask(`/v2/monitor/${id}`, { method: "DELETE" })).status).toBe(200);
  expect((await service.ask(`/v2/monitor/${id}/checks/${checkId}`)).status).toBe(404);
  expect(await left()).toEqual([1, 501, 501, 0, 500]);
  queue.push({ type: "purge_expired", part: "removed_monitors" });
  for (let task = queue.shift(); task?.type === "purge_expired"; task = queue.shift())
    await purgeExpired(deps, task.part);
  expect(await left()).toEqual([0, 0, 0, 0, 0]);
  expect(most.deleted).toBeLessThanOrEqual(200);
  expect((await database.prepare("SELECT * FROM removed_monitors").run()).results).toEqual([]);
  expect((await service.run(other)).summary).toMatchObject({ same: 1 });
});
