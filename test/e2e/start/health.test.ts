import { expect, test } from "vitest";
import { call, sitePage } from "../client.ts";
import { inject } from "../inject.ts";
import { isRunning } from "../../../src/tools/process/process-family.ts";
import { processorTicks, sandboxProcesses } from "../sessions/sandbox-processes.ts";

test("the service finds everything that it works with", async () => {
  const response = await fetch(`${inject("serviceUrl")}/health/ready`);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: "ready",
    checks: { database: "ok", bucket: "ok", durableObjects: "ok", queues: "ok", browser: "ok" },
  });
});

test("other requests are answered while a large page is converted, which a process of its own does", async () => {
  const ended: string[] = [];
  const scrape = async (page: string) => {
    const { status, body } = await call("/v2/scrape", { body: { url: sitePage(page), maxAge: 0, fastMode: true } });
    ended.push(page);
    return { status, body };
  };
  // The first page starts a process.
  expect(await scrape("/many-links?n=12000")).toMatchObject({ status: 200 });
  const started = new Map(sandboxProcesses(process.ppid).map((pid) => [pid, processorTicks(pid)]));
  expect(started.size).toBeGreaterThan(0);
  const large = scrape("/many-links?n=110000");
  // Processes of other lanes may work as well.
  const working = () =>
    [...started].filter(([pid, ticks]) => isRunning(pid) && processorTicks(pid) > ticks + 10).length;
  await expect.poll(working, { interval: 5, timeout: 10_000 }).toBeGreaterThan(0);
  expect((await fetch(`${inject("serviceUrl")}/health`)).status).toBe(200);
  ended.push("health");
  expect(await scrape("/final")).toMatchObject({ status: 200 });
  const { status, body } = await large;
  expect(status).toBe(200);
  expect(body.data.markdown).toContain("[Page 110000]");
  expect(ended).toEqual(["/many-links?n=12000", "health", "/final", "/many-links?n=110000"]);
}, 60_000);
