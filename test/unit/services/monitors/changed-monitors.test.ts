import { describe, expect, test } from "vitest";
import { HOOK, monitorService, PRICES } from "../../../fakes/services/monitor-service.ts";

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
