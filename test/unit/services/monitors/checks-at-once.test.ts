import { expect, test } from "vitest";
import { FairAdmission } from "../../../../src/core/waits/fair-admission.ts";
import type { Engine } from "../../../../src/engines/engine.ts";
import { eventJobId } from "../../../../src/services/monitors/check-job.ts";
import { runTask } from "../../../../src/services/upkeep/run-task.ts";
import { HOOK, monitorService, PRICES, pricePage } from "../../../fakes/services/monitor-service.ts";

test("of many checks that run at a time, the pages of a few are worked on", async () => {
  let atOnce = 0;
  let most = 0;
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    async load({ url }) {
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setTimeout(resolve, 5));
      atOnce--;
      const page = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html" };
      return { kind: "loaded", page: { ...page, body: pricePage("Cod costs 4"), warnings: [] } };
    },
  };
  const checks = new FairAdmission({ places: 2, isProcessorBusy: () => true });
  const service = monitorService({ ports: { checks, engines: [engine] } });
  const started: { id: string; checkId: string }[] = [];
  for (let monitor = 0; monitor < 10; monitor++) {
    const urls = [1, 2, 3].map((page) => `https://a.example/${monitor}/${page}`);
    const id = await service.create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    started.push({ id, checkId: await service.start(id) });
  }
  await Promise.all(service.runs.splice(0).map((checkId) => service.runCheck(checkId)));
  expect(most).toBe(2);
  for (const { id, checkId } of started) {
    const check = await service.readCheck(id, checkId);
    expect([check.status, check.pages.length]).toEqual(["completed", 3]);
  }
});

test("a receiver that does not answer holds no message of the queue, and few of a team's are waited for at a time", async () => {
  const monitorEvents = new FairAdmission({ places: 2, isProcessorBusy: () => true });
  const { create, run, runCheck, clock, deps, http, queue, runs, web, told } = monitorService({
    ports: { monitorEvents },
  });
  web[HOOK] = { status: 500 };
  for (let monitor = 0; monitor < 5; monitor++)
    await run(await create({ ...PRICES, webhook: { url: HOOK, events: ["check.completed"] } }));
  clock.advance(60_000);
  let [open, most] = [0, 0];
  const answering = Promise.withResolvers<void>();
  const request = http.request.bind(http);
  http.request = async (asked) => {
    most = Math.max(most, ++open);
    await answering.promise;
    open--;
    return await request(asked);
  };
  web[HOOK] = "";
  queue.push({ type: "run_due_monitors" });
  for (let task = queue.shift(); task !== undefined; task = queue.shift()) await runTask(deps, task);
  expect(new Set(runs).size).toBe(5);
  const sending = Promise.all(runs.splice(0).map((jobId) => runCheck(jobId)));
  await expect.poll(() => open).toBe(2);
  answering.resolve();
  await sending;
  expect([most, told().length]).toEqual([2, 10]);
  expect(await deps.monitors.checksWithEvents(clock.now() + 3_600_000, 10)).toEqual([]);
}, 20_000);

test("a run that cannot send the events of a check ends, and the cron has another one send them", async () => {
  const { create, run, cron, clock, deps, web, told, logged } = monitorService();
  web[HOOK] = { status: 500 };
  const { id: checkId } = await run(await create({ ...PRICES, webhook: { url: HOOK, events: ["check.completed"] } }));
  clock.advance(60_000);
  const { takeEvents } = deps.monitors;
  deps.monitors.takeEvents = async () => Promise.reject(new Error("D1 is down"));
  await cron();
  expect(logged).toContainEqual({ event: "monitor_events_failed", checkId, message: "Error: D1 is down" });
  expect(await deps.stepJobs.progress(eventJobId(checkId))).toBeUndefined();
  deps.monitors.takeEvents = takeEvents;
  await cron();
  expect(told()).toHaveLength(2);
});
