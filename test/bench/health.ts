import { parseArgs } from "node:util";
import { startService } from "../e2e/service.ts";
import { createClient, type Client } from "./client.ts";
import { percentile } from "./content/percentile.ts";
import { startBenchSite } from "./load/bench-site.ts";
import { table } from "./load/table.ts";

const USAGE = `npm run bench -- health [flags]

  --pages 20              pages that are scraped at the same time
  --size 3                their size in megabytes
  --rounds 3              rounds of these pages
  --service URL --key K   measure a service that runs already`;

const { values: flags } = parseArgs({
  options: {
    pages: { type: "string", default: "20" },
    size: { type: "string", default: "3" },
    rounds: { type: "string", default: "3" },
    service: { type: "string" },
    key: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Time between two requests of `/health`, in ms. */
const PAUSE_MS = 10;
const IDLE_REQUESTS = 100;

/** Asks `/health` again and again until `work` is done. @returns the durations in ms */
async function askBeside(client: Client, health: string, work: Promise<unknown>): Promise<number[]> {
  const done = new AbortController();
  void work.finally(() => done.abort());
  const durations: number[] = [];
  while (!done.signal.aborted) {
    durations.push((await client.get(health)).ms);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return durations;
}

async function bench(): Promise<void> {
  const site = await startBenchSite();
  const started = flags.service === undefined ? await startService() : undefined;
  const service = started?.url ?? flags.service ?? "";
  const pages = Number(flags.pages);
  const asking = createClient({ concurrency: 1 });
  const scraping = createClient({ concurrency: pages, key: started?.key ?? flags.key ?? "" });
  let asked = 0;
  // Pages of different addresses, so that none is answered by another one's load.
  const scrape = async (): Promise<number> => {
    const url = `${site.url}/size/${(Number(flags.size) + ++asked / 1e6).toFixed(6)}`;
    const { status } = await scraping.post(`${service}/v2/scrape`, {
      url,
      maxAge: 0,
      fastMode: true,
      timeout: 120_000,
    });
    return status;
  };
  try {
    const row = (name: string, ms: readonly number[], failed: number | string, seconds: number | string) => [
      name, ms.length, percentile(ms, 50), percentile(ms, 95), percentile(ms, 100), seconds, failed,
    ]; // prettier-ignore
    await scrape();
    const idle: number[] = [];
    for (let request = 0; request < IDLE_REQUESTS; request++) idle.push((await asking.get(`${service}/health`)).ms);
    const rows = [row("idle", idle, "", "")];
    for (let round = 1; round <= Number(flags.rounds); round++) {
      const startedAt = performance.now();
      const scrapes = Promise.all(Array.from({ length: pages }, scrape));
      const durations = await askBeside(asking, `${service}/health`, scrapes);
      const failed = (await scrapes).filter((status) => status !== 200).length;
      rows.push(row(`round ${round}`, durations, failed, (performance.now() - startedAt) / 1000));
    }
    console.log(`/health beside ${pages} pages of ${flags.size} MB\n`);
    console.log(table(["", "requests", "p50 ms", "p95 ms", "max ms", "s", "failed pages"], rows));
  } finally {
    asking.close();
    scraping.close();
    await started?.stop();
    await site.close();
  }
}

if (flags.help) console.log(USAGE);
else await bench();
