import { describe, expect, test } from "vitest";
import { HOOK, monitorService, PRICES, pricePage } from "../../../fakes/services/monitor-service.ts";

test("a page of monitors ends at 5 MB of them, and names the next page", async () => {
  const { create, read, database } = monitorService();
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.unshift(await create({ ...PRICES, name: `Number ${at}` }));
  await database
    .prepare("UPDATE monitors SET config = json_set(config, '$.note', ?)")
    .bind("x".repeat(2_000_000))
    .run();
  const listed: string[][] = [];
  let path: string | undefined = "/v2/monitor?limit=10";
  while (path !== undefined) {
    const { data, next }: { data: { id: string }[]; next?: string } = await read(path);
    listed.push(data.map(({ id }) => id));
    const url: URL | undefined = next === undefined ? undefined : new URL(next);
    path = url && url.pathname + url.search;
  }
  expect(listed).toEqual([ids.slice(0, 3), ids.slice(3)]);
  const short = await read<{ id: string }[]>("/v2/monitor?limit=1&offset=1");
  expect([short.data.map(({ id }) => id), short.next]).toEqual([
    [ids[1]],
    expect.stringMatching(/\?limit=1&offset=2$/),
  ]);
});

test.each([["completed"], ["check"], ["check.completed"], ["monitor.check.completed"]])(
  "the event %s in a webhook is the end of a check",
  async (event) => {
    const { create, run, told } = monitorService();
    await run(await create({ ...PRICES, webhook: { url: HOOK, events: [event] } }));
    expect(told().map(({ type }) => type)).toEqual(["monitor.check.completed"]);
  },
);

test("a page of checks names the next page", async () => {
  const { create, run, read } = monitorService();
  const id = await create();
  const ids: string[] = [];
  for (let at = 0; at < 3; at++) ids.unshift((await run(id)).id);
  const pageOf = async (query: string) => await read<{ id: string }[]>(`/v2/monitor/${id}/checks?${query}`);
  const first = await pageOf("limit=2&status=completed");
  expect(first.data.map((check) => check.id)).toEqual(ids.slice(0, 2));
  expect(first.next).toMatch(/\/checks\?limit=2&offset=2&status=completed$/);
  const last = await pageOf(new URL(first.next ?? "").search.slice(1));
  expect([last.data.map((check) => check.id), last.next]).toEqual([ids.slice(2), undefined]);
});

test("the webhook of a monitor can be a URL alone", async () => {
  const { create, run, told, monitor, patch } = monitorService();
  const id = await create({ ...PRICES, webhook: HOOK });
  expect(await monitor(id)).toMatchObject({ webhook: { url: HOOK } });
  await run(id);
  expect(told().map(({ type }) => type)).toEqual(["monitor.page", "monitor.check.completed"]);
  await patch(id, { webhook: `${HOOK}2` });
  expect(await monitor(id)).toMatchObject({ webhook: { url: `${HOOK}2` } });
  expect((await patch(id, { webhook: "http://10.0.0.8/" })).status).toBe(400);
});

describe("the goal of a monitor", () => {
  const SEARCH = { ...PRICES, targets: [{ type: "search", queries: ["cod"] }] };
  const REFUSED = "goal is required with search targets, unless judgeEnabled is false";

  test("is judged by when it is added, unless judgment is turned off", async () => {
    const { create, patch, monitor } = monitorService();
    const id = await create();
    await patch(id, { goal: "Cheaper cod" });
    expect(await monitor(id)).toMatchObject({ goal: "Cheaper cod", judgeEnabled: true });
    await patch(id, { judgeEnabled: false });
    await patch(id, { goal: "Cheaper ling" });
    expect(await monitor(id)).toMatchObject({ goal: "Cheaper ling", judgeEnabled: false });
    const other = await create();
    await patch(other, { goal: "Cheaper cod", judgeEnabled: false });
    expect(await monitor(other)).toMatchObject({ judgeEnabled: false });
  });

  test("is not judged by when it is added after judgment was turned off", async () => {
    const { create, patch, monitor } = monitorService();
    const id = await create({ ...PRICES, judgeEnabled: false });
    await patch(id, { goal: "Cheaper cod" });
    expect(await monitor(id)).toMatchObject({ goal: "Cheaper cod", judgeEnabled: false });
    const other = await create();
    await patch(other, { judgeEnabled: false });
    await patch(other, { goal: "Cheaper cod" });
    expect(await monitor(other)).toMatchObject({ goal: "Cheaper cod", judgeEnabled: false });
    await patch(other, { judgeEnabled: true });
    expect(await monitor(other)).toMatchObject({ judgeEnabled: true });
  });

  test("is judged by when it is added to a monitor of an earlier version, which did not store who set judgeEnabled", async () => {
    const { create, patch, monitor, database } = monitorService();
    const id = await create({ ...PRICES, judgeEnabled: false });
    await database.prepare("UPDATE monitors SET config = json_remove(config, '$.isJudgeSet')").run();
    expect(await monitor(id)).toMatchObject({ goal: null, judgeEnabled: false });
    await patch(id, { goal: "Cheaper cod" });
    expect(await monitor(id)).toMatchObject({ judgeEnabled: true });
  });

  test.each([{ goal: null }, { goal: null, judgeEnabled: true }, { goal: null, targets: SEARCH.targets }])(
    "cannot be removed from searches that are judged: %j",
    async (change) => {
      const { create, patch, monitor } = monitorService();
      const id = await create({ ...SEARCH, goal: "Cheaper cod" });
      const refused = await patch(id, change);
      expect([refused.status, await refused.json()]).toMatchObject([400, { error: expect.stringContaining(REFUSED) }]);
      expect(await monitor(id)).toMatchObject({ goal: "Cheaper cod" });
      expect((await patch(id, { goal: null, judgeEnabled: false })).status).toBe(200);
      expect((await patch(id, { name: "Cod" })).status).toBe(200);
    },
  );

  test("that an earlier version has removed from judged searches is demanded by other changes of goal, judgment or targets only", async () => {
    const { create, patch, monitor, database } = monitorService();
    const id = await create({ ...SEARCH, goal: "Cheaper cod" });
    await database.prepare("UPDATE monitors SET config = json_set(config, '$.goal', NULL)").run();
    const { targets } = await monitor(id);
    const [search] = targets;
    const unchanged = { name: "Cod", goal: null, judgeEnabled: true, targets: [{ maxResults: 10, ...search }] };
    expect((await patch(id, unchanged)).status).toBe(200);
    expect(await monitor(id)).toMatchObject({ name: "Cod", goal: null, judgeEnabled: true, targets });
    expect((await patch(id, { goal: null, targets: [...PRICES.targets, ...targets] })).status).toBe(400);
    expect((await patch(id, SEARCH)).status).toBe(400);
    expect((await patch(id, { judgeEnabled: false })).status).toBe(200);
    expect((await patch(id, { judgeEnabled: true })).status).toBe(400);
    expect((await patch(id, { goal: "Cheaper ling" })).status).toBe(200);
    expect(await monitor(id)).toMatchObject({ goal: "Cheaper ling", judgeEnabled: false });
  });
});

test("a check that is not there is named as clients expect it", async () => {
  const { create, ask } = monitorService();
  const response = await ask(`/v2/monitor/${await create()}/checks/${crypto.randomUUID()}`);
  expect([response.status, await response.json()]).toMatchObject([404, { error: "Check not found" }]);
});

test("a monitor whose options this version no longer accepts is listed, and its checks name the field", async () => {
  const { create, run, read, monitor, patch, database } = monitorService();
  const id = await create();
  const options = `'$.targets[0].scrapeOptions', json('{"headers":{"Host":"x"}}')`;
  await database.prepare(`UPDATE monitors SET config = json_set(config, ${options})`).run();
  expect(await monitor(id)).toMatchObject({ estimatedCreditsPerMonth: 24 * 30 });
  expect((await read<{ id: string }[]>("/v2/monitor")).data).toMatchObject([{ id }]);
  expect(await run(id)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/headers.*\(STORED_STATE_UNREADABLE\)/),
    actualCredits: 0,
  });
  expect((await patch(id, { targets: PRICES.targets })).status).toBe(200);
  expect(await run(id)).toMatchObject({ status: "completed" });
});

describe("a target that is changed while a check runs", () => {
  const SITE = "https://a.example";
  const PATHS = ["/blog/1", "/blog/2", "/docs/1", "/docs/2"];
  const BLOGLESS = { crawlOptions: { limit: 20, excludePaths: ["blog/.*"] } };

  /** A monitor of a site that has been checked once; `during` does something before or after a page of the next checks is stored. */
  async function checkedSite(targets: object[]) {
    const service = monitorService();
    for (const path of PATHS) service.web[SITE + path] = pricePage(`About ${path}`);
    service.web[PRICES_PAGE] = pricePage("Cod costs 4", PATHS.map((path) => SITE + path)); // prettier-ignore
    const id = await service.create({ ...PRICES, judgeEnabled: false, targets, webhook: { url: HOOK } });
    await service.run(id);
    const { keepPage } = service.deps.monitors;
    const during = (number: number, when: "before" | "after", change: () => Promise<unknown>): void => {
      let pages = 0;
      service.deps.monitors.keepPage = async (...page) => {
        const isTime = ++pages === number;
        if (isTime && when === "before") await change();
        const isKept = await keepPage(...page);
        if (isTime && when === "after") await change();
        return isKept;
      };
    };
    const statesOf = async (targetId: string | undefined) => {
      const query = "SELECT url FROM monitor_states WHERE target_id = ? UNION ALL SELECT url FROM monitor_seen WHERE target_id = ?"; // prettier-ignore
      const { results } = await service.database.prepare(query).bind(targetId ?? "", targetId ?? "").run(); // prettier-ignore
      return results;
    };
    return { ...service, id, during, statesOf, stored: (await service.monitor(id)).targets };
  }
  const PRICES_PAGE = `${SITE}/`;
  const CRAWL = { type: "crawl", url: PRICES_PAGE, crawlOptions: { limit: 20 } };

  test("starts anew by its new rules, and the check reads no further page of it", async () => {
    const { id, during, patch, run, stored, told } = await checkedSite([CRAWL]);
    const before = told().length;
    during(2, "after", async () => await patch(id, { targets: [{ ...stored[0], ...BLOGLESS }] }));
    const check = await run(id);
    expect(check).toMatchObject({ summary: { totalPages: 2, same: 2 }, actualCredits: 1 + 2 });
    expect(told().slice(before).map(({ type }) => type)).toEqual(["monitor.page", "monitor.page", "monitor.check.completed"]); // prettier-ignore
    expect(await run(id)).toMatchObject({ summary: { totalPages: 3, new: 3 }, actualCredits: 1 + 3 });
    expect(await run(id)).toMatchObject({ summary: { totalPages: 3, same: 3 }, actualCredits: 1 + 3 });
  });

  test("does not store the state of the page that is being read, which the check reports and counts", async () => {
    const { id, during, patch, run, statesOf, stored, web } = await checkedSite([CRAWL]);
    web[`${SITE}/blog/1`] = pricePage("About herring");
    during(2, "before", async () => await patch(id, { targets: [{ ...stored[0], ...BLOGLESS }] }));
    const check = await run(id);
    expect(check.pages.map(({ url, status }) => [url, status])).toEqual([
      [SITE, "same"],
      [`${SITE}/blog/1`, "changed"],
    ]);
    expect(check.actualCredits).toBe(1 + 2);
    expect(await statesOf(stored[0]?.id)).toEqual([]);
  });

  test("keeps its states and is read to the end when its rules stay as they are", async () => {
    const { id, during, patch, run, stored } = await checkedSite([CRAWL]);
    await patch(id, { targets: [{ ...stored[0], ...BLOGLESS }] });
    await run(id);
    during(1, "after", async () => await patch(id, { targets: [{ ...stored[0], ...BLOGLESS }] }));
    expect(await run(id)).toMatchObject({ summary: { totalPages: 3, same: 3 } });
  });

  test.each([
    { what: "removed", left: (stored: object[]) => stored.slice(1) },
    { what: "sent without its ID", left: () => [PAGES, OTHER] },
  ])("is read no further when it is $what", async ({ left }) => {
    const { id, during, patch, run, statesOf, stored } = await checkedSite([PAGES, OTHER]);
    during(1, "after", async () => await patch(id, { targets: left(stored) }));
    const check = await run(id);
    expect(check.pages.filter(({ targetId }) => targetId === stored[0]?.id)).toHaveLength(1);
    expect(check.actualCredits).toBe(check.summary.totalPages);
    expect(await statesOf(stored[0]?.id)).toEqual([]);
  });
  const PAGES = { type: "scrape", urls: PATHS.map((path) => SITE + path) };
  const OTHER = { type: "scrape", urls: [PRICES_PAGE] };

  test("leaves no states: those that an earlier version has stored of a removed one are deleted", async () => {
    const { id, patch, run, statesOf, stored, database } = await checkedSite([PAGES, OTHER]);
    await patch(id, { targets: stored.slice(1) });
    const copy = "INSERT INTO monitor_states (monitor_id, target_id, url, text_hash, text) VALUES (?, ?, 'x', '', '')";
    await database.prepare(copy).bind(id, stored[0]?.id ?? "").run(); // prettier-ignore
    await run(id);
    expect(await statesOf(stored[0]?.id)).toEqual([]);
    expect(await statesOf(stored[1]?.id)).toHaveLength(2);
  });
});
