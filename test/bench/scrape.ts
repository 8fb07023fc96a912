import { parseArgs } from "node:util";
import { startServiceProcess } from "./service-process.ts";
import { createClient, readJson } from "./client.ts";
import { measureCached, measureScrapes } from "./load/scrape-sections.ts";
import { printScrapes } from "./load/print-scrapes.ts";
import { startBenchSite } from "./load/bench-site.ts";
import type { Target } from "./load/scrape-sections.ts";

const USAGE = `npm run bench -- scrape [flags]

  --concurrency 1,10,50   requests under way at a time, one round each
  --requests 200          requests of each round
  --pages 100             different pages
  --sizes 0.1,1,5,20      page sizes in megabytes; "" for none
  --cached-only           only a cached page and the same page fresh, at each concurrency
  --no-browser            leave out the pages that need a browser
  --site URL              measure pages of this site instead of the bench's own: the paths that URL/__expected
                          lists, or else URL itself
  --service URL --key K   measure a service that runs already; --pid N adds its CPU time and memory
  --json                  print JSON instead of tables`;

const { values: flags } = parseArgs({
  allowNegative: true,
  options: {
    concurrency: { type: "string", default: "1,10,50" },
    requests: { type: "string", default: "200" },
    pages: { type: "string", default: "100" },
    sizes: { type: "string", default: "0.1,1,5,20" },
    browser: { type: "boolean", default: true },
    site: { type: "string" },
    service: { type: "string" },
    key: { type: "string" },
    pid: { type: "string" },
    "cached-only": { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function bench(): Promise<void> {
  const site = flags.site === undefined ? await startBenchSite() : undefined;
  const started = flags.service === undefined ? await startServiceProcess() : undefined;
  try {
    const target: Target = {
      service: started?.url ?? flags.service?.replace(/\/+$/, "") ?? "",
      key: started?.key ?? flags.key ?? "",
      pid: started?.pid ?? (flags.pid === undefined ? undefined : Number(flags.pid)),
      pages: site === undefined ? await pagesOf(flags.site ?? "") : ownPages(site.url),
      ownSite: site?.url,
    };
    const measure = flags["cached-only"] ? measureCached : measureScrapes;
    const report = await measure(target, {
      levels: numbers(flags.concurrency),
      requests: Number(flags.requests),
      sizesMb: numbers(flags.sizes),
      browser: flags.browser,
      log: flags.json ? () => undefined : (line) => console.error(line),
    });
    console.log(flags.json ? JSON.stringify(report, undefined, 2) : printScrapes(report));
  } finally {
    await started?.stop();
    await site?.close();
  }
}

const ownPages = (url: string): string[] =>
  Array.from({ length: Number(flags.pages) }, (_, index) => `${url}/p/${index}`);

async function pagesOf(url: string): Promise<string[]> {
  const client = createClient({ concurrency: 1 });
  const reply = await client.get(new URL("/__expected", url).href);
  client.close();
  const paths = reply.status === 200 ? readJson(reply) : undefined;
  if (!Array.isArray(paths)) return [url];
  return paths.slice(0, Number(flags.pages)).map((path) => new URL(String(path), url).href);
}

const numbers = (text: string): number[] => text.split(",").filter(Boolean).map(Number);

if (flags.help) console.log(USAGE);
else await bench();
