import { parseArgs } from "node:util";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { Receipt } from "../../src/core/account/receipt.ts";
import { Frontier } from "../../src/storage/crawl/frontier.ts";
import { readUrls, progressOf } from "../../src/storage/crawl/frontier-read.ts";
import type { Sql, SqlValue } from "../../src/ports/storage/sql.ts";
import { startServiceProcess } from "./service-process.ts";
import { startLinkedSite } from "./load/linked-site.ts";
import { table } from "./load/table.ts";
import { costOf } from "./proc.ts";

const USAGE = `npm run bench -- crawl [--pages 1000] [--rounds 3] [--frontier 1000000]
Crawls a site of generated articles and prints pages/s, CPU, memory, what the platform would bill, and the time that a
frontier of many URLs takes. --frontier 0 leaves the last part out.`;

/** A job's books are closed when their sum has stood still for so long. */
const SETTLED_MS = 1_500;

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "1000" },
    rounds: { type: "string", default: "3" },
    frontier: { type: "string", default: "1000000" },
    help: { type: "boolean", default: false },
  },
});

interface Round {
  seconds: number;
  cpuMs: number;
  peakMb: number;
  documents: number;
  receipt: Receipt;
}

interface Status {
  status: string;
  completed: number;
  receipt: Receipt;
}

if (values.help) console.log(USAGE);
else {
  await crawlRounds(Number(values.pages), Number(values.rounds));
  if (Number(values.frontier) > 0) largeFrontier(Number(values.frontier));
}

async function crawlRounds(pages: number, rounds: number): Promise<void> {
  const site = await startLinkedSite(pages);
  const service = await startServiceProcess();
  try {
    const results: Round[] = [];
    for (let round = 0; round < rounds; round++) {
      const { result, cost } = await costOf(service.pid, () => crawl(service, site.url, pages));
      results.push({ ...result, cpuMs: cost?.cpuMs ?? Number.NaN, peakMb: (cost?.peakBytes ?? Number.NaN) / 1e6 });
    }
    report(results);
  } finally {
    await service.stop();
    await site.close();
  }
}

async function crawl(
  service: { url: string; key: string },
  url: string,
  limit: number,
): Promise<Omit<Round, "cpuMs" | "peakMb">> {
  const headers = { authorization: `Bearer ${service.key}`, "content-type": "application/json" };
  const body = JSON.stringify({ url, limit, sitemap: "skip", crawlEntireDomain: true, scrapeOptions: { maxAge: 0 } });
  const startedAtMs = Date.now();
  const started = (await (await fetch(`${service.url}/v2/crawl`, { method: "POST", headers, body })).json()) as {
    id: string;
  };
  const read = async (): Promise<Status> =>
    (await (await fetch(`${service.url}/v2/crawl/${started.id}?limit=1`, { headers })).json()) as Status;
  for (;;) {
    await sleep(250);
    const { status, completed } = await read();
    if (status === "scraping") continue;
    const seconds = (Date.now() - startedAtMs) / 1000;
    return { seconds, documents: completed, receipt: await settledReceipt(read) };
  }
}

async function settledReceipt(read: () => Promise<Status>): Promise<Receipt> {
  let { receipt } = await read();
  for (let sinceMs = Date.now(); Date.now() - sinceMs < SETTLED_MS;) {
    await sleep(250);
    const next = (await read()).receipt;
    if (next.nanoDollars !== receipt.nanoDollars) sinceMs = Date.now();
    receipt = next;
  }
  return receipt;
}

function report(rounds: Round[]): void {
  const head = ["pages", "pages/s", "CPU ms/page", "peak MB", "DO rows/page", "DO requests/page", "D1 rows/page", "R2 writes/page", "queue messages/page", "$/M pages"]; // prettier-ignore
  const rows = rounds.map(({ documents, seconds, cpuMs, peakMb, receipt }) => {
    const { durableObjectRowsWritten, durableObjectRequests, d1RowsWritten, r2Writes, queueMessages } =
      receipt.operations;
    // Billionths of a dollar a page are thousandths a million pages.
    const dollarsAMillion = (nanoDollars: number): number => nanoDollars / documents / 1000;
    return [
      documents,
      documents / seconds,
      cpuMs / documents,
      peakMb,
      durableObjectRowsWritten / documents,
      durableObjectRequests / documents,
      d1RowsWritten / documents,
      r2Writes / documents,
      queueMessages / documents,
      dollarsAMillion(receipt.nanoDollars),
    ];
  });
  console.log(table(head, rows));
}

/** So many URLs in one frontier, with nothing fetched: how long they take to put in, to claim and to read. */
function largeFrontier(count: number): void {
  const database = new DatabaseSync(":memory:");
  const frontier = new Frontier(plainSql(database));
  const config = { limit: undefined, maxConcurrency: 100, delayMs: 0, hasSeed: true, failsWhenEmpty: false, events: [], leaseMs: 12_000, expiresAtMs: 1e15 }; // prettier-ignore
  frontier.start(config, [], 0);
  const PIECE = 2_000;
  const insertMs = timed(() => {
    for (let first = 0; first < count; first += PIECE) {
      const candidates = Array.from({ length: PIECE }, (_, index) => {
        const url = `https://www.example.com/catalogue/section-${(first + index) % 97}/product-${first + index}.html`;
        return { key: url.slice(12), url, depth: 2, isExternal: false, parent: "https://www.example.com/catalogue/" };
      });
      frontier.complete({ results: [], object: "", candidates, filtered: [], hosts: {} }, 1);
    }
  });
  const state = frontier.state();
  if (state === undefined) throw new Error("The frontier is gone");
  const claimMs = timed(() => frontier.claim(30, 2));
  const statusMs = timed(() => progressOf(frontier.state() ?? state));
  const listMs = timed(() =>
    readUrls(frontier.sql, state, { cursor: { part: "queue", row: count / 1_000, place: 0 }, limit: 1_000 }),
  );
  const [pages] = database
    .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
    .all();
  const head = ["URLs", "inserted in s", "claim of 30, ms", "status, ms", "1,000 of the list, ms", "MB"];
  const megabytes = Number(pages?.["bytes"]) / 1e6;
  console.log(`\n${table(head, [[count, insertMs / 1000, claimMs, statusMs, listMs, megabytes]])}`);
  database.close();
}

function timed(work: () => unknown): number {
  const startedAtMs = performance.now();
  work();
  return performance.now() - startedAtMs;
}

function plainSql(database: DatabaseSync): Sql {
  return {
    rows: <Row>(query: string, ...values: SqlValue[]) => database.prepare(query).all(...values) as Row[],
    transaction(work) {
      database.exec("BEGIN");
      const result = work();
      database.exec("COMMIT");
      return result;
    },
  };
}
