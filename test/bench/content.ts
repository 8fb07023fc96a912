import "./content/quiet-wrangler.ts";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createTestHarness } from "wrangler";
import { readCorpus, readPageHtml } from "../../src/tools/train-main-content/corpus.ts";
import { buildPdfjs } from "../../src/tools/build/build-pdfjs.ts";
import { buildXlsx } from "../../src/tools/build/build-xlsx.ts";
import { ISOLATE_FLAGS } from "../../src/tools/service/wrangler.ts";
import { percentile } from "./content/percentile.ts";
import { sizedPages } from "./content/sized-pages.ts";
import { articlePage } from "./load/article-pages.ts";
import { table } from "./load/table.ts";
import { descendantsNamed, memoryOf } from "./proc.ts";

const HELP = `npm run bench -- content [--data DIR] [--pages 200] [--no-growth | --growth-only]
  Time of one core a page inside workerd, over real pages (--data or ORBWEAVER_BENCH_DATA: a folder with index.json,
  gold.json.br and html/*.html.br) or over generated ones without them; then growth with size, and memory.`;

const PIPELINES = ["parse", "main", "markdown", "whole", "linkedom+turndown"];
const ROUNDS = 3;

interface BenchPage {
  url: string;
  html: string;
}

const { values } = parseArgs({
  options: {
    data: { type: "string", default: process.env["ORBWEAVER_BENCH_DATA"] ?? "" },
    pages: { type: "string", default: "200" },
    growth: { type: "boolean", default: true },
    "growth-only": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
  allowNegative: true,
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const SMALL_PAGE: BenchPage = { url: "https://page.example/", html: "<p>Nothing to speak of.</p>" };

type Harness = ReturnType<typeof createTestHarness>;

await Promise.all([buildPdfjs(), buildXlsx()]);
if (!values["growth-only"]) {
  await withHarness((harness) => measurePipelines(harness, loadPages(values.data, Number(values.pages))));
}
if (values.growth) await measureGrowth();

async function withHarness<T>(work: (harness: Harness) => Promise<T>): Promise<T> {
  const configPath = join(import.meta.dirname, "content", "wrangler.toml");
  const harness = createTestHarness({ workers: [{ configPath }] });
  try {
    await harness.listen();
    return await work(harness);
  } finally {
    await harness.close();
  }
}

function loadPages(directory: string, count: number): BenchPage[] {
  if (directory === "" || !existsSync(join(directory, "index.json"))) {
    console.log("No labelled pages (--data DIR): generated ones take their place.\n");
    return Array.from({ length: Math.min(count, 40) }, (_, number) => ({
      url: `https://page.example/${number}`,
      html: articlePage(number, 250_000).html,
    }));
  }
  const corpus = readCorpus(directory);
  const step = Math.max(1, Math.floor(corpus.length / count));
  return corpus
    .filter((_, index) => index % step === 0)
    .map(({ id, url }) => ({ url, html: readPageHtml(directory, id) }));
}

/** Ms of one run: the call with the work less the call without, the least of some rounds. */
async function runMs(harness: Harness, pipeline: string, page: BenchPage, times = 2): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const idle = await callMs(harness, "nothing", page, 1);
    const busy = await callMs(harness, pipeline, page, times);
    least = Math.min(least, (busy - idle) / times);
  }
  return Math.max(0, least);
}

async function callMs(harness: Harness, pipeline: string, page: BenchPage, times: number): Promise<number> {
  const query = new URLSearchParams({ pipeline, url: page.url, times: String(times) });
  const startedAtMs = performance.now();
  const response = await harness.fetch(`http://bench/?${query}`, { method: "POST", body: page.html });
  if (response.status !== 200) throw new Error(`${pipeline} of ${page.url}: ${await response.text()}`);
  await response.text();
  return performance.now() - startedAtMs;
}

async function measurePipelines(harness: Harness, pages: BenchPage[]): Promise<void> {
  const rows: (string | number)[][] = [];
  for (const pipeline of PIPELINES) {
    const times: number[] = [];
    let failures = 0;
    for (const page of pages) {
      try {
        times.push(await runMs(harness, pipeline, page));
      } catch {
        failures++;
      }
    }
    const mean = times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
    rows.push([pipeline, percentile(times, 50), mean, percentile(times, 95), failures]);
  }
  const bytes = pages.reduce((sum, { html }) => sum + html.length, 0) / pages.length;
  console.log(
    `${pages.length} pages of ${Math.round(bytes / 1000)} kB on average, inside workerd, ms of one core a page\n`,
  );
  console.log(table(["pipeline", "median", "mean", "p95", "failed"], rows));
}

/**
 * Each page meets a process that has seen nothing but a few words: what others left behind is not counted to it. Isolates
 * have the bounds that they have in service.
 */
async function measureGrowth(): Promise<void> {
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= ISOLATE_FLAGS;
  const rows: (string | number)[][] = [];
  for (const { kind, megabytes, html } of sizedPages()) {
    const page = { ...SMALL_PAGE, html };
    const { ms, firstMb, mostMb } = await withHarness((harness) => measureOne(harness, page));
    rows.push([kind, megabytes, ms, ms / megabytes, firstMb, mostMb]);
  }
  console.log(
    `\nGrowth with size (beyond 6 MB a page is read in a stream); memory of workerd over what it takes idle: after one load, after all\n`,
  );
  console.log(table(["page", "MB", "ms", "ms a MB", "first + MB", "most + MB"], rows));
}

async function measureOne(harness: Harness, page: BenchPage): Promise<{ ms: number; firstMb: number; mostMb: number }> {
  await callMs(harness, "whole", SMALL_PAGE, 1);
  // One process answers the calls, another one runs the pipelines.
  const processes = descendantsNamed(process.pid, "workerd");
  const total = (of: keyof ReturnType<typeof memoryOf>): number =>
    processes.reduce((sum, pid) => sum + memoryOf(pid)[of], 0);
  const idleBytes = total("residentBytes");
  const growthMb = (): number => (total("peakBytes") - idleBytes) / 1e6;
  await callMs(harness, "whole", page, 1);
  const firstMb = growthMb();
  return { ms: await runMs(harness, "whole", page, 1), firstMb, mostMb: growthMb() };
}
