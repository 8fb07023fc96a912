import { expect, test } from "vitest";
import { eventJobId, startEventJob } from "../../../../src/services/monitors/check-job.ts";
import { createMonitorStore } from "../../../../src/storage/monitors/monitors.ts";
import { countedDatabase } from "../../../fakes/memory/counted-database.ts";
import { memoryBlobs } from "../../../fakes/memory/memory-blobs.ts";
import { HOOK, monitorService, PRICES } from "../../../fakes/services/monitor-service.ts";
import { Invocation } from "../../../platform/invocation.ts";

const HITS = 50;
const SEARCHES = Array.from({ length: 3 }, (_, at) => ({ type: "search", queries: [`cod ${at}`], maxResults: HITS }));
const HEARD = { ...PRICES, judgeEnabled: false, webhook: { url: HOOK } };

/** A service that starts each worker run, and each message, as an invocation. */
function countedService() {
  const service = monitorService();
  const invocations: Invocation[] = [new Invocation()];
  const current = (): Invocation => invocations.at(-1) ?? new Invocation();
  const { stepJobs, deps, found, queue } = service;
  deps.monitors = createMonitorStore(countedDatabase(service.database, current), memoryBlobs(), {
    isNearlyFull: false,
  });
  const { beginRun } = stepJobs;
  stepJobs.beginRun = async (id) => {
    invocations.push(new Invocation());
    return await beginRun(id);
  };
  found.urls = Array.from({ length: HITS }, (_, at) => `https://found.example/${at}`);
  return { ...service, invocations, queue };
}

test("a check with many pages has several runs, none of which makes too many queries, and keeps each page once", async () => {
  const { create, start, drain, readCheck, deps, invocations } = countedService();
  const { keepPage } = deps.monitors;
  const kept: number[] = [];
  deps.monitors.keepPage = async (...page) => {
    kept[invocations.length - 2] = (kept[invocations.length - 2] ?? 0) + 1;
    return await keepPage(...page);
  };
  const id = await create({ ...PRICES, judgeEnabled: false, targets: SEARCHES });
  const checkId = await start(id);
  await drain();
  const summary = { totalPages: 3 * HITS, new: 3 * HITS };
  expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", summary });
  expect(kept).toEqual([87, 63]);
  expect(Math.max(...invocations.map(({ queries }) => queries))).toBeLessThan(900);
});

test("a run that has made many queries leaves the events of its check to a job of their own", async () => {
  const { create, start, drain, runCheck, queue, runs, told } = countedService();
  const checkId = await start(await create({ ...HEARD, targets: SEARCHES.slice(0, 1) }));
  runs.length = 0;
  await runCheck(checkId);
  expect(told()).toEqual([]);
  expect([queue, runs]).toEqual([[], [eventJobId(checkId)]]);
  await drain();
  expect(new Set(told().map(({ webhookId }) => webhookId)).size).toBe(HITS + 1);
  expect(told()).toHaveLength(HITS + 1);
  expect(told().at(-1)?.type).toBe("monitor.check.completed");
});

test.each(["sent", "given up"])(
  "a run with more events than one invocation sends has another one go on: %s",
  async (how) => {
    const { create, run, runCheck, drain, told, deps, database, runs, invocations, patch } = countedService();
    const id = await create(HEARD);
    const { id: checkId } = await run(id);
    const before = told().length;
    if (how === "given up") await patch(id, { webhook: null });
    await database
      .prepare(
        `WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < 350)
       INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)
         SELECT ?, ?, printf('%d', at), 'page', '{}', 0, 0, 0 FROM n`,
      )
      .bind(checkId, id)
      .run();
    await startEventJob(deps, checkId);
    await runCheck(runs.shift() ?? "");
    expect(runs).toEqual([eventJobId(checkId)]);
    expect(Math.max(...invocations.map(({ queries }) => queries))).toBeLessThan(900);
    const left = async () =>
      (await database.prepare("SELECT id FROM monitor_events WHERE lost = 0").run()).results.length;
    expect(await left()).toBe(50);
    await drain();
    expect([await left(), await deps.stepJobs.progress(eventJobId(checkId))]).toEqual([0, undefined]);
    expect(told()).toHaveLength(before + (how === "sent" ? 350 : 0));
  },
);

test("large events of a check are taken a few at a time", async () => {
  const { deps, database } = countedService();
  const { monitors, clock } = deps;
  for (const [at, chars] of [900_000, 900_000, 900_000, 1_999_920, 100].entries())
    await database
      .prepare(
        `INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms, lost)
           VALUES ('check', 'monitor', ?, 'page', ?, 0, 0, 0)`,
      )
      .bind(`${at}`, JSON.stringify({ data: "x".repeat(chars - 11) }))
      .run();
  const take = async () =>
    (await monitors.takeEvents("check", clock.now(), 20)).map(({ webhookId, contentChars }) => [
      webhookId,
      contentChars,
    ]);
  const [some, next, large, last] = [await take(), await take(), await take(), await take()];
  expect([some, next, large, last]).toEqual([
    [["0", 900_000], ["1", 900_000]],
    [["2", 900_000]],
    [["3", 1_999_920]],
    [["4", 100]],
  ]); // prettier-ignore
});

test("the outcomes of many events take one statement for each kind, and those of other events with their numbers none", async () => {
  const { create, run, web, deps, database, clock, invocations } = countedService();
  web[HOOK] = { status: 500 };
  const { id: checkId } = await run(await create(HEARD));
  clock.advance(60_000);
  const { monitors } = deps;
  const taken = await monitors.takeEvents(checkId, clock.now(), 20);
  const [page, end] = taken;
  if (page === undefined || end === undefined) throw new Error("Two events wait");
  const rows = async () =>
    (await database.prepare("SELECT event, attempts, due_at_ms, lost FROM monitor_events").run()).results;
  const earlier = taken.map(({ entryId }) => ({ entryId, webhookId: "earlier", kind: "delivered" as const }));
  const heldUntilMs = clock.now() + 60_000;
  const waiting = [
    { event: "page", attempts: 1, due_at_ms: heldUntilMs, lost: 0 },
    { event: "check.completed", attempts: 1, due_at_ms: heldUntilMs, lost: 0 },
  ];
  await monitors.noteSent(earlier, clock.now());
  await monitors.noteSent(
    earlier.map((note) => ({ ...note, kind: "failed" as const })),
    clock.now(),
  );
  expect(await rows()).toEqual(waiting);

  invocations.push(new Invocation());
  await monitors.noteSent(
    [
      { ...page, kind: "failed" },
      { ...end, kind: "refused" },
    ],
    clock.now(),
  );
  expect(invocations.at(-1)?.queries).toBe(1);
  expect(await rows()).toEqual([
    { event: "page", attempts: 2, due_at_ms: clock.now() + 300_000, lost: 0 },
    { event: "check.completed", attempts: 2, due_at_ms: clock.now(), lost: 1 },
  ]);
  // Reported again, it counts once.
  await monitors.noteSent([{ ...page, kind: "failed" }], clock.now());
  expect((await rows())[0]).toMatchObject({ event: "page", attempts: 2 });
  await monitors.noteSent([{ ...page, kind: "delivered" }], clock.now());
  expect(await rows()).toMatchObject([{ event: "check.completed" }]);
});
