import type { Values } from "../request/body.ts";

/** Named options of an operation. */
export interface Preset {
  name: string;
  operation: string;
  /** Options of the body. Those of a built-in preset leave the subject (URL, query, prompt) as it is. */
  body: Values;
}

/** Fields that say what a request is about. */
const SUBJECTS = ["url", "urls", "query", "prompt", "file"];

/** Presets that every dashboard has. */
export const BUILT_IN: readonly Preset[] = [
  { operation: "post /v2/scrape", name: "Markdown and links", body: { formats: ["markdown", "links"] } },
  {
    operation: "post /v2/scrape",
    name: "Data with evidence",
    body: { formats: ["markdown", { type: "json", evidence: true }] },
  },
  {
    operation: "post /v2/scrape",
    name: "Product of a shop",
    body: { formats: ["markdown", { type: "product", evidence: true }] },
  },
  {
    operation: "post /v2/scrape",
    name: "Full-page screenshot",
    body: { formats: [{ type: "screenshot", fullPage: true }] },
  },
  {
    operation: "post /v2/scrape",
    name: "Passages for retrieval",
    body: { formats: ["markdown", { type: "chunks", maxTokens: 400 }] },
  },
  { operation: "post /v2/scrape", name: "Fresh, not from the cache", body: { formats: ["markdown"], maxAge: 0 } },
  { operation: "post /v2/crawl", name: "Section of a site", body: { limit: 100 } },
  { operation: "post /v2/crawl", name: "Whole domain", body: { limit: 1_000, crawlEntireDomain: true } },
  { operation: "post /v2/crawl", name: "Pages of the sitemap", body: { limit: 500, sitemap: "only" } },
  { operation: "post /v2/map", name: "Sitemap only", body: { sitemap: "only" } },
  { operation: "post /v2/map", name: "Without subdomains", body: { includeSubdomains: false } },
  {
    operation: "post /v2/search",
    name: "Results with their pages",
    body: { limit: 5, scrapeOptions: { formats: ["markdown"] } },
  },
  { operation: "post /v2/search", name: "News of the last day", body: { sources: ["news"], tbs: "qdr:d" } },
  { operation: "post /v2/search", name: "Scraped pages only", body: { providers: ["own-index"] } },
  { operation: "post /v2/agent", name: "Quick answer", body: { effort: "low", mode: "chat" } },
  { operation: "post /v2/agent", name: "Thorough, with evidence", body: { effort: "high", evidence: true } },
  { operation: "post /v2/extract", name: "With sources", body: { showSources: true, evidence: true } },
  { operation: "post /v2/batch/scrape", name: "Markdown and links", body: { formats: ["markdown", "links"] } },
];

/** Returns a body with the options of a preset. The subject stays as it is unless the preset has one. */
export function applyPreset({ body }: Preset, current: Values): Values {
  const subject = Object.entries(current).filter(([name]) => SUBJECTS.includes(name));
  return { ...Object.fromEntries(subject), ...body };
}
