import { z } from "zod";
import { isCutTarget } from "../../core/jobs/cut-target.ts";
import type { JobKindName } from "../../core/jobs/job.ts";
import { readOwn, readReplaceable } from "../../core/stored-state.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { hiddenOptions } from "../../formats/hidden-options.ts";
import { toV1Options } from "../v1/translate.ts";

/** A request that starts the same job again. */
export interface JobRequest {
  method: "POST";
  path: string;
  body: Record<string, unknown>;
}

type Options = Record<string, unknown>;

/** Fields of the request that each kind's stored options have; others are internal. */
const FIELDS: Record<Exclude<JobKindName, "batch_scrape">, { path: string; fields: readonly string[] }> = {
  crawl: {
    path: "/v2/crawl",
    fields: [
      "includePaths", "excludePaths", "regexOnFullURL", "maxDiscoveryDepth", "maxDepth", "crawlEntireDomain",
      "allowExternalLinks", "allowSubdomains", "ignoreQueryParameters", "deduplicateSimilarURLs", "sitemap", "limit",
      "ignoreRobotsTxt", "robotsUserAgent", "delay", "maxConcurrency", "archive", "since", "sinceOutput", "scrapeOptions",
    ], // prettier-ignore
  },
  extract: {
    path: "/v2/extract",
    fields: [
      "urls", "prompt", "systemPrompt", "schema", "limit", "ignoreSitemap", "includeSubdomains", "enableWebSearch",
      "evidence", "showSources", "timeout", "scrapeOptions",
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
  /** False for another key: what may be a secret is then `(hidden)`. */
  isOwn: boolean;
}

/**
 * Returns the request that starts the job again, at the version that started it: defaults, names and `maxDepth` differ.
 * Undefined when its options are not stored: with zero data retention, when the job's object does not exist any more, for a crawl of
 * a URL that is too long for its record, and for a batch of more than 10,000 URLs.
 * Webhooks are not part of it, since their headers are not stored.
 */
export function requestOf({ kind, apiVersion, target, optionsJson, urls, isOwn }: StoredJob): JobRequest | undefined {
  const stored = readReplaceable(z.record(z.string(), z.unknown()), optionsJson);
  const options = stored === undefined || isOwn ? stored : hiddenOptions(stored);
  if (options === undefined || "zeroDataRetention" in options) return undefined;
  if (kind === "batch_scrape") return batchOf(apiVersion, options, urls);
  if (Object.keys(options).length === 0) return undefined;
  if (kind === "crawl" && isCutTarget(target)) return undefined;
  if (kind === "crawl" && apiVersion === "v1") return v1CrawlOf(target, options);
  const { path, fields } = FIELDS[kind];
  const named = namedIn(options, fields);
  if (kind === "extract" && apiVersion === "v1") {
    return {
      method: "POST",
      path: "/v1/extract",
      body: { ...named, scrapeOptions: v1Options(options["scrapeOptions"]) },
    };
  }
  return { method: "POST", path, body: { ...named, ...ownFields() } };

  function ownFields(): Options {
    if (kind === "crawl") return { url: target };
    return kind === "deep_research" ? jsonFields(options ?? {}) : {};
  }
}

/** A batch that reads an archive has the request for it, which needs no URLs. */
function batchOf(version: "v1" | "v2", recorded: Options, urls: readonly string[] | undefined): JobRequest | undefined {
  const { reextracts, maxConcurrency, ...options } = recorded;
  if (typeof reextracts === "string")
    return { method: "POST", path: `/v2/crawl/${reextracts}/reextract`, body: options };
  if (urls === undefined) return undefined;
  const ownOptions = version === "v1" ? v1Options(options) : options;
  const body = { urls, ...ownOptions, ...(maxConcurrency === undefined ? {} : { maxConcurrency }) };
  return { method: "POST", path: `/${version}/batch/scrape`, body };
}

function v1Options(options: unknown): Options {
  return toV1Options(readOwn<ScrapeOptions>(JSON.stringify(options ?? {})));
}

function v1CrawlOf(url: string, options: Options): JobRequest {
  const ignoreSitemap = options["sitemap"] === "skip" ? { ignoreSitemap: true } : {};
  const body = {
    url,
    ...namedIn(options, V1_CRAWL_FIELDS),
    ...ignoreSitemap,
    scrapeOptions: v1Options(options["scrapeOptions"]),
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
