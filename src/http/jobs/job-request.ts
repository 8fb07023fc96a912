import { z } from "zod";
import type { JobKindName } from "../../core/jobs/job.ts";
import { readReplaceable } from "../../core/stored-state.ts";

/** A request that starts the same job again. */
export interface JobRequest {
  method: "POST";
  path: string;
  body: Record<string, unknown>;
}

type Options = Record<string, unknown>;

/** Fields of the request that each kind's stored options have; others are internal. */
const FIELDS: Record<JobKindName, { path: string; fields: readonly string[] }> = {
  crawl: {
    path: "/v2/crawl",
    fields: [
      "includePaths", "excludePaths", "regexOnFullURL", "maxDiscoveryDepth", "maxDepth", "crawlEntireDomain",
      "allowExternalLinks", "allowSubdomains", "ignoreQueryParameters", "deduplicateSimilarURLs", "sitemap", "limit",
      "ignoreRobotsTxt", "delay", "maxConcurrency", "archive", "since", "sinceOutput", "scrapeOptions",
    ], // prettier-ignore
  },
  batch_scrape: { path: "/v2/batch/scrape", fields: [] },
  extract: {
    path: "/v2/extract",
    fields: [
      "urls", "prompt", "systemPrompt", "schema", "limit", "ignoreSitemap", "includeSubdomains", "enableWebSearch",
      "evidence", "showSources", "scrapeOptions",
    ], // prettier-ignore
  },
  agent: {
    path: "/v2/agent",
    fields: ["prompt", "urls", "schema", "strictConstrainToURLs", "mode", "effort", "evidence", "maxCredits"],
  },
  deep_research: { path: "/v1/deep-research", fields: ["query", "maxDepth", "maxUrls", "analysisPrompt"] },
  llmstxt: { path: "/v1/llmstxt", fields: ["url", "maxUrls", "showFullText"] },
};

interface StoredJob {
  kind: JobKindName;
  target: string;
  optionsJson: string;
  urls: readonly string[] | undefined;
}

/**
 * Returns the request that starts the job again, with the names of version 2 where the kind has one. Undefined when its
 * options are not stored: with zero data retention, when they are very long, and for a batch of more than 10,000 URLs.
 * Webhooks are not part of it, since their headers are not stored.
 */
export function requestOf({ kind, target, optionsJson, urls }: StoredJob): JobRequest | undefined {
  const options = readReplaceable(z.record(z.string(), z.unknown()), optionsJson);
  if (options === undefined || "zeroDataRetention" in options) return undefined;
  const isLost = Object.keys(options).length === 0 && kind !== "batch_scrape";
  if (isLost || (kind === "batch_scrape" && urls === undefined)) return undefined;
  const { path, fields } = FIELDS[kind];
  const body = kind === "batch_scrape" ? { urls, ...options } : { ...namedIn(options, fields), ...ownFields() };
  return { method: "POST", path, body };

  function ownFields(): Options {
    if (kind === "crawl") return { url: target };
    return kind === "deep_research" ? jsonFields(options ?? {}) : {};
  }
}

function namedIn(options: Options, names: readonly string[]): Options {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** Returns the fields of a deep research whose result is structured data. */
function jsonFields({ json }: Options): Options {
  return json === undefined ? {} : { formats: ["markdown", "json"], jsonOptions: json };
}
