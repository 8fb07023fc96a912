import { describe, expect, test } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { monitorService, PRICES, pricePage, HOOK } from "../../../fakes/services/monitor-service.ts";

const MINUTE_MS = 60_000;

describe("a run of a check", () => {
  test("that fails leaves the check to the next one at once, which goes on behind the last page", async () => {
    const { create, start, drain, runs, deps, web, readCheck } = monitorService();
    const urls = ["https://a.example/1", "https://a.example/2"];
    for (const url of urls) web[url] = pricePage(url);
    const id = await create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    const checkId = await start(id);
    const { keepPage } = deps.monitors;
    let kept = 0;
    deps.monitors.keepPage = async (...page) => {
      if (++kept === 2) throw new Error("D1 is down");
      return await keepPage(...page);
    };
    await expect(drain()).rejects.toThrow("D1 is down");
    expect(await readCheck(id, checkId)).toMatchObject({ status: "running", summary: { new: 1 } });
    runs.push(checkId);
    await drain();
    expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", summary: { totalPages: 2, new: 2 } });
  });

  test("that fails time and again ends the check, with its code", async () => {
    const { create, start, drain, runs, deps, monitor, readCheck, told } = monitorService();
    const id = await create({ ...PRICES, webhook: { url: HOOK } });
    const checkId = await start(id);
    deps.monitors.keepPage = async () => {
      throw new Error("D1 is down");
    };
    for (let turn = 1; turn <= 4; turn++) {
      await expect(drain()).rejects.toThrow("D1 is down");
      runs.push(checkId);
    }
    // The plan was written by the first turn, which got on with that.
    await expect(drain()).rejects.toThrow("D1 is down");
    runs.push(checkId);
    await drain();
    expect(await readCheck(id, checkId)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("(UNKNOWN_ERROR)"),
    });
    expect((await monitor(id)).currentCheckId).toBeNull();
    expect(told()).toMatchObject([{ type: "monitor.check.completed", data: [{ status: "failed" }] }]);
  });

  test.each([
    ["passing, and another turn is tried", "SERVICE_UNAVAILABLE", "running"],
    ["final, and told with its code", "FORBIDDEN", "failed"],
  ] as const)("does not take every failure for a lack of credits: this one is %s", async (_what, code, status) => {
    const { create, start, drain, deps, readCheck } = monitorService();
    const id = await create();
    const checkId = await start(id);
    deps.keyLedger.usage = async () => {
      throw new AppError(code);
    };
    if (status === "running") await expect(drain()).rejects.toThrow("not ready");
    else await drain();
    const check = await readCheck(id, checkId);
    expect(check).toMatchObject({ status, error: status === "failed" ? `Forbidden (${code})` : null });
  });

  test("that another one has taken over stops before the next page", async () => {
    const { create, start, drain, runCheck, deps, stepJobs, web, readCheck } = monitorService();
    const urls = ["https://a.example/1", "https://a.example/2", "https://a.example/3"];
    for (const url of urls) web[url] = pricePage(url);
    const id = await create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    const checkId = await start(id);
    const { keepPlan } = deps.monitors;
    deps.monitors.keepPlan = async (...plan) => {
      await keepPlan(...plan);
      await stepJobs.beginRun(checkId);
    };
    await drain();
    expect(await readCheck(id, checkId)).toMatchObject({ status: "running", summary: { totalPages: 0 } });
    await runCheck(checkId);
    expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", actualCredits: 3, summary: { new: 3 } });
  });

  test("starts for a check whose request crashed right after recording it", async () => {
    const { create, cron, clock, drain, deps, readCheck, monitor } = monitorService();
    const id = await create({ ...PRICES, schedule: { text: "weekly" } });
    const record = await deps.monitors.find(id);
    const checkId = crypto.randomUUID();
    const started = { checkId, trigger: "manual", nowMs: clock.now() } as const;
    await deps.monitors.startCheck({ ...started, monitor: record as NonNullable<typeof record> });
    clock.advance(5 * MINUTE_MS);
    await cron();
    await drain();
    expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", summary: { new: 1 } });
    expect((await monitor(id)).currentCheckId).toBeNull();
  });

  test("that takes too long hands over to another", async () => {
    const { create, run, clock, deps, web } = monitorService();
    const urls = Array.from({ length: 5 }, (_, place) => `https://a.example/${place}`);
    for (const url of urls) web[url] = pricePage(url);
    const { keepPage } = deps.monitors;
    deps.monitors.keepPage = async (...page) => {
      clock.advance(3 * MINUTE_MS);
      return await keepPage(...page);
    };
    const id = await create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    expect(await run(id)).toMatchObject({ status: "completed", actualCredits: 5, summary: { new: 5 } });
  });

  test("that is cut off before its page is stored is repeated, and the page is paid once", async () => {
    const { create, start, drain, runs, deps, readCheck } = monitorService();
    const id = await create({ ...PRICES, schedule: { text: "weekly" } });
    const checkId = await start(id);
    const { keepPage } = deps.monitors;
    deps.monitors.keepPage = async () => Promise.reject(new Error("cut off"));
    await expect(drain()).rejects.toThrow("cut off");
    const used = async () => {
      const [key] = await deps.keys.listAll();
      return (await deps.keyLedger.usage(key?.id ?? "")).creditsUsed;
    };
    expect(await used()).toBe(1);
    expect((await readCheck(id, checkId)).status).toBe("running");
    deps.monitors.keepPage = keepPage;
    runs.push(checkId);
    await drain();
    expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", actualCredits: 1 });
    expect(await used()).toBe(1);
  });
});

test("a check whose turns are cut off time and again comes to an end", async () => {
  const { create, start, run, stepJobs, readCheck, drain } = monitorService();
  const id = await create();
  const checkId = await start(id);
  for (let run = 0; run < 5; run++) await stepJobs.beginRun(checkId);
  await drain();
  expect(await readCheck(id, checkId)).toMatchObject({
    status: "failed",
    error: expect.stringMatching(/interrupted repeatedly .*\(JOB_INTERRUPTED\)/),
  });
  expect((await run(id)).status).toBe("completed");
});

test("a page whose credits cannot be taken now is read by the next run", async () => {
  const { create, start, drain, runs, deps, readCheck } = monitorService();
  const id = await create();
  const checkId = await start(id);
  const { holdOnce } = deps.keyLedger;
  deps.keyLedger.holdOnce = () => Promise.reject(new AppError("SERVICE_UNAVAILABLE"));
  await expect(drain()).rejects.toThrow("not ready");
  Object.assign(deps.keyLedger, { holdOnce });
  runs.push(checkId);
  await drain();
  expect(await readCheck(id, checkId)).toMatchObject({ status: "completed", actualCredits: 1 });
});
