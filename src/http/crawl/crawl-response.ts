import type { Context } from "hono";
import { compileRules, judgeUrl, type CrawlScopeOptions } from "../../core/crawl/crawl-scope.ts";
import { AppError } from "../../core/errors.ts";
import type { Candidate } from "../../core/crawl/frontier.ts";
import type { Receipt } from "../../core/account/receipt.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { beginning, type CrawlInput } from "../../jobs/crawl/crawl.ts";
import { readWebhook, type WebhookValue } from "../../jobs/webhook.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import type { ScrapeDefaults } from "../../services/scrape/scrape-plan.ts";
import { startJob } from "../../services/jobs/start-job.ts";
import type { AppEnv } from "../context.ts";
import { idempotencyOf } from "../idempotency.ts";
import { jobUrl } from "../jobs/job-responses.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitJob } from "../account/rate-limit.ts";
import { nameWork, receiptOf } from "../work.ts";

const DEFAULT_LIMIT = 10_000;

/** A crawl with version 2's names; only `maxDepth` is version 1's. */
export interface CrawlCall {
  version: "v1" | "v2";
  defaults: ScrapeDefaults;
  url: string;
  scope: CrawlScopeOptions;
  sitemap: CrawlInput["sitemap"];
  limit: number | undefined;
  delaySeconds: number | undefined;
  maxConcurrency: number | undefined;
  ignoreRobotsTxt: boolean;
  robotsUserAgent: string | undefined;
  scrapeOptions: ScrapeOptions;
  webhook: WebhookValue | undefined;
  zeroDataRetention: boolean | undefined;
  /** Returns options that are determined only after admission, and that replace those above. */
  settle?(): Promise<Pick<CrawlCall, "scope" | "sitemap" | "limit" | "delaySeconds">>;
}

/** Starts a crawl, for v1 and v2. */
export async function respondWithCrawl(
  c: Context<AppEnv>,
  asked: CrawlCall,
): Promise<{ success: true; id: string; url: string; receipt: Receipt }> {
  const { deps, caller } = c.var;
  const zeroDataRetention = asked.zeroDataRetention ?? false;
  if (zeroDataRetention && !deps.settings.zeroDataRetention) throw new AppError("ZERO_DATA_RETENTION_DISABLED");
  let rules = compileRules(asked.url, asked.scope);
  const { scrapeOptions } = asked;
  await admitJob(c, {
    endpoint: "crawl",
    options: scrapeOptions,
    leastCredits: estimateCredits({ options: scrapeOptions, zeroDataRetention }),
  });
  const call = { ...asked, ...(await asked.settle?.()) };
  if (call.scope !== asked.scope) rules = compileRules(call.url, call.scope);
  const robotsAgent = call.ignoreRobotsTxt ? undefined : (call.robotsUserAgent ?? deps.settings.userAgent);
  const limit = call.limit ?? DEFAULT_LIMIT;
  const id = await startJob<CrawlInput>(deps, caller, {
    kind: "crawl",
    apiVersion: call.version,
    scrapeOptions,
    scrapeDefaults: call.defaults,
    zeroDataRetention,
    publicOrigin: publicOrigin(c.req.raw),
    ...readWebhook(call.webhook),
    input: { rules, sitemap: call.sitemap, robotsAgent, isLanded: false },
    target: call.url,
    options: {
      ...scopeOf(call.scope),
      sitemap: call.sitemap,
      limit,
      ignoreRobotsTxt: call.ignoreRobotsTxt,
      ...(call.delaySeconds === undefined ? {} : { delay: call.delaySeconds }),
      ...(call.maxConcurrency === undefined ? {} : { maxConcurrency: call.maxConcurrency }),
      scrapeOptions,
    },
    seeds: [startOf(call.url, rules)],
    limit,
    maxConcurrency: call.maxConcurrency,
    delayMs: (call.delaySeconds ?? 0) * 1000,
    hasSeed: call.sitemap !== "skip",
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  return { success: true, id, url: jobUrl(c, `/${call.version}/crawl/${id}`), receipt: receiptOf(c) };
}

/** Returns the first page's entry, which is scraped regardless of the rules: the caller named it. */
function startOf(url: string, rules: CrawlInput["rules"]): Candidate {
  const verdict = judgeUrl(rules.startUrl, { from: beginning(rules), rules });
  const absolute = toAbsoluteUrl(url);
  const key = verdict.kind === "in_scope" ? verdict.key : (verdict.key ?? absolute);
  return {
    key,
    url: verdict.kind === "in_scope" ? verdict.url : absolute,
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
