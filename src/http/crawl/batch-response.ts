import type { Context } from "hono";
import { batchEntries } from "../../core/crawl/dispatch.ts";
import { AppError } from "../../core/errors.ts";
import type { Receipt } from "../../core/account/receipt.ts";
import { UrlValue } from "../../core/url/url.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { readWebhook, type WebhookValue } from "../../jobs/webhook.ts";
import { findJob } from "../../services/jobs/find-job.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import type { ScrapeDefaults } from "../../services/scrape/scrape-plan.ts";
import { jobIdFor, type Idempotency } from "../../services/idempotency.ts";
import { startJob } from "../../services/jobs/start-job.ts";
import type { AppEnv } from "../context.ts";
import { schemaError } from "../error-response.ts";
import { idempotencyOf } from "../idempotency.ts";
import { jobUrl } from "../jobs/job-responses.ts";
import { publicOrigin } from "../public-origin.ts";
import { admitJob } from "../account/rate-limit.ts";
import { nameWork, receiptOf } from "../work.ts";

interface BatchCall {
  version: "v1" | "v2";
  defaults: ScrapeDefaults;
  options: ScrapeOptions;
  batch: {
    urls: string[];
    webhook: WebhookValue | undefined;
    appendToId: string | undefined;
    ignoreInvalidURLs: boolean;
    maxConcurrency: number | undefined;
    zeroDataRetention: boolean | undefined;
  };
}

interface BatchStarted {
  success: true;
  id: string;
  url: string;
  invalidURLs?: string[];
  receipt: Receipt;
}

/** Starts a batch, or appends to one, for v1 and v2. */
export async function respondWithBatch(c: Context<AppEnv>, call: BatchCall): Promise<BatchStarted> {
  const { deps, caller } = c.var;
  const { urls, invalid } = sortUrls(call.batch);
  const zeroDataRetention = call.batch.zeroDataRetention ?? false;
  if (zeroDataRetention && !deps.settings.zeroDataRetention) throw new AppError("ZERO_DATA_RETENTION_DISABLED");
  const credits = estimateCredits({ options: call.options, zeroDataRetention });
  await admitJob(c, { endpoint: "batch_scrape", options: call.options, leastCredits: credits });
  const id = await begin(c, call, urls);
  nameWork(c, { id });
  return {
    success: true,
    id,
    url: jobUrl(c, `/${call.version}/batch/scrape/${id}`),
    ...(call.batch.ignoreInvalidURLs ? { invalidURLs: invalid } : {}),
    receipt: receiptOf(c),
  };

  async function begin(
    context: Context<AppEnv>,
    { version, defaults, options, batch }: BatchCall,
    list: string[],
  ): Promise<string> {
    const idempotency = await idempotencyOf(context);
    if (batch.appendToId !== undefined) return await append(context, { id: batch.appendToId, urls: list, idempotency });
    return await startJob(deps, caller, {
      kind: "batch_scrape",
      apiVersion: version,
      scrapeOptions: options,
      scrapeDefaults: defaults,
      zeroDataRetention,
      publicOrigin: publicOrigin(context.req.raw),
      ...readWebhook(batch.webhook),
      input: {},
      target: list[0] ?? "",
      options,
      seeds: batchEntries(list, 0),
      limit: undefined,
      maxConcurrency: batch.maxConcurrency,
      delayMs: 0,
      hasSeed: false,
      idempotency,
    });
  }
}

/** @throws AppError JOB_NOT_FOUND for an id that is no batch of the caller's team, JOB_ENDED for a cancelled one. */
async function append(
  c: Context<AppEnv>,
  { id, urls, idempotency }: { id: string; urls: string[]; idempotency: Idempotency | undefined },
): Promise<string> {
  const { deps, caller } = c.var;
  const job = await findJob(deps, caller, { id, kinds: ["batch_scrape"] });
  const appendId = await jobIdFor(deps, caller, idempotency);
  if (!(await deps.frontiers.append(job.id, { urls, appendId })))
    throw new AppError("JOB_ENDED", "This batch takes no more URLs");
  await deps.jobs.setStatus(job.id, "scraping", undefined);
  return job.id;
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
