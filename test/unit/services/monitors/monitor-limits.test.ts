import { expect, test } from "vitest";
import { MAX_CHECKS_BYTES } from "../../../../src/core/monitors/monitor-limits.ts";
import { purgeExpired } from "../../../../src/services/upkeep/purge-expired.ts";
import { HOOK, monitorService, PRICES, PRICES_URL } from "../../../fakes/services/monitor-service.ts";

type Service = ReturnType<typeof monitorService>;

const LIMIT = { status: 409, code: "MONITOR_LIMIT_REACHED" };

async function answerOf(response: Response | Promise<Response>) {
  const answer = await response;
  return { status: answer.status, code: ((await answer.json()) as { code?: string }).code };
}

/** Adds monitors to the database, each with a configuration of so many bytes. */
async function fill({ database, deps }: Service, { id, count, bytes }: { id: string; count: number; bytes: number }) {
  const monitor = await deps.monitors.find(id);
  await database
    .prepare(
      `WITH RECURSIVE n(at) AS (VALUES (1) UNION ALL SELECT at + 1 FROM n WHERE at < ?)
         INSERT INTO monitors SELECT 'filler ' || at, ?, 'key', 'Filler', 'paused', ?, NULL, NULL, NULL, NULL, 0, 0 FROM n`,
    )
    .bind(count, monitor?.teamId ?? "", "x".repeat(bytes))
    .run();
}

test("a team has a limited number of monitors", async () => {
  const service = monitorService();
  await fill(service, { id: await service.create(), count: 998, bytes: 10 });
  expect(await answerOf(service.post("/v2/monitor", PRICES))).toMatchObject({ status: 200 });
  expect(await answerOf(service.post("/v2/monitor", PRICES))).toEqual(LIMIT);
});

test("the configurations of a team's monitors have a limited length, and a change that is refused changes nothing", async () => {
  const service = monitorService();
  const id = await service.create();
  await service.run(id);
  await fill(service, { id, count: 20, bytes: 999_900 });
  const long = { type: "scrape", urls: Array.from({ length: 50 }, (_, at) => `${PRICES_URL}${"x".repeat(100)}${at}`) };
  expect(await answerOf(service.post("/v2/monitor", { ...PRICES, targets: [long] }))).toEqual(LIMIT);
  const before = await service.monitor(id);
  expect(await answerOf(service.patch(id, { targets: [long] }))).toEqual(LIMIT);
  expect(await service.monitor(id)).toEqual(before);
  expect((await service.run(id)).summary).toMatchObject({ same: 1 });
  // What does not grow is never refused.
  expect((await service.patch(id, { name: "Other" })).status).toBe(200);
  expect((await service.patch(id, { targets: [{ type: "scrape", urls: ["https://b.example/"] }] })).status).toBe(200);
});

test("while the database is nearly full, long configurations are refused and short ones are not", async () => {
  const service = monitorService();
  const id = await service.create();
  service.room.isNearlyFull = true;
  const targets = [
    { type: "scrape", urls: Array.from({ length: 100 }, (_, at) => `${PRICES_URL}${"x".repeat(100)}${at}`) },
  ];
  expect(await answerOf(service.post("/v2/monitor", { ...PRICES, targets }))).toEqual(LIMIT);
  expect(await answerOf(service.patch(id, { targets }))).toEqual(LIMIT);
  expect((await service.patch(id, { status: "paused" })).status).toBe(200);
  expect((await service.post("/v2/monitor", PRICES)).status).toBe(200);
});

test("a repeated request gets its monitor at the limit, too, and a refused one leaves removed data listed", async () => {
  const service = monitorService();
  const first = await service.create();
  const monitor = await service.deps.monitors.find(first);
  if (monitor === undefined) throw new Error("There is no monitor");
  const none = { count: 1, configBytes: 20_000_000 };
  expect(await service.deps.monitors.insert(monitor, none)).toBe(false);
  await service.database.prepare("INSERT INTO removed_monitors VALUES ('other')").run();
  expect(await service.deps.monitors.insert({ ...monitor, id: "other" }, none)).toBe(false);
  const { results } = await service.database.prepare("SELECT id FROM removed_monitors").run();
  expect(results).toEqual([{ id: "other" }]);
});

test("a check that has ended keeps the results of its targets without its plan", async () => {
  const service = monitorService();
  const id = await service.create();
  const check = await service.run(id);
  const { results } = await service.database.prepare("SELECT plan, bytes FROM monitor_checks").run();
  expect(results).toEqual([{ plan: null, bytes: expect.any(Number) }]);
  const stored = await service.deps.monitors.findCheck(check.id);
  expect(stored).toMatchObject({ plan: undefined, results: [{ pages: 1, hasFailed: false }] });
});

/** Bytes that a monitor's checks have by their sum. */
async function sizeOf({ database }: Service, id: string) {
  const query = "SELECT bytes FROM monitor_sizes WHERE monitor_id = ?";
  return (await database.prepare(query).bind(id).run<{ bytes: number }>()).results[0]?.bytes;
}

test("checks beyond the limit of their team are deleted: the oldest ones of the largest monitor", async () => {
  const service = monitorService();
  const [large, small] = [await service.create(), await service.create()];
  const kept = await service.run(small);
  const ids = [];
  for (let at = 0; at < 3; at++) {
    ids.unshift((await service.run(large)).id);
    service.clock.advance(1_000);
  }
  await service.database
    .prepare("UPDATE monitor_checks SET bytes = ? WHERE monitor_id = ?")
    .bind(MAX_CHECKS_BYTES / 3, large)
    .run();
  const last = await service.run(large);
  // The message that the end of the check has queued.
  await service.drain();
  expect((await service.checks(large)).map(({ id }) => id)).toEqual([last.id, ...ids.slice(0, 2)]);
  expect((await service.checks(small)).map(({ id }) => id)).toEqual([kept.id]);
  expect(await sizeOf(service, large)).toBeLessThan(MAX_CHECKS_BYTES);
  const query = "SELECT count(DISTINCT check_id) AS checks FROM monitor_pages";
  expect((await service.database.prepare(query).run()).results).toEqual([{ checks: 4 }]);
});

test("a check whose events are still delivered is not deleted", async () => {
  const service = monitorService();
  service.web[HOOK] = { status: 500, body: "" };
  const id = await service.create({ ...PRICES, webhook: { url: HOOK } });
  const first = await service.run(id);
  await service.database
    .prepare("UPDATE monitor_checks SET bytes = ?")
    .bind(2 * MAX_CHECKS_BYTES)
    .run();
  await service.database
    .prepare("UPDATE monitor_sizes SET bytes = ?")
    .bind(2 * MAX_CHECKS_BYTES)
    .run();
  await purgeExpired(service.deps, "largest_monitors");
  expect((await service.checks(id)).map((check) => check.id)).toEqual([first.id]);
  await service.database.prepare("UPDATE monitor_events SET lost = 1").run();
  await purgeExpired(service.deps, "largest_monitors");
  expect(await service.checks(id)).toEqual([]);
  expect(await sizeOf(service, id)).toBe(0);
});

test("the size of a monitor follows its checks: ended, expired and removed ones", async () => {
  const service = monitorService();
  const id = await service.create({ ...PRICES, retentionDays: 1 });
  await service.run(id);
  const one = (await sizeOf(service, id)) ?? 0;
  expect(one).toBeGreaterThan(1_000);
  service.clock.advance(10_000);
  await service.run(id);
  const both = (await sizeOf(service, id)) ?? 0;
  expect(both).toBeGreaterThan(one + 1_000);
  service.clock.advance(86_400_000 - 5_000);
  await purgeExpired(service.deps, "monitor_checks");
  expect(await sizeOf(service, id)).toBe(both - one);
  await service.ask(`/v2/monitor/${id}`, { method: "DELETE" });
  expect(await sizeOf(service, id)).toBeUndefined();
});
