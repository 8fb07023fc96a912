import { Firecrawl } from "firecrawl";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { fresh, sitePage } from "../client.ts";

const client = (): Firecrawl => new Firecrawl({ apiKey: inject("apiKey"), apiUrl: inject("serviceUrl") });

test("a monitor is made, run, read and deleted with the SDK", async () => {
  const firecrawl = client();
  const url = sitePage(fresh("/articles/seagrass"));
  const monitor = await firecrawl.createMonitor({
    name: "Seagrass",
    schedule: { text: "every 30 minutes", timezone: "Europe/Berlin" },
    targets: [{ type: "scrape", urls: [url] }],
  });
  expect(monitor).toMatchObject({ status: "active", schedule: { cron: "*/30 * * * *", timezone: "Europe/Berlin" } });
  const run = async () => {
    const { id } = await firecrawl.runMonitor(monitor.id);
    const isOver = async () =>
      !["queued", "running"].includes((await firecrawl.getMonitorCheck(monitor.id, id)).status);
    await expect.poll(isOver, { timeout: 30_000 }).toBe(true);
    return await firecrawl.getMonitorCheck(monitor.id, id);
  };
  expect(await run()).toMatchObject({
    status: "completed",
    summary: { new: 1 },
    pages: [{ url, status: "new", statusCode: 200 }],
  });
  expect(await run()).toMatchObject({ status: "completed", summary: { same: 1 }, pages: [{ url, status: "same" }] });
  expect(await firecrawl.listMonitorChecks(monitor.id)).toHaveLength(2);
  expect((await firecrawl.listMonitors()).map(({ id }) => id)).toContain(monitor.id);
  expect((await firecrawl.updateMonitor(monitor.id, { status: "paused" })).status).toBe("paused");
  await expect(firecrawl.runMonitor(monitor.id)).rejects.toThrow("paused");
  const cron = await fetch(
    `${inject("serviceUrl")}/cdn-cgi/local/scheduled?cron=${encodeURIComponent("*/5 * * * *")}`,
    {
      headers: { "X-Orbweaver-Local-Token": inject("localToken") },
    },
  );
  expect(cron.status).toBe(200);
  expect(await firecrawl.deleteMonitor(monitor.id)).toBe(true);
  await expect(firecrawl.getMonitor(monitor.id)).rejects.toThrow("Monitor not found");
}, 90_000);

test("a monitor of fields keeps the data of each page, and its goal is judged or named as not judged", async () => {
  const firecrawl = client();
  const schema = { type: "object", properties: { title: { type: "string" } } };
  const monitor = await firecrawl.createMonitor({
    name: "Title",
    schedule: { text: "hourly" },
    goal: "A new title",
    targets: [
      {
        type: "scrape",
        urls: [sitePage(fresh("/articles/seagrass"))],
        scrapeOptions: { formats: [{ type: "changeTracking", modes: ["json", "git-diff"], schema }] },
      },
    ],
  });
  expect(monitor).toMatchObject({ goal: "A new title", judgeEnabled: true });
  const { id } = await firecrawl.runMonitor(monitor.id);
  const check = async () => await firecrawl.getMonitorCheck(monitor.id, id);
  await expect.poll(check, { timeout: 30_000 }).toMatchObject({
    status: "completed",
    pages: [
      { status: "new", diff: null, judgment: null, snapshot: { json: { title: expect.stringMatching(/meadow/i) } } },
    ],
  });
  expect(await firecrawl.deleteMonitor(monitor.id)).toBe(true);
}, 60_000);
