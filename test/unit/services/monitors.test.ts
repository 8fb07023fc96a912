import { describe, expect, test } from "vitest";
import { Meter } from "../../../src/core/meter.ts";
import type { Task } from "../../../src/core/task.ts";
import type { Engine } from "../../../src/engines/engine.ts";
import { runTask } from "../../../src/services/run-task.ts";
import { createMonitorStore } from "../../../src/storage/monitors.ts";
import { fixedClock } from "../../fakes/fixed-clock.ts";
import { emptyPageCache, memoryFiles, memoryScrapes } from "../../fakes/memory-scrapes.ts";
import { nodeD1 } from "../../fakes/node-d1.ts";
import { scriptedHttp } from "../../fakes/scripted-http.ts";
import { testApp } from "../../fakes/test-app.ts";
import { testDeps } from "../../fakes/test-deps.ts";

const PRICES = {
  name: "Prices",
  schedule: { text: "hourly" },
  targets: [{ type: "scrape", urls: ["https://a.example/"] }],
};
const HOOK = "https://hook.example/in";

function html(words: string): string {
  return `<title>Prices</title><article><h1>Prices</h1>${"<p>The catch of the day, weighed at the quay.</p>".repeat(12)}<p>${words}</p></article>`;
}

/** A service whose one page says what it is told to, and whose queue is worked off by hand. */
function house(creditsPerMonth?: number) {
  const clock = fixedClock();
  const page = { words: "Cod costs 4", statusCode: 200 };
  const engine: Engine = {
    engine: "fetch",
    provides: new Set(),
    load: async ({ url }) => ({
      kind: "loaded",
      page: { engine: "fetch", url, statusCode: page.statusCode, headers: {}, contentType: "text/html", body: html(page.words), warnings: [] },
    }),
  }; // prettier-ignore
  const queue: Task[] = [];
  const http = scriptedHttp({ [HOOK]: "" });
  const deps = testDeps({
    clock,
    http,
    engines: [engine],
    scrapes: memoryScrapes(),
    pageCache: emptyPageCache(),
    files: memoryFiles(),
    monitors: createMonitorStore(nodeD1("0040_monitors.sql"), new Meter()),
    failedWebhooks: { insert: async () => {}, remove: async () => {}, list: async () => [], find: async () => undefined, findOfJob: async () => [], purge: async () => 0 } as never,
    tasks: { send: async (task) => void queue.push(task) },
    defer: (work) => void work.catch(() => undefined),
    settings: { creditsPerMonth },
  }); // prettier-ignore
  const { ask, post } = testApp(deps);
  const drain = async (): Promise<void> => {
    for (let task = queue.shift(); task !== undefined; task = queue.shift()) await runTask(deps, task);
  };
  const read = async (path: string) => (await ask(path)).json() as Promise<any>; // oxlint-disable-line no-explicit-any
  const create = async (body: object = PRICES): Promise<string> =>
    ((await (await post("/v2/monitor", body)).json()) as { data: { id: string } }).data.id;
  const run = async (id: string) => {
    const { id: checkId } = (await (await post(`/v2/monitor/${id}/run`, {})).json()) as { id: string };
    await drain();
    return (await read(`/v2/monitor/${id}/checks/${checkId}`)).data;
  };
  const cron = () => runTask(deps, { type: "run_due_monitors" });
  return { clock, page, queue, http, deps, ask, post, drain, read, create, run, cron };
}

describe("a monitor", () => {
  test("finds a page new, then the same, then changed with a diff", async () => {
    const { create, run, page } = house();
    const id = await create();
    const first = await run(id);
    expect(first).toMatchObject({
      status: "completed",
      trigger: "manual",
      actualCredits: 1,
      summary: { totalPages: 1, new: 1 },
    });
    expect((await run(id)).summary).toMatchObject({ same: 1, totalPages: 1 });
    page.words = "Cod costs 9";
    const { summary, pages } = await run(id);
    expect(summary).toMatchObject({ changed: 1 });
    expect(pages[0].diff.text).toContain("-Cod costs 4");
    expect(pages[0].diff.text).toContain("+Cod costs 9");
    expect(pages[0].previousScrapeId).toMatch(/^[0-9a-f-]{36}$/);
    page.statusCode = 500;
    expect(await run(id)).toMatchObject({ status: "failed", summary: { error: 1 } });
  });

  test("is checked once by a cron that fires twice, also at the same time, and again an hour later", async () => {
    const { create, cron, clock, drain, read } = house();
    const id = await create();
    await cron();
    const checks = async () => (await read(`/v2/monitor/${id}/checks`)).data;
    expect(await checks()).toEqual([]);
    clock.advance(3_600_000);
    await Promise.all([cron(), cron()]);
    await cron();
    expect(await checks()).toMatchObject([
      { status: "queued", trigger: "scheduled", scheduledFor: "2026-11-21T13:00:00.000Z" },
    ]);
    await drain();
    expect((await read(`/v2/monitor/${id}`)).data).toMatchObject({
      nextRunAt: "2026-11-21T14:00:00.000Z",
      lastCheckSummary: { new: 1 },
      currentCheckId: null,
    });
    clock.advance(3_600_000);
    await cron();
    await drain();
    expect((await checks()).map(({ status }: { status: string }) => status)).toEqual(["completed", "completed"]);
  });

  test("skips a run while a check is running, and takes up a check whose task was lost", async () => {
    const { create, cron, clock, drain, read, queue } = house();
    const id = await create();
    clock.advance(3_600_000);
    await cron();
    queue.length = 0;
    clock.advance(3_600_000);
    await cron();
    const statuses = async () =>
      (await read(`/v2/monitor/${id}/checks`)).data.map(({ status }: { status: string }) => status);
    expect(await statuses()).toEqual(["skipped_overlap", "queued"]);
    await drain();
    expect(await statuses()).toEqual(["skipped_overlap", "completed"]);
  });

  test("tells its webhook of each page and of the end, and not again when a task comes twice", async () => {
    const { create, run, http, deps } = house();
    const id = await create({ ...PRICES, webhook: { url: HOOK } });
    const check = await run(id);
    await runTask(deps, { type: "check_monitor", checkId: check.id });
    const told = http.seen.map(({ body }) => JSON.parse(new TextDecoder().decode(body as Uint8Array)));
    expect(told.map(({ type }) => type)).toEqual(["monitor.page", "monitor.check.completed"]);
    expect(told[0].data).toMatchObject([
      { monitorId: id, checkId: check.id, status: "new", url: "https://a.example/" },
    ]);
    expect(told[1].data).toMatchObject([{ status: "completed", summary: { new: 1 } }]);
  });

  test("skips a check that its key cannot pay for", async () => {
    const { create, run } = house(1);
    const id = await create({
      ...PRICES,
      targets: [{ type: "scrape", urls: ["https://a.example/", "https://b.example/"] }],
    });
    expect(await run(id)).toMatchObject({ status: "skipped_no_credits", actualCredits: 0 });
  });

  test("is listed, paused, resumed and deleted", async () => {
    const { create, ask, read, post } = house();
    const id = await create({ ...PRICES, goal: "Cheaper cod" });
    const patch = (body: object) =>
      ask(`/v2/monitor/${id}`, {
        method: "PATCH",
        body: JSON.stringify(body),
        headers: { "Content-Type": "application/json" },
      });
    expect((await patch({})).status).toBe(400);
    expect(await (await patch({ status: "paused" })).json()).toMatchObject({
      data: { status: "paused", nextRunAt: null },
      warning: expect.stringContaining("not judged"),
    });
    expect((await post(`/v2/monitor/${id}/run`, {})).status).toBe(409);
    await patch({ status: "active" });
    expect((await post(`/v2/monitor/${id}/run`, {})).status).toBe(200);
    const busy = await post(`/v2/monitor/${id}/run`, {});
    expect([busy.status, await busy.json()]).toMatchObject([409, { checkId: expect.any(String) }]);
    expect((await read("/v2/monitor")).data).toMatchObject([{ id, schedule: { cron: "0 * * * *", timezone: "UTC" } }]);
    expect((await ask(`/v2/monitor/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await ask(`/v2/monitor/${id}`)).status).toBe(404);
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
  ])("is refused with %s", async (_why, more) => {
    const { post } = house();
    expect((await post("/v2/monitor", { ...PRICES, ...more })).status).toBe(400);
  });
});
