import { z } from "zod";
import { ApiKey } from "../core/account/api-key.ts";
import type { Candidate, FilteredUrl, FrontierItem } from "../core/crawl/frontier.ts";
import { JOB_KIND_NAMES, type JobKindName } from "../core/jobs/job.ts";
import type { WorkBudget } from "../core/work-budget.ts";
import type { ScrapeOptions } from "../formats/scrape-options.ts";

/** Receiver of a job's events (api-contract.md, “Webhook options”). */
export const Webhook = z.object({
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  metadata: z.record(z.string(), z.string()).default({}),
});
export type Webhook = z.infer<typeof Webhook>;

/** The part of a specification that jobs of both engines have. */
export const CommonSpecification = z.object({
  id: z.string(),
  kind: z.enum(JOB_KIND_NAMES),
  apiVersion: z.enum(["v1", "v2"]),
  key: ApiKey,
  /** Defaults of absent options; they differ between the API versions. */
  scrapeDefaults: z.object({
    timeoutMs: z.number(),
    maxAgeMs: z.number(),
    proxy: z.enum(["basic", "auto"]).default("auto"),
    skipTlsVerification: z.boolean().default(false),
  }),
  zeroDataRetention: z.boolean().default(false),
  publicOrigin: z.string(),
  ownHosts: z.array(z.string()).readonly().default([]),
  webhook: Webhook.optional(),
  createdAtMs: z.number(),
  /** Fields of the job's record, so that the job can write the record itself; absent in jobs of older versions. */
  record: z
    .object({
      target: z.string(),
      optionsJson: z.string(),
      expiresAtMs: z.number(),
      /** Fingerprint of the request, by which its estimate is found. */
      fingerprint: z.string().optional(),
    })
    .optional(),
  /** Data of the kind, such as the rules of a crawl. */
  input: z.unknown().default(null),
});

/** Everything that a worker run needs to know about a job. Stored as JSON in the job's frontier. */
export const JobSpecification = CommonSpecification.extend({
  /** Validated when the job was started. */
  scrapeOptions: z.custom<ScrapeOptions>((value) => typeof value === "object" && value !== null),
  /** True when the responses of its pages are archived. */
  archive: z.boolean().default(false),
  /** The job whose archive is read in place of the pages. */
  reextracts: z.object({ id: z.string(), createdAtMs: z.number() }).optional(),
  /** True when the versions of its pages are stored for later crawls. */
  keepsVersions: z.boolean().default(false),
  /** The earlier job that an incremental crawl continues. */
  since: z.object({ id: z.string(), output: z.enum(["all", "changes"]) }).optional(),
});
export type JobSpecification<Input = unknown> = Omit<z.infer<typeof JobSpecification>, "input"> & { input: Input };

/** A URL of a sitemap. */
export interface SitemapEntry {
  url: string;
  lastModified?: string;
}

/** A page that was loaded for an item. */
export interface Landing {
  item: FrontierItem;
  /** URL after redirects. */
  finalUrl: string;
  /** True when a browser rendered the page, so that it may be an app whose pages are hash routes. */
  isRendered?: boolean;
}

/** URLs found on a page: candidates, and those that were filtered out. */
export interface Discoveries {
  candidates: Candidate[];
  filtered: FilteredUrl[];
}

/** Limits of the links of a page, or of a piece of them what is left of these. */
export interface FollowLimits {
  /** Budget of the patterns. */
  budget: WorkBudget;
  /** URLs that are followed. Those beyond them are listed, and another page may lead to them. Default: 100,000. */
  maxFollowed?: number;
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
  /** Parses the input as any version has stored it: fields that were added later are optional. */
  input: z.ZodType<Input>;
  /** Path below `/v1/` and `/v2/`. */
  path: string;
  /** User agent that is matched against robots.txt before a page is loaded; undefined to ignore robots.txt. */
  robotsAgent(input: Input): string | undefined;
  /**
   * Source of URLs besides links, which is read before the job can end; undefined for none. `readsLinks` is false when it
   * is the only one; `hasMoved` is true when the start is at another host than was requested.
   */
  seed?(input: Input): { startUrl: string; readsSitemaps: boolean; readsLinks?: boolean; hasMoved?: boolean };
  /** Reports whether an item is of another site than was requested, which sees none of the caller's headers. Default: false. */
  isForeign?(item: FrontierItem, input: Input): boolean;
  land(landing: Landing, input: Input): LandingVerdict;
  /**
   * @param links returns the absolute URLs of the page, in its order.
   * @param limits of these links. Default: those of a page.
   */
  follow(
    landing: Landing,
    links: () => readonly string[],
    input: Input,
    limits?: FollowLimits,
  ): Discoveries | Promise<Discoveries>;
  /**
   * Checks URLs of a sitemap, each with its `lastmod` as written, if it has one.
   * @param budget of the patterns. Default: one for these URLs.
   */
  fromSitemap?(entries: readonly SitemapEntry[], input: Input, budget?: WorkBudget): Discoveries | Promise<Discoveries>;
  /** Returns the job's input after its first page was loaded; undefined when nothing changes. */
  rebase?(landing: Landing, input: Input): Input | undefined;
}

export const NOTHING: Discoveries = { candidates: [], filtered: [] };
