import { describe, expect, test } from "vitest";
import { purgeExpired } from "../../../../src/services/upkeep/purge-expired.ts";
import { createMonitorStore } from "../../../../src/storage/monitors/monitors.ts";
import { nodeD1 } from "../../../fakes/memory/node-d1.ts";
import { monitorService, pricePage, PRICES, PRICES_URL } from "../../../fakes/services/monitor-service.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";

type Service = ReturnType<typeof monitorService>;

/** A database, the largest answer of one query in characters, and the plans of the queries that were made. */
function watchedDatabase() {
  const database = nodeD1();
  const seen = { mostChars: 0, plans: [] as string[] };
  const prepare = (query: string) => ({
    bind: (...values: unknown[]) => {
      const statement = database.prepare(query).bind(...values);
      const run = async () => {
        const plan = database.prepare(`EXPLAIN QUERY PLAN ${query}`).bind(...values);
        seen.plans.push((await plan.run<{ detail: string }>()).results.map(({ detail }) => detail).join("; "));
        const answer = await statement.run();
        seen.mostChars = Math.max(seen.mostChars, JSON.stringify(answer.results).length);
        return answer;
      };
      return { ...statement, run };
    },
  });
  const session = { prepare, batch: database.batch.bind(database) };
  // The methods that stores call; the cast stands for the rest of D1.
  return { database, seen, watched: { ...session, withSession: () => session } as unknown as D1Database };
}

test("monitors that are due at once are read one at a time, and one that cannot be read is paused", async () => {
  const { database, seen, watched } = watchedDatabase();
  const service = monitorService({ ports: { monitors: createMonitorStore(watched, memoryBlobs()) } });
  const ids: string[] = [];
  for (let at = 0; at < 4; at++) ids.push(await service.create({ ...PRICES, name: `Number ${at}` }));
  const set = (id: string, config: string) =>
    database.prepare(`UPDATE monitors SET config = ${config} WHERE id = ?`).bind(id).run();
  for (const id of ids) await set(id, `json_set(config, '$.note', '${"x".repeat(50_000)}')`);
  const [broken = "", ...others] = ids;
  await set(broken, "'{}'");
  service.clock.advance(3_600_000);
  seen.mostChars = 0;
  await service.cron();
  expect(service.runs).toHaveLength(others.length);
  expect(seen.mostChars).toBeLessThan(60_000);
  const query = "SELECT id FROM monitors WHERE status = 'paused' AND next_run_at_ms IS NULL";
  expect((await database.prepare(query).run()).results).toEqual([{ id: broken }]);
});

test("pages of a check are sorted without their bodies", async () => {
  const { database, seen, watched } = watchedDatabase();
  const numbers = "WITH RECURSIVE n(at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM n WHERE at < 20)";
  const page = `json_object('id', printf('%02d', 20 - at), 'targetId', 't', 'url', printf('%d', at), 'status', 'same', 'createdAt', '')`;
  await database
    .prepare(
      `INSERT INTO monitor_pages ${numbers}
         SELECT 'check', 't', at, printf('%02d', 20 - at), 'm', iif(at % 2, 'same', 'new'), ${page}, 0 FROM n`,
    )
    .run();
  const store = createMonitorStore(watched, memoryBlobs());
  const pages = async (status?: string) =>
    (await store.pages("check", { limit: 3, skip: 4, status })).map(({ id }) => id);
  expect(await pages()).toEqual(["04", "05", "06"]);
  expect(await pages("new")).toEqual(["08", "10", "12"]);
  for (const plan of seen.plans) expect(plan).toMatch(/ORDER BY; .*SEARCH page USING PRIMARY KEY/);
});

test("checks with due events are found without their other events", async () => {
  const { database, seen, watched } = watchedDatabase();
  const columns = "(check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)";
  const rows = [
    ["'one'", 0],
    ["'one'", 0],
    ["'two'", 0],
    ["'lost'", 1],
  ];
  for (const [check, lost] of rows)
    await database
      .prepare(`INSERT INTO monitor_events ${columns} VALUES (${check}, 'm', 'w', 'page', '{}', 0, 5, ${lost})`)
      .run();
  const store = createMonitorStore(watched, memoryBlobs());
  expect((await store.checksWithEvents(5, 10)).toSorted()).toEqual(["one", "two"]);
  expect(await store.checksWithEvents(4, 10)).toEqual([]);
  expect(seen.plans[0]).toContain("INDEX monitor_events_due (due_at_ms<?)");
});

describe("a state that is too long for its row", () => {
  const LONG = Array.from({ length: 400 }, (_, day) => `${day} ${"Cod and ling. ".repeat(20)}`).join("</p><p>");
  const HOUR_MS = 3_600_000;

  const columns = async ({ database }: Service) => {
    const query = "SELECT length(text) AS chars, object_key AS key FROM monitor_states";
    return (await database.prepare(query).run<{ chars: number; key: string | null }>()).results;
  };
  const keys = ({ blobs }: Service) => [...blobs.objects.keys()];
  const purge = async ({ clock, deps }: Service) => {
    clock.advance(HOUR_MS);
    await purgeExpired(deps, "state_objects");
  };

  test("is an object, which the next checks compare with and replace", async () => {
    const service = monitorService();
    const id = await service.create();
    service.web[PRICES_URL] = pricePage(`${LONG}</p><p>Cod costs 4`);
    await service.run(id);
    const [first = ""] = keys(service);
    expect(await columns(service)).toEqual([{ chars: 0, key: first }]);
    expect((await service.run(id)).summary).toMatchObject({ same: 1 });
    service.web[PRICES_URL] = pricePage(`${LONG}</p><p>Cod costs 5`);
    const { pages } = await service.run(id);
    expect(pages[0]?.diff?.text).toContain("-Cod costs 4\n+Cod costs 5");
    await purge(service);
    const [state] = await columns(service);
    expect(keys(service)).toEqual([state?.key]);
    service.web[PRICES_URL] = pricePage("It is closed");
    await service.run(id);
    await purge(service);
    expect([keys(service), await columns(service)]).toEqual([[], [{ chars: expect.any(Number), key: null }]]);
  });

  test("is any but the shortest while the database is nearly full", async () => {
    const service = monitorService();
    const id = await service.create();
    service.room.isNearlyFull = true;
    await service.run(id);
    expect(keys(service)).toHaveLength(1);
    expect((await service.run(id)).summary).toMatchObject({ same: 1 });
  });

  test("is deleted with its monitor, with its target, and when its page is gone", async () => {
    const service = monitorService();
    const url = "https://site.example/";
    const crawl = { type: "crawl", url, crawlOptions: { limit: 2, sitemap: "skip" } };
    const id = await service.create({ ...PRICES, targets: [crawl, ...PRICES.targets] });
    service.web[PRICES_URL] = pricePage(LONG);
    service.web[url] = pricePage("Home", [`${url}a`]);
    service.web[`${url}a`] = pricePage(LONG);
    await service.run(id);
    expect(keys(service)).toHaveLength(2);
    service.web[`${url}a`] = { status: 404, body: pricePage("Gone") };
    await service.run(id);
    await purge(service);
    expect(keys(service)).toHaveLength(1);
    await service.patch(id, { targets: [crawl] });
    await purge(service);
    expect(keys(service)).toEqual([]);
    service.room.isNearlyFull = true;
    await service.run(id);
    expect(keys(service)).toHaveLength(1);
    await service.ask(`/v2/monitor/${id}`, { method: "DELETE" });
    await purgeExpired(service.deps, "state_objects");
    expect(keys(service)).toEqual([]);
  });

  test("leaves no object when the result of its page is not stored", async () => {
    const service = monitorService();
    const id = await service.create();
    service.web[PRICES_URL] = pricePage(LONG);
    const { batch } = service.database;
    let isCrashed = false;
    service.database.batch = async <Row>(statements: D1PreparedStatement[]) => {
      // What a statement has besides its methods: hence the cast.
      const queries = (statements as unknown as { query: string }[]).map(({ query }) => query);
      if (!isCrashed && queries.some((query) => query.includes("INTO monitor_states"))) {
        isCrashed = true;
        throw new Error("A crash before the batch");
      }
      return (await batch.call(service.database, statements)) as D1Result<Row>[];
    };
    const checkId = await service.start(id);
    await expect(service.drain()).rejects.toThrow("A crash");
    expect(keys(service)).toHaveLength(1);
    await service.runCheck(checkId);
    expect((await service.readCheck(id, checkId)).summary).toMatchObject({ new: 1 });
    expect(keys(service)).toHaveLength(2);
    await purge(service);
    const [state] = await columns(service);
    expect(keys(service)).toEqual([state?.key]);
    expect((await service.run(id)).summary).toMatchObject({ same: 1 });
  });
});

test("a check that fails frees its monitor alone", async () => {
  const { deps, create, start, monitor } = monitorService();
  const [id, other] = [await create(), await create()];
  const [checkId, otherCheckId] = [await start(id), await start(other)];
  await deps.monitors.failCheck(checkId, "It cannot be read", deps.clock.now());
  expect((await deps.monitors.find(id))?.currentCheckId).toBeUndefined();
  expect((await deps.monitors.find(other))?.currentCheckId).toBe(otherCheckId);
  expect((await deps.monitors.findCheck(checkId))?.status).toBe("failed");
  expect((await monitor(id)).status).toBe("active");
});
