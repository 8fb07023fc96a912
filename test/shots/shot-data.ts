import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Shot } from "./scenes.ts";

/** Time in ms within which a job of the sample data ends. */
const JOB_MS = 60_000;
const POLL_MS = 500;

export interface ServiceAccess {
  url: string;
  key: string;
}

/**
 * Makes jobs, sessions and usage to look at.
 * @param siteUrl Origin of the test site.
 * @returns views of what was made, by name
 */
export async function shotData(service: ServiceAccess, siteUrl: string): Promise<Shot[]> {
  const ask = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as { id?: string; status?: string; data?: { id: string; status?: string }[] };
  };
  const until = Date.now() + JOB_MS;
  const settled = async (isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  };
  for (const path of ["/articles/seagrass", "/articles/bell-foundry", "/missing"]) {
    await ask("/v2/scrape", { url: `${siteUrl}${path}` });
  }
  await ask("/v2/map", { url: siteUrl });
  const crawl = await ask("/v2/crawl", { url: `${siteUrl}/`, limit: 40, webhook: await receiver() });
  const batch = await ask("/v2/batch/scrape", { urls: [`${siteUrl}/articles/seagrass`, `${siteUrl}/missing`] });
  const monitors = [
    { name: "Harbour notices", url: `${siteUrl}/articles/seagrass`, checks: 1 },
    { name: "Fish prices", url: `${siteUrl}/changing?key=shots`, checks: 2 },
  ];
  const monitorIds: string[] = [];
  for (const { name, url, checks } of monitors) {
    const created = await ask("/v2/monitor", {
      name,
      schedule: { text: "daily" },
      targets: [{ type: "scrape", urls: [url], scrapeOptions: { formats: ["markdown", "screenshot"] } }],
    });
    const { id } = created.data as unknown as { id: string };
    monitorIds.push(id);
    for (let check = 1; check <= checks; check++) {
      await ask(`/v2/monitor/${id}/run`, {});
      await settled(async () => {
        const { data = [] } = await ask(`/v2/monitor/${id}/checks`);
        return data.length >= check && data.every(({ status }) => !["queued", "running"].includes(status ?? ""));
      });
    }
  }
  const recorded = await ask("/v2/browser", { name: "Checkout test", recordSession: true });
  const active = await ask("/v2/browser", { name: "Harbour log", recordSession: true });
  for (const { id } of [recorded, active]) {
    await ask(`/v2/browser/${id}/execute`, { code: `await page.goto(${JSON.stringify(`${siteUrl}/articles/`)})` });
  }
  await ask(`/v2/browser/${recorded.id}`, undefined, "DELETE");
  await settled(async () => (await ask(`/v2/crawl/${crawl.id}`)).status !== "scraping");
  return [
    { name: "crawl", url: `/#/jobs/${crawl.id}` },
    { name: "batch", url: `/#/jobs/${batch.id}` },
    {
      name: "crawl-urls",
      url: `/#/jobs/${crawl.id}`,
      prepare: (page) => page.getByRole("tab", { name: /All URLs/ }).click(),
    },
    {
      name: "batch-errors",
      url: `/#/jobs/${batch.id}`,
      prepare: (page) => page.getByRole("tab", { name: /Errors/ }).click(),
    },
    { name: "monitor-unchanged", url: `/#/monitors/${monitorIds[0]}` },
    { name: "monitor-changed", url: `/#/monitors/${monitorIds[1]}` },
    { name: "session-active", url: `/#/sessions/${active.id}` },
    { name: "session-ended", url: `/#/sessions/${recorded.id}` },
    { name: "session-create", url: "/#/sessions?new" },
  ];
}

/** Returns the URL of a receiver of webhooks that refuses each third event. */
async function receiver(): Promise<string> {
  let events = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(++events % 3 === 0 ? 503 : 200).end("{}"));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/orbweaver`;
}
