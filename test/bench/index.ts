import { pathToFileURL } from "node:url";
import { join } from "node:path";

/** Each program reads its own flags; `--help` shows them. */
const PROGRAMS: Record<string, { file: string; about: string; words?: string[] } | undefined> = {
  scrape: { file: "scrape.ts", about: "latency, throughput, CPU, memory and billed operations of /v2/scrape" },
  cache: {
    file: "scrape.ts",
    about: "the same of a page that the cache has, beside the same page fresh",
    words: ["--cached-only"],
  },
  health: { file: "health.ts", about: "latency of /health beside large pages that are scraped at the same time" },
  globe: { file: "globe.ts", about: "sequential trips to stores, and the latency of callers near and far from them" },
  fill: {
    file: "fill.ts",
    about: "bytes a page leaves in each store, where stores end, and the service when they are full",
  },
  "far-browser": {
    file: "far-browser.ts",
    about: "sequential trips of a page load to a browser that is far from the caller",
  },
  crawl: { file: "crawl.ts", about: "pages/s, CPU, memory and bill of a crawl; a frontier of a million URLs" },
  connections: {
    file: "connections.ts",
    about: "pages/s of a crawl with six connections an invocation, by the time to first byte and the number of hosts",
  },
  incremental: {
    file: "incremental.ts",
    about: "requests, bytes, CPU and bill of a crawl with since, beside the full crawl",
  },
  session: {
    file: "session.ts",
    about: "browser sessions: create to first command, and whether any browser stays behind",
  },
  "live-view": {
    file: "live-view.ts",
    about: "frames a second, time from a click to its picture, and what the way through cdpUrl costs",
  },
  dashboard: {
    file: "dashboard.ts",
    about: "first view, reactions with 10,000 rows, and the time until an answer of 4 MB is shown",
  },
  search: { file: "search.ts", about: "latency of /v2/search over 100,000 pages of the own index" },
  content: { file: "content.ts", about: "time and memory of turning HTML into markdown" },
  documents: {
    file: "documents.ts",
    about: "PDFs, office files and feeds against rules and gold markdown, beside two other readers of PDFs",
  },
  growth: {
    file: "growth.ts",
    about: "time of reading hostile pages by size, 10 to 10,000 of each nesting and repetition",
  },
  markdown: {
    file: "quality/markdown.ts",
    about: "which kinds of HTML come out as markdown that means the same",
  },
  extract: {
    file: "extract.ts",
    about: "precision and recall of data read from pages by rules; --notes tells what is wrong",
  },
  estimate: {
    file: "estimate.ts",
    about: "estimates of crawls and batches of twenty sites, beside what came of them",
  },
  facts: {
    file: "facts.ts",
    about: "precision and recall on 60 real pages with hand-made facts; --data names the folder of the pages",
  },
  questions: {
    file: "questions.ts",
    about: "answers of the agent without a model to 60 questions over 200 made-up pages",
  },
  quality: { file: "quality/index.ts", about: "how much of the main content is found, on marked pages; and markdown" },
};

const [name = "", ...words] = process.argv.slice(2);
const program = PROGRAMS[name];
if (program === undefined) {
  const list = Object.entries(PROGRAMS).map(([known, entry]) => `  ${known.padEnd(12)}${entry?.about}`);
  console.error(`npm run bench -- <program> [flags]\n\n${list.join("\n")}`);
  process.exit(name === "" || name === "--help" ? 0 : 1);
}
const path = join(import.meta.dirname, program.file);
process.argv = [process.execPath, path, ...(program.words ?? []), ...words];
await import(pathToFileURL(path).href);
