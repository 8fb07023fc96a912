import type { Context } from "hono";
import type { Receipt } from "../../core/account/receipt.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import { planCrawl, startCrawl, type CrawlRequest, type StartedCrawl } from "../../services/crawl/start-crawl.ts";
import type { AppEnv } from "../context.ts";
import { warningsOfPageWebhook } from "../../jobs/webhook.ts";
import { warningField } from "../warning-field.ts";
import { cacheWarnings } from "./cache-warnings.ts";
import { idempotencyOf } from "../idempotency.ts";
import { jobUrl } from "../jobs/job-responses.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitJob } from "../account/rate-limit.ts";
import { respondWithEstimate } from "../jobs/estimate-response.ts";
import { estimateCrawl } from "../../services/estimate/estimate-crawl.ts";
import type { Estimate } from "../../core/account/estimate.ts";
import { nameWork, receiptOf, workTarget } from "../work.ts";

interface CrawlStarted {
  success: true;
  id: string;
  url: string;
  since?: string;
  warning?: string;
  receipt: Receipt;
}

/** Answers with the estimate of a crawl, which is not started. */
export async function respondWithCrawlEstimate(
  c: Context<AppEnv>,
  call: Omit<CrawlRequest, "publicOrigin">,
  body: object,
): Promise<{ success: true; estimate: Estimate; receipt: Receipt }> {
  const { deps, caller } = c.var;
  const planned = planCrawl(deps, { ...call, publicOrigin: publicOrigin(c.req.raw) });
  return await respondWithEstimate(c, {
    endpoint: "crawl",
    body,
    target: call.url,
    options: [call.scrapeOptions],
    zeroDataRetention: call.zeroDataRetention,
    work: () => estimateCrawl(deps, caller, planned),
  });
}

/** Admits and starts a crawl, for v1 and v2. */
export async function respondWithCrawl(
  c: Context<AppEnv>,
  call: Omit<CrawlRequest, "publicOrigin">,
): Promise<{ started: CrawlStarted; prompt: StartedCrawl["prompt"] }> {
  const { deps, caller } = c.var;
  const request: CrawlRequest = { ...call, publicOrigin: publicOrigin(c.req.raw) };
  const { scrapeOptions, zeroDataRetention } = request;
  const planned = planCrawl(deps, request);
  await admitJob(c, {
    endpoint: "crawl",
    target: workTarget(request.url, zeroDataRetention),
    options: scrapeOptions,
    leastCredits: estimateCredits({ options: scrapeOptions, zeroDataRetention }),
    archive: request.archive,
  });
  const { id, prompt, since, warnings } = await startCrawl(deps, caller, {
    planned,
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  const url = jobUrl(c, `/${request.apiVersion}/crawl/${id}`);
  const ofWebhook = warningsOfPageWebhook(request.webhook, { isIncremental: request.since !== undefined });
  const warning = warningField([...ofWebhook, ...cacheWarnings(scrapeOptions), ...warnings, prompt?.warning]);
  const continued = since === undefined ? {} : { since };
  return { started: { success: true, id, url, ...continued, ...warning, receipt: receiptOf(c) }, prompt };
}
