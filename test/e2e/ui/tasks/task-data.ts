import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";
import { call, fresh, scraped, sitePage } from "../../client.ts";
import { inject } from "../../inject.ts";

/** What the people of the tasks find in their team, made once for all tasks. */
export interface TaskData {
  /** A crawl of `/docs/` without `/docs/api`. */
  crawlId: string;
  /** A batch of two pages, of which `missingUrl` failed. */
  batchId: string;
  missingUrl: string;
  /** A monitor of a price list, whose second check found changes. */
  monitor: { id: string; name: string };
  /** An endpoint whose first delivery failed, and that is well since. */
  hookUrl: string;
  /** A session that runs, and one that ended and was recorded, by their names. */
  activeSession: { id: string; name: string };
  endedSession: string;
  close(): Promise<void>;
}

const READY = { timeout: 180_000, interval: 250 };

export async function makeTaskData(): Promise<TaskData> {
  const missingUrl = "http://harbour.invalid/prices";
  const endedSession = "Checkout test";
  const hook = await startHook();
  const [crawlId, batchId, monitor, active] = await Promise.all([
    startJob("/v2/crawl", { url: sitePage("/docs/"), limit: 20, excludePaths: ["docs/api"] }),
    startJob("/v2/batch/scrape", { urls: [sitePage("/docs/install"), missingUrl] }),
    makeMonitor(),
    // A busy machine takes minutes until the tasks of sessions.
    openSession("Harbour log", { recordSession: false, ttl: 3_600, activityTtl: 3_600 }),
    openSession(endedSession, { recordSession: true }).then((id) => call(`/v2/browser/${id}`, { method: "DELETE" })),
    call("/v2/team/webhooks/test", { body: { url: hook.url } }),
    scraped("/articles/seagrass"),
    call("/v2/scrape", { body: { url: missingUrl } }),
    scrapeWithOtherKey(),
  ]);
  return {
    crawlId,
    batchId,
    missingUrl,
    monitor,
    hookUrl: hook.url,
    activeSession: { id: active, name: "Harbour log" },
    endedSession,
    close: async () => {
      await call(`/v2/browser/${active}`, { method: "DELETE" });
      hook.server.close();
    },
  };
}

/** One request of another key, which costs more than most. */
async function scrapeWithOtherKey(): Promise<void> {
  const service = { url: inject("serviceUrl"), key: inject("adminKey") };
  const { text } = await call("/v2/team/keys", { service, body: { name: "nightly crawl" } });
  const { key } = (JSON.parse(text) as { data: { key: string } }).data;
  const formats = [{ type: "json", prompt: "title" }];
  await call("/v2/scrape", { service: { ...service, key }, body: { url: sitePage("/articles/"), formats } });
}

/** Starts a job and waits for its end. @returns its id */
async function startJob(path: string, body: object): Promise<string> {
  const { id } = JSON.parse((await call(path, { body })).text) as { id: string };
  await vi.waitUntil(async () => {
    const { job } = JSON.parse((await call(`/v2/jobs/${id}`)).text) as { job: { status: string } };
    return !/running|queued/.test(job.status);
  }, READY);
  return id;
}

async function makeMonitor(): Promise<TaskData["monitor"]> {
  const name = "Catch of the day";
  const targets = [{ type: "scrape", urls: [sitePage(fresh("/changing"))] }];
  const { text } = await call("/v2/monitor", { body: { name, schedule: { text: "weekly" }, targets } });
  const { id } = (JSON.parse(text) as { data: { id: string } }).data;
  const ended = async (): Promise<number> => {
    const { data } = JSON.parse((await call(`/v2/monitor/${id}/checks`)).text) as { data: { status: string }[] };
    return data.filter(({ status }) => status === "completed").length;
  };
  for (const checks of [1, 2]) {
    await call(`/v2/monitor/${id}/run`, { method: "POST" });
    await vi.waitUntil(async () => (await ended()) === checks, READY);
  }
  return { id, name };
}

async function openSession(name: string, options: object): Promise<string> {
  const { id } = JSON.parse((await call("/v2/browser", { body: { name, ...options } })).text) as { id: string };
  const code = `await page.goto(${JSON.stringify(sitePage("/articles/"))})`;
  await call(`/v2/browser/${id}/execute`, { body: { code } });
  return id;
}

/** A receiver of webhooks that refuses its first request. */
async function startHook(): Promise<{ url: string; server: Server }> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      requests++;
      response.writeHead(requests === 1 ? 503 : 200, { "content-type": "application/json" });
      response.end(JSON.stringify({ received: requests }));
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, server };
}
