import type { ApiKey } from "../core/account/api-key.ts";
import type { Candidate, FilteredUrl, FrontierItem } from "../core/crawl/frontier.ts";
import type { JobKindName, JobRecord } from "../core/jobs/job.ts";
import type { ScrapeOptions } from "../formats/scrape-options.ts";

/** Whom to tell about a job (api-contract.md, “Webhook options”). */
export interface Webhook {
  url: string;
  headers: Record<string, string>;
  metadata: Record<string, string>;
}

/** Everything that the consumers of a job need to know. It is kept as JSON with the job's frontier. */
export interface JobSpecification<Input = unknown> {
  id: string;
  kind: JobKindName;
  apiVersion: "v1" | "v2";
  key: ApiKey;
  scrapeOptions: ScrapeOptions;
  /** What holds where the options say nothing; it differs between the versions of the API. */
  scrapeDefaults: { timeoutMs: number; maxAgeMs: number; proxy: "basic" | "auto"; skipTlsVerification: boolean };
  zeroDataRetention: boolean;
  publicOrigin: string;
  ownHosts: readonly string[];
  webhook: Webhook | undefined;
  createdAtMs: number;
  /** What the list of jobs says of it, so that the job can write it there itself; absent in jobs of older versions. */
  record?: Pick<JobRecord, "target" | "optionsJson" | "expiresAtMs">;
  /** What the kind itself keeps: the rules of a crawl. */
  input: Input;
}

/** A page that was loaded for an item. */
export interface Landing {
  item: FrontierItem;
  /** After redirects. */
  finalUrl: string;
}

/** What a page leads to. */
export interface Discoveries {
  candidates: Candidate[];
  filtered: FilteredUrl[];
}

/** Where an item's page turned out to be. */
export type LandingVerdict =
  | { kind: "kept"; finalKey?: string; finalUrl?: string }
  /** It led to a place that the job must not go to. */
  | { kind: "denied"; error: string };

/**
 * A kind of job: what a page of it leads to. Frontier, consumers, status, paging, webhooks and progress are the same for
 * all kinds. Pure: a kind is tested without anything outside.
 */
export interface JobKind<Input = unknown> {
  name: JobKindName;
  /** Below `/v1/` and `/v2/`. */
  path: string;
  /** The name under which robots.txt is asked before a page is loaded; undefined when it is not asked. */
  robotsAgent(input: Input): string | undefined;
  /** Where the job finds more than its links, before it can end; undefined when nowhere. */
  seed?(input: Input): { startUrl: string; readsSitemaps: boolean };
  land(landing: Landing, input: Input): LandingVerdict;
  /** @param links gives the absolute URLs of the page, in its order. */
  follow(landing: Landing, links: () => readonly string[], input: Input): Discoveries;
  /** What URLs of a sitemap lead to. */
  sow?(urls: readonly string[], input: Input): Discoveries;
  /** The job's input once its first page has moved; undefined when nothing changes. */
  rebase?(landing: Landing, input: Input): Input | undefined;
}

export const NOTHING: Discoveries = { candidates: [], filtered: [] };
