import type { Context } from "hono";
import { AppError } from "../../core/errors.ts";
import type { Receipt } from "../../core/account/receipt.ts";
import { UrlValue } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { warningsOfPageWebhook, type WebhookValue } from "../../jobs/webhook.ts";
import { checkRetention } from "../../services/account/check-retention.ts";
import { assertArchivable } from "../../services/archive/assert-archivable.ts";
import { startBatch } from "../../services/crawl/start-batch.ts";
import { warningField } from "../warning-field.ts";
import { cacheWarnings } from "./cache-warnings.ts";
import { assertPublicWebhook } from "../../services/webhooks/assert-public-webhook.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import type { ScrapeDefaults } from "../../services/scrape/scrape-plan.ts";
import type { AppEnv } from "../context.ts";
import { schemaError } from "../error-response.ts";
import { idempotencyOf } from "../idempotency.ts";
import type { Estimate } from "../../core/account/estimate.ts";
import { estimateBatch } from "../../services/estimate/estimate-batch.ts";
import { respondWithEstimate } from "../jobs/estimate-response.ts";
import { jobUrl } from "../jobs/job-responses.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitJob } from "../account/rate-limit.ts";
import { nameWork, receiptOf, workTarget } from "../work.ts";

interface BatchCall {
  version: "v1" | "v2";
  defaults: ScrapeDefaults;
  options: ScrapeOptions;
  /** Fingerprint by which an earlier estimate of the request is found. */
  fingerprint?: string;
  batch: {
    urls: string[];
    webhook: WebhookValue | undefined;
    appendToId: string | undefined;
    ignoreInvalidURLs: boolean;
    maxConcurrency: number | undefined;
    zeroDataRetention: boolean | undefined;
    archive?: boolean | undefined;
  };
}

/** Answers with the estimate of a batch, which is not started. */
export async function respondWithBatchEstimate(
  c: Context<AppEnv>,
  { defaults, options, batch }: BatchCall,
  body: object,
): Promise<{ success: true; estimate: Estimate; receipt: Receipt }> {
  const { deps, caller } = c.var;
  const { urls } = sortUrls(batch);
  const { zeroDataRetention = false, archive = false } = batch;
  checkRetention(deps, zeroDataRetention);
  assertArchivable(batch);
  return await respondWithEstimate(c, {
    endpoint: "batch_scrape",
    body,
    target: urls[0],
    options: [options],
    zeroDataRetention,
    work: () => estimateBatch(deps, caller, { urls, archive, options, defaults, zeroDataRetention }),
  });
}

interface BatchStarted {
  success: true;
  id: string;
  url: string;
  invalidURLs?: string[];
  warning?: string;
  receipt: Receipt;
}

/** Admits a batch, and starts it or appends to one, for v1 and v2. */
export async function respondWithBatch(c: Context<AppEnv>, call: BatchCall): Promise<BatchStarted> {
  const { deps, caller } = c.var;
  const { version, defaults, options, batch } = call;
  const { urls, invalid } = sortUrls(batch);
  const zeroDataRetention = batch.zeroDataRetention ?? false;
  checkRetention(deps, zeroDataRetention);
  assertArchivable(batch);
  assertPublicWebhook(deps, batch.webhook);
  await admitJob(c, {
    mode: "scrape",
    endpoint: "batch_scrape",
    target: workTarget(batch.urls[0], zeroDataRetention),
    options,
    leastCredits: urls.length * estimateCredits({ options, zeroDataRetention }),
    archive: batch.archive,
  });
  const id = await startBatch(deps, caller, {
    apiVersion: version,
    defaults,
    urls,
    options,
    appendToId: batch.appendToId,
    webhook: batch.webhook,
    maxConcurrency: batch.maxConcurrency,
    zeroDataRetention,
    archive: batch.archive ?? false,
    publicOrigin: publicOrigin(c.req.raw),
    fingerprint: call.fingerprint,
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  return {
    success: true,
    id,
    url: jobUrl(c, `/${version}/batch/scrape/${id}`),
    ...(batch.ignoreInvalidURLs ? { invalidURLs: invalid } : {}),
    ...warningField(warningsOf(call, await c.req.json())),
    receipt: receiptOf(c),
  };
}

/** Fields of an addition to a batch that have an effect, or that only name the caller. */
const FIELDS_OF_ADDITION: ReadonlySet<string> = new Set([
  "urls",
  "appendToId",
  "ignoreInvalidURLs",
  "origin",
  "integration",
]);

/** Returns the warnings of a batch; a batch that exists keeps all options that it was started with. */
function warningsOf({ batch: { appendToId, webhook }, options }: BatchCall, body: object): string[] {
  if (appendToId === undefined) return [...warningsOfPageWebhook(webhook), ...cacheWarnings(options)];
  const ignored = Object.entries(body).filter(
    ([name, value]) =>
      !FIELDS_OF_ADDITION.has(name) && value !== null && !(name === "zeroDataRetention" && value === false),
  );
  return ignored.map(([name]) => `${name}: it has no effect with appendToId. The batch keeps its own.`);
}

/** Skips invalid URLs, or refuses them with their indexes, depending on `ignoreInvalidURLs`. */
function sortUrls({ urls, ignoreInvalidURLs }: BatchCall["batch"]): { urls: string[]; invalid: string[] } {
  const checked = urls.map((url) => ({ url, parsed: UrlValue.safeParse(url) }));
  const issues = checked.flatMap(({ parsed }, index) =>
    parsed.success ? [] : parsed.error.issues.map((issue) => ({ ...issue, path: ["urls", index] })),
  );
  if (issues.length > 0 && !ignoreInvalidURLs) throw schemaError(issues, { urls });
  const valid = checked.flatMap(({ url, parsed }) => (parsed.success ? [url] : []));
  if (valid.length === 0) throw new AppError("BAD_REQUEST", "No valid URLs provided");
  return { urls: valid, invalid: checked.flatMap(({ url, parsed }) => (parsed.success ? [] : [url])) };
}
