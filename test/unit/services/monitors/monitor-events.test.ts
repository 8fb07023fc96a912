import { describe, expect, test } from "vitest";
import { eventJobId, startEventJob } from "../../../../src/services/monitors/check-job.ts";
import { sendMonitorEvents } from "../../../../src/services/monitors/monitor-events.ts";
import { HOOK, monitorService, PRICES } from "../../../fakes/services/monitor-service.ts";

const HEARD = { ...PRICES, webhook: { url: HOOK } };
const OTHER_HOOK = "https://hook.example/other";

/** A monitor with a check whose 40 events are due: the 20th is its end, the others are pages. */
async function serviceWithEvents() {
  const service = monitorService();
  const id = await service.create(HEARD);
  const { id: checkId } = await service.run(id);
  const before = service.told().length;
  await service.database
    .prepare(
      `WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 40)
       INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)
         SELECT ?, ?, printf('%d', at), iif(at = 20, 'check.completed', 'page'), '{}', 0, 0, 0 FROM n`,
    )
    .bind(checkId, id)
    .run();
  const left = async () =>
    (await service.database.prepare("SELECT id FROM monitor_events WHERE lost = 0").run()).results.length;
  return { ...service, id, checkId, left, told: () => service.told().slice(before) };
}

describe("the events of a check", () => {
  test("of a slow receiver are sent by several runs in succession, once each and those within their hold", async () => {
    const { deps, clock, http, checkId, runs, runCheck, drain, told, left, stepJobs } = await serviceWithEvents();
    const { request } = http;
    http.request = async (...of) => {
      clock.advance(5_000);
      return await request(...of);
    };
    await startEventJob(deps, checkId);
    await runCheck(runs.shift() ?? "");
    // 20 were taken. The last one, which is sent alone, could end beyond the hold: another run might send it then.
    expect(told()).toHaveLength(19);
    expect(told().map(({ type }) => type)).not.toContain("monitor.check.completed");
    expect(await left()).toBe(21);
    await drain();
    expect(new Set(told().map(({ webhookId }) => webhookId)).size).toBe(40);
    expect(told()).toHaveLength(40);
    expect(await stepJobs.progress(eventJobId(checkId))).toBeUndefined();
  });

  test.each([
    { change: "has another webhook", webhook: { url: OTHER_HOOK }, sent: 40, givenUp: 0 },
    { change: "has no webhook", webhook: null, sent: 0, givenUp: 40 },
  ])("that waited for a place while the monitor was changed go where it $change", async (row) => {
    const { deps, http, web, id, checkId, patch, told, left, read } = await serviceWithEvents();
    web[OTHER_HOOK] = "";
    const { monitorEvents } = deps;
    const run = monitorEvents.run.bind(monitorEvents);
    monitorEvents.run = async (owner, work) => {
      await patch(id, { webhook: row.webhook });
      return await run(owner, work);
    };
    await sendMonitorEvents(deps, checkId);
    expect(told()).toEqual([]);
    expect(http.seen.filter(({ url }) => url === OTHER_HOOK)).toHaveLength(row.sent);
    expect((await read<unknown[]>("/v2/team/webhooks/failed?limit=100")).data).toHaveLength(row.givenUp);
    expect(await left()).toBe(0);
  });

  test("that waited for a place while the monitor was deleted are deleted", async () => {
    const { deps, id, checkId, ask, told, left } = await serviceWithEvents();
    const { monitorEvents } = deps;
    const run = monitorEvents.run.bind(monitorEvents);
    monitorEvents.run = async (owner, work) => {
      await ask(`/v2/monitor/${id}`, { method: "DELETE" });
      return await run(owner, work);
    };
    await sendMonitorEvents(deps, checkId);
    expect(told()).toEqual([]);
    expect(await left()).toBe(0);
  });

  test("are given up in a place", async () => {
    const { deps, id, checkId, patch, left } = await serviceWithEvents();
    await patch(id, { webhook: null });
    deps.monitorEvents.run = async () => {
      throw new Error("No place");
    };
    await expect(sendMonitorEvents(deps, checkId)).rejects.toThrow("No place");
    expect(await left()).toBe(40);
  });
});

describe("an event that is listed as given up", () => {
  const replay = ({ post }: Pick<ReturnType<typeof monitorService>, "post">, webhookId: string) =>
    post(`/v2/team/webhooks/${webhookId}/replay`, {});
  const FAILED = "/v2/team/webhooks/failed";

  test("stays listed when it is replayed before its outbox knows that it is given up, and is replayed then", async () => {
    const service = monitorService();
    const { create, run, web, cron, clock, deps, read } = service;
    const id = await create({ ...HEARD, webhook: { url: HOOK, events: ["page"] } });
    web[HOOK] = { status: 500 };
    await run(id);
    const { insert } = deps.failedWebhooks;
    const early: number[] = [];
    deps.failedWebhooks.insert = async (webhooks) => {
      await insert(webhooks);
      for (const { webhookId } of webhooks) early.push((await replay(service, webhookId)).status);
    };
    for (const minutes of [1, 5, 15]) {
      clock.advance(minutes * 60_000);
      await cron();
    }
    expect(early).toEqual([404]);
    const { data } = await read<{ id: string }[]>(FAILED);
    expect(data).toHaveLength(1);
    expect(await (await replay(service, data[0]?.id ?? "")).json()).toMatchObject({ replayed: 1 });
    expect((await read(FAILED)).data).toEqual([]);
  });

  test("is listed no longer when it is replayed after its outbox has lost it", async () => {
    const service = monitorService();
    const { create, run, web, cron, clock, read, database } = service;
    const id = await create({ ...HEARD, webhook: { url: HOOK, events: ["page"] } });
    web[HOOK] = { status: 500 };
    await run(id);
    for (const minutes of [1, 5, 15]) {
      clock.advance(minutes * 60_000);
      await cron();
    }
    await database.prepare("DELETE FROM monitor_events").run();
    const { data } = await read<{ id: string }[]>(FAILED);
    clock.advance(61_000);
    expect((await replay(service, data[0]?.id ?? "")).status).toBe(404);
    expect((await read(FAILED)).data).toEqual([]);
  });
});
