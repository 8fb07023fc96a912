import type { ApiKey } from "../core/account/api-key.ts";
import type { Candidate, FilteredUrl, FrontierItem } from "../core/crawl/frontier.ts";
import type { JobKindName, JobRecord } from "../core/jobs/job.ts";
import type { ScrapeOptions } from "../formats/scrape-options.ts";

/** Receiver of a job's events (api-contract.md, “Webhook options”). */
export interface Webhook {
  url: string;
  headers: Record<string, string>;
  metadata: Record<string, string>;
}

/** Everything that a worker run needs to know about a job. Stored as JSON in the job's frontier. */
export interface JobSpecification<Input = unknown> {
  id: string;
  kind: JobKindName;
  apiVersion: "v1" | "v2";
  key: ApiKey;
  scrapeOptions: ScrapeOptions;
  /** Defaults of absent options; they differ between the API versions. */
  scrapeDefaults: { timeoutMs: number; maxAgeMs: number; proxy: "basic" | "auto"; skipTlsVerification: boolean };
  zeroDataRetention: boolean;
  publicOrigin: string;
  ownHosts: readonly string[];
  webhook: Webhook | undefined;
  createdAtMs: number;
  /** Fields of the job's record, so that the job can write the record itself; absent in jobs of older versions. */
  record?: Pick<JobRecord, "target" | "optionsJson" | "expiresAtMs">;
  /** Data of the kind, such as the rules of a crawl. */
  input: Input;
}

/** A page that was loaded for an item. */
export interface Landing {
  item: FrontierItem;
  /** URL after redirects. */
  finalUrl: string;
}

/** URLs found on a page: candidates, and those that were filtered out. */
export interface Discoveries {
  candidates: Candidate[];
  filtered: FilteredUrl[];
}

/** Result of checking the final URL of an item's page. */
export type LandingVerdict =
  | { kind: "kept"; finalKey?: string; finalUrl?: string }
  /** The final URL is one that the job must not load. */
  | { kind: "denied"; error: string };

/**
 * A kind of job: defines which URLs follow from a page. Frontier, worker runs, status, paging, webhooks and progress
 * are the same for all kinds. Pure: a kind can be tested without external systems.
 */
export interface JobKind<Input = unknown> {
  name: JobKindName;
  /** Path below `/v1/` and `/v2/`. */
  path: string;
  /** User agent that is matched against robots.txt before a page is loaded; undefined to ignore robots.txt. */
  robotsAgent(input: Input): string | undefined;
  /** Source of URLs besides links, which is read before the job can end; undefined for none. */
  seed?(input: Input): { startUrl: string; readsSitemaps: boolean };
  land(landing: Landing, input: Input): LandingVerdict;
  /** @param links returns the absolute URLs of the page, in its order. */
  follow(landing: Landing, links: () => readonly string[], input: Input): Discoveries;
  /** Checks URLs of a sitemap. */
  sow?(urls: readonly string[], input: Input): Discoveries;
  /** Returns the job's input after its first page was loaded; undefined when nothing changes. */
  rebase?(landing: Landing, input: Input): Input | undefined;
}

export const NOTHING: Discoveries = { candidates: [], filtered: [] };
