import { parseArgs } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { Receipt } from "../../src/core/account/receipt.ts";
import { startServiceProcess } from "./service-process.ts";
import { startLinkedSite, type LinkedSite } from "./load/linked-site.ts";
import { table } from "./load/table.ts";
import { costOf } from "./proc.ts";

const USAGE = `npm run bench -- incremental [--pages 1000] [--changed 30] [--sites etag,sitemap,none]
Crawls a site twice, the second time with since, after some of its pages have changed: a site with ETags, one with dates in its
sitemap, and one with neither. Prints what the site has sent, CPU, and what the platform would bill.`;

const SITES = ["etag", "sitemap", "none"] as const;
/** A job's costs are final when their sum has not changed for so long. */
const SETTLED_MS = 1_500;

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000" },
    changed: { type: "string", default: "30" },
    sites: { type: "string", default: "etag,sitemap,none" },
    help: { type: "boolean", default: false },
  },
});

interface Status {
  status: string;
  completed: number;
  creditsUsed: number;
  changes?: { new: number; changed: number; unchanged: number; removed: number };
  receipt: Receipt;
}

interface Service {
  url: string;
  key: string;
  pid: number;
}

if (values.help) console.log(USAGE);
else await compare(Number(values.pages), Number(values.changed));

async function compare(pages: number, changed: number): Promise<void> {
  const service = await startServiceProcess();
  const rows: (string | number)[][] = [];
  try {
    for (const dates of SITES.filter((site) => values.sites.split(",").includes(site))) {
      const site = await startLinkedSite(pages, dates);
      try {
        const first = await measure(service, site, { pages });
        rows.push([`${dates}: full crawl`, ...first.row]);
        await site.change(changed);
        const second = await measure(service, site, { pages, since: first.id });
        rows.push([`${dates}: since`, ...second.row]);
      } finally {
        await site.close();
      }
    }
  } finally {
    await service.stop();
  }
  const head = ["crawl", "requests", "304", "MB", "s", "CPU s", "DO rows", "D1 rows", "R2 writes", "R2 reads", "credits", "$ per 1,000", "new/changed/unchanged/removed"]; // prettier-ignore
  console.log(table(head, rows));
}

async function measure(
  service: Service,
  site: LinkedSite,
  { pages, since }: { pages: number; since?: string },
): Promise<{ id: string; row: (string | number)[] }> {
  await site.served();
  const { result, cost } = await costOf(service.pid, () => crawl(service, site.url, { pages, since }));
  const { requests, notModified, bytes } = await site.served();
  const { id, status, seconds } = result;
  const { receipt, creditsUsed, changes } = status;
  const { durableObjectRowsWritten, d1RowsWritten, r2Writes, r2Reads } = receipt.operations;
  const counts = changes === undefined ? "–" : [changes.new, changes.changed, changes.unchanged, changes.removed].join("/"); // prettier-ignore
  const cpuSeconds = (cost?.cpuMs ?? Number.NaN) / 1_000;
  const dollars = ((receipt.nanoDollars / 1e9) * 1_000) / status.completed;
  const row = [requests, notModified, bytes / 1e6, seconds, cpuSeconds, durableObjectRowsWritten, d1RowsWritten, r2Writes, r2Reads, creditsUsed, dollars.toFixed(5), counts]; // prettier-ignore
  return { id, row };
}

async function crawl(
  { url, key }: Service,
  target: string,
  { pages, since }: { pages: number; since: string | undefined },
): Promise<{ id: string; status: Status; seconds: number }> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = { url: target, limit: pages, crawlEntireDomain: true, scrapeOptions: { maxAge: 0 }, ...(since && { since }) }; // prettier-ignore
  const startedAtMs = Date.now();
  const response = await fetch(`${url}/v2/crawl`, { method: "POST", headers, body: JSON.stringify(request) });
  const { id } = (await response.json()) as { id: string };
  const read = async (): Promise<Status> =>
    (await (await fetch(`${url}/v2/crawl/${id}?limit=1`, { headers })).json()) as Status;
  let status = await read();
  while (status.status === "scraping") {
    await sleep(250);
    status = await read();
  }
  const seconds = (Date.now() - startedAtMs) / 1_000;
  for (let sinceMs = Date.now(); Date.now() - sinceMs < SETTLED_MS;) {
    await sleep(250);
    const next = await read();
    if (next.receipt.nanoDollars !== status.receipt.nanoDollars) sinceMs = Date.now();
    status = next;
  }
  return { id, status, seconds };
}
