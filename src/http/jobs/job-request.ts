import { z } from "zod";
import type { JobKindName } from "../../core/jobs/job.ts";
import { readOwn, readReplaceable } from "../../core/stored-state.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { toV1Options } from "../v1/translate.ts";

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
      "ignoreRobotsTxt", "robotsUserAgent", "delay", "maxConcurrency", "archive", "since", "sinceOutput", "scrapeOptions",
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
  deep_research: {
    path: "/v1/deep-research",
    fields: ["query", "maxDepth", "maxUrls", "timeLimit", "analysisPrompt", "systemPrompt"],
  },
  llmstxt: { path: "/v1/llmstxt", fields: ["url", "maxUrls", "showFullText", "cache"] },
};

/** Fields of a crawl of version 1, whose other options have names of their own. */
const V1_CRAWL_FIELDS = [
  "includePaths", "excludePaths", "regexOnFullURL", "maxDiscoveryDepth", "maxDepth", "crawlEntireDomain", "allowExternalLinks",
  "allowSubdomains", "ignoreQueryParameters", "deduplicateSimilarURLs", "limit", "ignoreRobotsTxt", "delay", "maxConcurrency",
]; // prettier-ignore

interface StoredJob {
  kind: JobKindName;
  apiVersion: "v1" | "v2";
  target: string;
  optionsJson: string;
  urls: readonly string[] | undefined;
}

/**
 * Returns the request that starts the job again, with the names of version 2 where the kind has one; a crawl of version
 * 1, in which `maxDepth` means something else, has its own. Undefined when its
 * options are not stored: with zero data retention, when the job's object does not exist any more, and for a batch of more than 10,000 URLs.
 * Webhooks are not part of it, since their headers are not stored.
 */
export function requestOf({ kind, apiVersion, target, optionsJson, urls }: StoredJob): JobRequest | undefined {
  const options = readReplaceable(z.record(z.string(), z.unknown()), optionsJson);
  if (options === undefined || "zeroDataRetention" in options) return undefined;
  const isLost = Object.keys(options).length === 0 && kind !== "batch_scrape";
  if (isLost || (kind === "batch_scrape" && urls === undefined)) return undefined;
  if (kind === "crawl" && apiVersion === "v1") return v1CrawlOf(target, options);
  const { path, fields } = FIELDS[kind];
  const body = kind === "batch_scrape" ? { urls, ...options } : { ...namedIn(options, fields), ...ownFields() };
  return { method: "POST", path, body };

  function ownFields(): Options {
    if (kind === "crawl") return { url: target };
    return kind === "deep_research" ? jsonFields(options ?? {}) : {};
  }
}

function v1CrawlOf(url: string, options: Options): JobRequest {
  const scrapeOptions = readOwn<ScrapeOptions>(JSON.stringify(options["scrapeOptions"] ?? {}));
  const ignoreSitemap = options["sitemap"] === "skip" ? { ignoreSitemap: true } : {};
  const body = {
    url,
    ...namedIn(options, V1_CRAWL_FIELDS),
    ...ignoreSitemap,
    scrapeOptions: toV1Options(scrapeOptions),
  };
  return { method: "POST", path: "/v1/crawl", body };
}

function namedIn(options: Options, names: readonly string[]): Options {
  return Object.fromEntries(names.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** Returns the fields of a deep research whose result is structured data. */
function jsonFields({ json }: Options): Options {
  return json === undefined ? {} : { formats: ["markdown", "json"], jsonOptions: json };
}
