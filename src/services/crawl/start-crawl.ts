import { compileNewRules, type CrawlRules, type CrawlScopeOptions } from "../../core/crawl/crawl-scope.ts";
import type { Candidate } from "../../core/crawl/frontier.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { judgeStart, type CrawlInput } from "../../jobs/crawl/crawl.ts";
import { readWebhook, type WebhookValue } from "../../jobs/webhook.ts";
import { checkRetention } from "../account/check-retention.ts";
import { assertArchivable } from "../archive/assert-archivable.ts";
import type { Caller, Deps } from "../deps.ts";
import type { Idempotency } from "../idempotency.ts";
import { AppError } from "../../core/errors.ts";
import { startJob, startedJob } from "../jobs/start-job.ts";
import { findEarlierCrawl, type EarlierCrawl } from "./find-earlier-crawl.ts";
import type { ScrapeDefaults } from "../scrape/scrape-plan.ts";
import { assertProfile } from "../sessions/scrape-profile.ts";
import { assertPublicWebhook } from "../webhooks/assert-public-webhook.ts";
import { interpretPrompt, type InterpretedPrompt } from "./interpret-prompt.ts";

const DEFAULT_LIMIT = 10_000;

/** Options of a crawl that a prompt can set, with version 2's names; only `maxDepth` is version 1's. */
export interface CrawlOptions extends CrawlScopeOptions {
  /** Default: include. */
  sitemap?: CrawlInput["sitemap"] | undefined;
  /** Maximum number of pages. Default: 10,000. */
  limit?: number | undefined;
  /** Seconds between two pages. */
  delay?: number | undefined;
}

/** Request to crawl a site. */
export interface CrawlRequest {
  apiVersion: "v1" | "v2";
  defaults: ScrapeDefaults;
  /** Start URL as the caller wrote it. */
  url: string;
  /** Options that the caller set; an option that is undefined must be absent. */
  options: CrawlOptions;
  /** Description of the crawl in words, whose options `options` take precedence over; empty for none. */
  prompt: string;
  maxConcurrency: number | undefined;
  ignoreRobotsTxt: boolean;
  robotsUserAgent: string | undefined;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookValue | undefined;
  zeroDataRetention: boolean;
  archive?: boolean;
  /** ID of the crawl that this one continues, or `last`. */
  since?: string | undefined;
  /** Documents that an incremental crawl lists. Default: all. */
  sinceOutput?: "all" | "changes" | undefined;
  publicOrigin: string;
  /** Fingerprint by which an earlier estimate of the request is found. */
  fingerprint?: string | undefined;
}

/** A request that can be started, with its compiled rules. */
export interface PlannedCrawl {
  request: CrawlRequest;
  rules: CrawlRules;
}

/** A crawl that was started. */
export interface StartedCrawl {
  id: string;
  /** Result of reading the prompt; undefined without a prompt. */
  prompt: InterpretedPrompt | undefined;
  /** ID of the crawl that this one continues. */
  since: string | undefined;
  warnings: string[];
}

type StartDeps = Pick<
  Deps,
  "settings" | "clock" | "jobs" | "idempotencyKeys" | "frontiers" | "llm" | "profiles" | "log"
>;

/**
 * Checks a crawl before it is admitted.
 * @throws AppError `BAD_REQUEST` for invalid patterns, depths and webhooks, `ZERO_DATA_RETENTION_DISABLED`.
 */
export function planCrawl(deps: Pick<Deps, "settings">, request: CrawlRequest): PlannedCrawl {
  checkRetention(deps, request.zeroDataRetention);
  assertArchivable(request);
  assertComparable(request);
  assertPublicWebhook(deps, request.webhook);
  return { request, rules: compileNewRules(request.url, request.options) };
}

/** A crawl as it will run: its options after the prompt was read. */
export interface ResolvedCrawl {
  options: CrawlOptions;
  /** Result of reading the prompt; undefined without a prompt. */
  prompt: InterpretedPrompt | undefined;
  input: CrawlInput;
  limit: number;
  /** First page. */
  start: Candidate;
}

/**
 * Reads the prompt of a crawl, and fills in its defaults.
 * @throws AppError as `assertProfile` does, and `BAD_REQUEST` for options of the prompt that do not fit the start URL.
 */
export async function resolveCrawl(
  deps: Pick<StartDeps, "settings" | "clock" | "llm" | "profiles">,
  caller: Caller,
  { request, ...planned }: PlannedCrawl,
): Promise<ResolvedCrawl> {
  const { url, ignoreRobotsTxt } = request;
  await assertProfile(deps, caller.key.teamId, { profile: request.scrapeOptions.profile, urls: [url] });
  const prompt = request.prompt === "" ? undefined : await interpretPrompt(deps, caller, request);
  const options: CrawlOptions = { ...prompt?.applied, ...request.options };
  const rules = prompt === undefined ? planned.rules : compileNewRules(url, options);
  const { sitemap = "include", limit = DEFAULT_LIMIT } = options;
  const robotsAgent = ignoreRobotsTxt ? undefined : (request.robotsUserAgent ?? deps.settings.userAgent);
  const input: CrawlInput = { rules, sitemap, robotsAgent, isLanded: false };
  return { options, prompt, input, limit, start: startOf(rules) };
}

/**
 * Starts a crawl, after its prompt was read. A repeat only returns the ID of the crawl that was started.
 * @throws AppError as `startJob` and `resolveCrawl` do.
 */
export async function startCrawl(
  deps: StartDeps,
  caller: Caller,
  { planned, idempotency }: { planned: PlannedCrawl; idempotency: Idempotency | undefined },
): Promise<StartedCrawl> {
  const { request } = planned;
  const { url, scrapeOptions, maxConcurrency } = request;
  const known = await startedJob(deps, caller, idempotency);
  if (known !== undefined) return { id: known, prompt: undefined, since: undefined, warnings: [] };
  const { options, prompt, input, limit, start } = await resolveCrawl(deps, caller, planned);
  const { delay } = options;
  const recorded = recordedOptions(request, { options, input, limit });
  const earlier = await earlierOf(deps, caller, { request, options: recorded });
  const id = await startJob<CrawlInput>(deps, caller, {
    kind: "crawl",
    apiVersion: request.apiVersion,
    scrapeOptions,
    scrapeDefaults: request.defaults,
    zeroDataRetention: request.zeroDataRetention,
    archive: request.archive ?? false,
    publicOrigin: request.publicOrigin,
    ...readWebhook(request.webhook),
    input,
    target: url,
    options: recorded,
    keepsVersions: request.apiVersion === "v2" && !request.zeroDataRetention,
    ...(earlier === undefined ? {} : { since: { ...earlier, output: request.sinceOutput ?? "all" } }),
    seeds: [start],
    limit,
    maxConcurrency,
    delayMs: (delay ?? 0) * 1000,
    hasSeed: input.sitemap !== "skip",
    fingerprint: request.fingerprint,
    idempotency,
  });
  return { id, prompt, since: earlier?.id, warnings: warningsOf(request, earlier) };
}

/** @throws AppError `BAD_REQUEST` for an incremental crawl of which nothing may be stored, and for its output without one */
function assertComparable({ since, sinceOutput, zeroDataRetention }: CrawlRequest): void {
  const refuse = (path: string, message: string): AppError =>
    new AppError("BAD_REQUEST", message, { details: [{ code: "custom", path: [path], message }] });
  if (since !== undefined && zeroDataRetention)
    throw refuse("since", "since refers to stored documents, which zeroDataRetention forbids");
  if (since === undefined && sinceOutput !== undefined)
    throw refuse("sinceOutput", "sinceOutput needs since: without it, every page is a result");
}

async function earlierOf(
  deps: StartDeps,
  caller: Caller,
  { request, options }: { request: CrawlRequest; options: unknown },
): Promise<EarlierCrawl | undefined> {
  const { since, url } = request;
  if (since === undefined) return undefined;
  const neededUntilMs = deps.clock.now() + deps.settings.resultRetentionMs;
  return await findEarlierCrawl(deps, caller, { since, target: url, options, neededUntilMs });
}

function warningsOf({ since, archive = false }: CrawlRequest, earlier: EarlierCrawl | undefined): string[] {
  if (since === undefined) return [];
  if (earlier === undefined)
    return ["since: no completed crawl of this URL with the same options is stored, so every page is read and is new."];
  return archive ? ["archive: pages that are not loaded again are not in the archive of this crawl."] : [];
}

/** Returns the options as the record of the crawl has them. */
export function recordedOptions(
  { scrapeOptions, ignoreRobotsTxt, robotsUserAgent, maxConcurrency, archive, since, sinceOutput }: CrawlRequest,
  { options, input, limit }: Pick<ResolvedCrawl, "options" | "input" | "limit">,
): object {
  const { delay } = options;
  return {
    ...scopeOf(options),
    sitemap: input.sitemap,
    limit,
    ignoreRobotsTxt,
    ...(robotsUserAgent === undefined ? {} : { robotsUserAgent }),
    ...(delay === undefined ? {} : { delay }),
    ...(archive === true ? { archive: true } : {}),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(since === undefined ? {} : { since }),
    ...(sinceOutput === undefined ? {} : { sinceOutput }),
    scrapeOptions,
  };
}

/** Returns the first page's entry, which is scraped regardless of the rules: the caller named it. */
export function startOf(rules: CrawlRules): Candidate {
  const { startUrl } = rules;
  const verdict = judgeStart(startUrl, rules);
  return {
    key: verdict.key ?? startUrl,
    url: verdict.kind === "in_scope" ? verdict.url : startUrl,
    depth: 0,
    isExternal: false,
    parent: undefined,
  };
}

const SCOPE_NAMES = [
  "includePaths", "excludePaths", "regexOnFullURL", "maxDiscoveryDepth", "maxDepth", "crawlEntireDomain",
  "allowExternalLinks", "allowSubdomains", "ignoreQueryParameters", "deduplicateSimilarURLs",
] as const satisfies (keyof CrawlScopeOptions)[]; // prettier-ignore

/** Returns only the scope options of a body. */
function scopeOf(scope: CrawlScopeOptions): CrawlScopeOptions {
  return Object.fromEntries(SCOPE_NAMES.flatMap((name) => (scope[name] === undefined ? [] : [[name, scope[name]]])));
}
