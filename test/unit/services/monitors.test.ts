import { describe, expect, test } from "vitest";
import { sendMonitorEvents } from "../../../src/services/monitors/monitor-events.ts";
import { HOOK, monitorService, PRICES, PRICES_URL, pricePage } from "../../fakes/services/monitor-service.ts";

const HOUR_MS = 3_600_000;

describe("a monitor", () => {
  test("finds a page new, then the same, then changed with a diff", async () => {
    const { create, run, web } = monitorService();
    const id = await create();
    expect(await run(id)).toMatchObject({
      status: "completed",
      trigger: "manual",
      actualCredits: 1,
      summary: { totalPages: 1, new: 1 },
    });
    expect((await run(id)).summary).toMatchObject({ same: 1, totalPages: 1 });
    web[PRICES_URL] = pricePage("Cod costs 9");
    const { summary, pages } = await run(id);
    expect(summary).toMatchObject({ changed: 1 });
    expect(pages[0]?.diff?.text).toContain("-Cod costs 4");
    expect(pages[0]?.diff?.text).toContain("+Cod costs 9");
    expect(pages[0]?.previousScrapeId).toMatch(/^[0-9a-f-]{36}$/);
    web[PRICES_URL] = { status: 500, body: pricePage("Oh") };
    expect(await run(id)).toMatchObject({ status: "failed", error: "No page could be read", summary: { error: 1 } });
  });

  test("is checked once by a cron that fires twice, also at the same time, and again an hour later", async () => {
    const { create, cron, clock, drain, checks, monitor } = monitorService();
    const id = await create();
    await cron();
    expect(await checks(id)).toEqual([]);
    clock.advance(HOUR_MS);
    await Promise.all([cron(), cron()]);
    await cron();
    expect(await checks(id)).toMatchObject([
      { status: "queued", trigger: "scheduled", scheduledFor: "2026-11-21T13:00:00.000Z" },
    ]);
    await drain();
    expect(await monitor(id)).toMatchObject({
      nextRunAt: "2026-11-21T14:00:00.000Z",
      lastCheckSummary: { new: 1 },
      currentCheckId: null,
    });
    clock.advance(HOUR_MS);
    await cron();
    await drain();
    expect((await checks(id)).map(({ status }) => status)).toEqual(["completed", "completed"]);
  });

  test("skips a run while a check is running, says so, and takes up a check whose task was lost", async () => {
    const { create, cron, clock, drain, checks, queue, told } = monitorService();
    const id = await create({ ...PRICES, webhook: { url: HOOK, events: ["check.completed"] } });
    clock.advance(HOUR_MS);
    await cron();
    queue.length = 0;
    clock.advance(HOUR_MS);
    await cron();
    const statuses = async () => (await checks(id)).map(({ status }) => status);
    expect(await statuses()).toEqual(["skipped_overlap", "queued"]);
    expect(told()).toMatchObject([
      { type: "monitor.check.completed", data: [{ status: "skipped_overlap", summary: { totalPages: 0 } }] },
    ]);
    await drain();
    expect(await statuses()).toEqual(["skipped_overlap", "completed"]);
  });

  test("skips a check that its key cannot pay for", async () => {
    const { create, run } = monitorService({ creditsPerMonth: 1 });
    const targets = [{ type: "scrape", urls: [PRICES_URL, "https://b.example/"] }];
    const id = await create({ ...PRICES, targets });
    expect(await run(id)).toMatchObject({
      status: "skipped_no_credits",
      actualCredits: 0,
      error: "The check is expected to take 2 credits, and its key has 1 left (INSUFFICIENT_CREDITS)",
    });
  });

  test("is listed, paused, resumed and deleted", async () => {
    const { create, ask, read, post, patch } = monitorService();
    const id = await create({ ...PRICES, goal: "Cheaper cod" });
    expect((await patch(id, {})).status).toBe(400);
    expect(await (await patch(id, { status: "paused" })).json()).toMatchObject({
      data: { status: "paused", nextRunAt: null },
      warning: expect.stringContaining("not judged"),
    });
    expect((await post(`/v2/monitor/${id}/run`, {})).status).toBe(409);
    await patch(id, { status: "active" });
    expect((await post(`/v2/monitor/${id}/run`, {})).status).toBe(200);
    const busy = await post(`/v2/monitor/${id}/run`, {});
    expect([busy.status, await busy.json()]).toMatchObject([409, { checkId: expect.any(String) }]);
    expect((await read("/v2/monitor")).data).toMatchObject([{ id, schedule: { cron: "0 * * * *", timezone: "UTC" } }]);
    expect((await ask(`/v2/monitor/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await ask(`/v2/monitor/${id}`)).status).toBe(404);
  });

  test("that is deleted while it is checked reads no further page", async () => {
    const { create, start, drain, deps, ask, database, web } = monitorService();
    const urls = Array.from({ length: 4 }, (_, place) => `https://a.example/${place}`);
    for (const url of urls) web[url] = pricePage(url);
    const id = await create({ ...PRICES, targets: [{ type: "scrape", urls }] });
    const loaded: string[] = [];
    const [engine] = deps.engines;
    const load = engine?.load.bind(engine);
    if (engine === undefined || load === undefined) throw new Error("No engine");
    engine.load = async (request, ...rest) => {
      loaded.push(request.url);
      if (loaded.length === 1) await ask(`/v2/monitor/${id}`, { method: "DELETE" });
      return await load(request, ...rest);
    };
    await start(id);
    await drain();
    expect(loaded).toEqual(urls.slice(0, 1));
    for (const table of ["monitor_checks", "monitor_pages", "monitor_states", "monitor_events"]) {
      expect((await database.prepare(`SELECT * FROM ${table}`).run()).results).toEqual([]);
    }
  });

  test("keeps the run that the cron has moved on while it was being changed", async () => {
    const { create, clock, cron, patch, monitor, deps } = monitorService();
    const id = await create();
    clock.advance(HOUR_MS);
    const { update } = deps.monitors;
    deps.monitors.update = async (...change) => {
      await cron();
      return await update(...change);
    };
    await patch(id, { name: "Fish", retentionDays: 7 });
    expect(await monitor(id)).toMatchObject({
      name: "Fish",
      retentionDays: 7,
      nextRunAt: "2026-11-21T14:00:00.000Z",
      schedule: { cron: "0 * * * *", timezone: "UTC" },
      currentCheckId: expect.any(String),
    });
  });

  /** Makes one change between the moment when another reads the monitor and that when it writes it. */
  function inBetween({ deps, patch }: ReturnType<typeof monitorService>, id: string, change: object): void {
    const { update } = deps.monitors;
    deps.monitors.update = async (...first) => {
      deps.monitors.update = update;
      await patch(id, change);
      return await update(...first);
    };
  }

  test("takes two changes at the same time, of which neither undoes the other", async () => {
    const service = monitorService();
    const { create, patch, monitor } = service;
    const id = await create({ ...PRICES, goal: "Cheaper cod" });
    inBetween(service, id, { name: "Fish", webhook: { url: HOOK }, goal: null });
    await patch(id, { retentionDays: 7 });
    expect(await monitor(id)).toMatchObject({
      name: "Fish",
      goal: null,
      webhook: { url: HOOK },
      retentionDays: 7,
      targets: PRICES.targets,
    });
  });

  test.each([
    { change: { schedule: { text: "daily" } }, meanwhile: { status: "paused" }, nextRunAt: null },
    { change: { status: "active" }, meanwhile: { status: "paused" }, nextRunAt: "2026-11-21T13:00:00.000Z" },
    { change: { status: "active" }, meanwhile: { schedule: { text: "daily" } }, nextRunAt: "2026-11-22T00:00:00.000Z" },
  ])("runs next at $nextRunAt after $change that met $meanwhile", async ({ change, meanwhile, nextRunAt }) => {
    const service = monitorService();
    const id = await service.create();
    inBetween(service, id, meanwhile);
    await service.patch(id, change);
    expect((await service.monitor(id)).nextRunAt).toBe(nextRunAt);
  });

  test("that cannot be begun holds up no other", async () => {
    const { create, cron, clock, checks, database } = monitorService();
    const [broken, other] = [await create(), await create()];
    const unknownZone =
      "UPDATE monitors SET config = replace(config, 'UTC', 'Sea/Deep'), next_run_at_ms = 1 WHERE id = ?";
    await database.prepare(unknownZone).bind(broken).run();
    clock.advance(HOUR_MS);
    await expect(cron()).rejects.toThrow("Sea/Deep");
    expect([(await checks(broken)).length, (await checks(other)).length]).toEqual([0, 1]);
  });

  test("follows a new schedule from its change on", async () => {
    const { create, patch } = monitorService();
    const id = await create();
    const change = { schedule: { text: "daily at 9am", timezone: "America/New_York" } };
    expect(await (await patch(id, change)).json()).toMatchObject({
      data: { nextRunAt: "2026-11-21T14:00:00.000Z", schedule: { cron: "0 9 * * *", timezone: "America/New_York" } },
    });
  });

  test.each([
    ["two schedules", { schedule: { text: "hourly", cron: "0 * * * *" } }],
    ["runs that are too close", { schedule: { cron: "* * * * *" } }],
    ["a cron of six fields", { schedule: { cron: "0 0 * * * *" } }],
    ["a schedule in words it does not know", { schedule: { text: "now and then" } }],
    ["an unknown time zone", { schedule: { text: "hourly", timezone: "Sea/Deep" } }],
    ["mail", { notification: { email: { enabled: true } } }],
    ["an unknown key", { colour: "red" }],
    ["no targets", { targets: [] }],
    ["a search without a goal", { targets: [{ type: "search", queries: ["cod"] }] }],
    [
      "targets that no row holds",
      {
        targets: Array.from({ length: 20 }, () => ({ type: "crawl", url: `https://a.example/${"a".repeat(60_000)}` })),
      },
    ],
  ])("is refused with %s", async (_why, more) => {
    const { post } = monitorService();
    expect((await post("/v2/monitor", { ...PRICES, ...more })).status).toBe(400);
  });

  test("says which of a search's windows it widens", async () => {
    const { post, patch } = monitorService();
    const targets = [{ type: "search", queries: ["cod"], searchWindow: "5m" }];
    const made = (await (await post("/v2/monitor", { ...PRICES, targets, judgeEnabled: false })).json()) as {
      data: { id: string };
    };
    expect(made).toMatchObject({ warning: expect.stringMatching(/^searchWindow: 5m .* 1h/) });
    const wider = await patch(made.data.id, { targets: [{ ...targets[0], searchWindow: "1h" }] });
    expect(await wider.json()).not.toHaveProperty("warning");
  });
});

describe("the webhook of a monitor", () => {
  const HEARD = { ...PRICES, webhook: { url: HOOK } };

  test("hears of each page and of the end, and not again when a task comes twice", async () => {
    const { create, run, runCheck, told } = monitorService();
    const id = await create(HEARD);
    const check = await run(id);
    await runCheck(check.id);
    expect(told()).toMatchObject([
      { type: "monitor.page", data: [{ monitorId: id, checkId: check.id, status: "new", url: PRICES_URL }] },
      { type: "monitor.check.completed", data: [{ status: "completed", summary: { new: 1 } }] },
    ]);
  });

  test.each(["monitor.check.completed", "check.completed", "check", "completed"])(
    "hears of the end by the name %s",
    async (event) => {
      const { create, run, told } = monitorService();
      await run(await create({ ...HEARD, webhook: { url: HOOK, events: [event] } }));
      expect(told()).toMatchObject([{ type: "monitor.check.completed" }]);
    },
  );

  test("hears once of a check that two runs end at the same time", async () => {
    const { create, run, deps, database } = monitorService();
    const id = await create({ ...HEARD, webhook: { url: HOOK, events: ["check.completed"] } });
    const { id: checkId } = await run(id);
    const check = await deps.monitors.findCheck(checkId);
    if (check === undefined) throw new Error("No check");
    const summary = { totalPages: 1, same: 0, changed: 0, new: 1, removed: 0, error: 0 };
    const event = { webhookId: "again", event: "check.completed" as const, data: {} };
    await deps.monitors.finishCheck(check, { status: "failed", summary, event, nowMs: deps.clock.now() });
    expect((await deps.monitors.findCheck(checkId))?.status).toBe("completed");
    expect((await database.prepare("SELECT * FROM monitor_events").run()).results).toEqual([]);
  });

  test("hears of a page once that two runs read at the same time", async () => {
    const { create, run, deps, database } = monitorService();
    const id = await create(HEARD);
    const { id: checkId, pages } = await run(id);
    const check = await deps.monitors.findCheck(checkId);
    const [page] = pages;
    if (check === undefined || page === undefined) throw new Error("No page");
    const event = { webhookId: "again", event: "page" as const, data: {} };
    const state = { targetId: page.targetId, url: page.url, scrapeId: null, textHash: "", text: "other" };
    const extra = { credits: 1, state, revision: undefined, event, nowMs: deps.clock.now() };
    await deps.monitors.keepPage(check, { ...page, id: "other" }, extra);
    expect((await database.prepare("SELECT * FROM monitor_events").run()).results).toEqual([]);
    expect((await deps.monitors.state(id, { ...page, revision: undefined }))?.state?.text).not.toBe("other");
    expect((await deps.monitors.findCheck(checkId))?.actualCredits).toBe(1);
  });

  test("hears of each event once when two runs send the events of a check at the same time", async () => {
    const { create, run, web, cron, clock, told, deps, read } = monitorService();
    const id = await create({ ...HEARD, webhook: { url: HOOK, events: ["page"] } });
    web[HOOK] = { status: 500 };
    const { id: checkId } = await run(id);
    const sendTwice = () => Promise.all([sendMonitorEvents(deps, checkId), sendMonitorEvents(deps, checkId)]);
    for (const minutes of [1, 5, 15]) {
      clock.advance(minutes * 60_000);
      await sendTwice();
    }
    expect(told()).toHaveLength(4);
    expect((await read("/v2/team/webhooks/failed")).data).toMatchObject([{ attempts: 4 }]);

    // A run that stops after it has taken an event leaves it to a later one.
    web[HOOK] = "";
    await deps.monitors.replayEvents(checkId, undefined, deps.clock.now());
    expect(await deps.monitors.takeEvents(checkId, deps.clock.now(), 20)).toHaveLength(1);
    await sendMonitorEvents(deps, checkId);
    const before = told().length;
    clock.advance(60_000);
    await cron();
    expect(told()).toHaveLength(before + 1);
  });

  test("hears of a new event when the outcome of an earlier one that had its number is reported again", async () => {
    const { deps, database } = monitorService();
    const { monitors, clock } = deps;
    const add = async (webhookId: string) =>
      await database
        .prepare(
          `INSERT INTO monitor_events (check_id, monitor_id, webhook_id, event, content, attempts, due_at_ms)
             VALUES ('check', 'monitor', ?, 'page', '{}', 0, 0)`,
        )
        .bind(webhookId)
        .run();
    const take = async () => await monitors.takeEvents("check", clock.now(), 20);
    for (const kind of ["delivered", "failed"] as const) {
      await add("first");
      const notes = (await take()).map((entry) => ({ ...entry, kind }));
      await monitors.noteSent(notes.map((note) => ({ ...note, kind: "delivered" })), clock.now()); // prettier-ignore
      await add("second");
      await monitors.noteSent(notes, clock.now());
      expect(await take()).toMatchObject([{ entryId: notes[0]?.entryId, webhookId: "second", attempts: 0 }]);
      await monitors.dropEvents("check");
    }
  });

  test("that does not answer is tried four times; then its events are listed, and sent again on request", async () => {
    const { create, run, web, cron, clock, told, read, post } = monitorService();
    const id = await create({ ...HEARD, webhook: { url: HOOK, events: ["page"] } });
    web[HOOK] = { status: 500 };
    const { id: checkId } = await run(id);
    for (const minutes of [1, 5, 15, 60]) {
      clock.advance(minutes * 60_000);
      await cron();
    }
    expect(told()).toHaveLength(4);
    const failed = "/v2/team/webhooks/failed";
    const [webhookId] = new Set(told().map((each) => each.webhookId));
    expect((await read(failed)).data).toMatchObject([
      { id: webhookId, jobId: checkId, type: "monitor.page", attempts: 4, statusCode: 500 },
    ]);
    web[HOOK] = "";
    expect(await (await post(`/v2/team/webhooks/${webhookId}/replay`, {})).json()).toMatchObject({ replayed: 1 });
    await cron();
    expect(told()).toHaveLength(5);
    expect((await read(failed)).data).toEqual([]);
    const again = await post("/v2/team/webhooks/replay", { jobId: checkId });
    expect(await again.json()).toEqual({ success: true, replayed: 0 });
  });

  test("that was removed leaves no event behind: they are listed as given up", async () => {
    const { create, run, web, patch, cron, clock, read, deps } = monitorService();
    const id = await create(HEARD);
    web[HOOK] = { status: 500 };
    await run(id);
    await patch(id, { webhook: null });
    clock.advance(HOUR_MS);
    await cron();
    const given = { url: "", attempts: 1, error: "The monitor no longer has a webhook" };
    expect((await read("/v2/team/webhooks/failed")).data).toMatchObject([
      { type: "monitor.check.completed", ...given },
      { type: "monitor.page", ...given },
    ]);
    expect(await deps.monitors.checksWithEvents(clock.now() + 24 * HOUR_MS, 10)).toEqual([]);
  });

  test("and its pages are not the service itself, under the host that it was reached under", async () => {
    const { create, run, web, cron, clock, deps, http } = monitorService();
    const asked: (readonly string[])[] = [];
    const [engine] = deps.engines;
    const load = engine?.load.bind(engine);
    if (engine === undefined || load === undefined) throw new Error("No engine");
    engine.load = async (request, ...rest) => {
      asked.push(request.ownHosts);
      return await load(request, ...rest);
    };
    deps.settings.ownHosts = ["service.example:443"];
    const id = await create(HEARD);
    deps.settings.ownHosts = [];
    web[HOOK] = { status: 500 };
    await run(id);
    clock.advance(HOUR_MS / 60);
    await cron();
    asked.push(...http.seen.map(({ ownHosts = [] }) => ownHosts));
    expect(asked.length).toBeGreaterThan(4);
    expect(new Set(asked.map((hosts) => hosts.join()))).toEqual(new Set(["service.example:443"]));
  });

  test("hears that the key which paid is no longer valid", async () => {
    const { create, start, drain, keys, told, deps, clock } = monitorService();
    const id = await create(HEARD);
    await start(id);
    const [key] = await keys.listAll();
    await keys.revoke(key?.id ?? "", clock.now());
    await drain();
    expect(told()).toMatchObject([{ type: "monitor.check.completed", data: [{ monitorId: id, status: "failed" }] }]);
    expect(await deps.monitors.checksWithEvents(clock.now() + 24 * HOUR_MS, 10)).toEqual([]);
  });
});
