import type { Work } from "../request-work.ts";
import type { Context, MiddlewareHandler } from "hono";
import type { Endpoint } from "../../core/account/api-key.ts";
import type { RateLimitState } from "../../core/account/key-ledger.ts";
import { admitRequest, insufficientCredits, toRefusal, type Intent } from "../../services/account/admit-request.ts";
import { outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import { isRepeat } from "../../services/idempotency.ts";
import type { AppEnv } from "../context.ts";
import { idempotencyOf } from "../idempotency.ts";

/**
 * Counts a request that does no recorded work against its key, or refuses it. Called once per request, after
 * validation, so that an invalid request costs nothing. Sets `X-RateLimit-*` in either case.
 * @throws AppError RATE_LIMITED, INSUFFICIENT_CREDITS or FORMAT_RESTRICTED.
 */
export async function admit(c: Context<AppEnv>, intent: Omit<Intent, "endpoint">): Promise<void> {
  await count(c, intent);
}

/**
 * Admits work as `admit` does, and takes its credits. The work is recorded with its target when the response is ready;
 * the response, also one of a failure, has the receipt.
 * @throws AppError RATE_LIMITED, INSUFFICIENT_CREDITS, ENDPOINT_RESTRICTED or FORMAT_RESTRICTED.
 */
export async function admitWork(c: Context<AppEnv>, { target, listedAs, ...intent }: WorkIntent): Promise<void> {
  await count(c, intent);
  c.set("work", { endpoint: intent.endpoint, listedAs, target });
}

interface WorkIntent extends Intent, Pick<Work, "endpoint" | "listedAs" | "target"> {
  endpoint: Endpoint;
}

/** Counts a request whose handler makes its response itself, as `admit` does. What it calls is counted besides. */
export const admitFirst: MiddlewareHandler<AppEnv> = async (c, next) => {
  // There is nothing to get, which is answered without any work.
  if (c.req.method === "GET") return await next();
  const rate = await count(c, { mode: "account", credits: 0 });
  await next();
  setRateHeaders(c, rate);
};

async function count(c: Context<AppEnv>, intent: Intent): Promise<RateLimitState> {
  const admission = await admitRequest(c.var.deps, c.var.caller, intent);
  setRateHeaders(c, admission.rate);
  const refusal = toRefusal(admission, intent.credits);
  if (refusal !== undefined) throw refusal;
  return admission.rate;
}

/** Sets the customary headers; the reset is in seconds since the epoch, rounded up so that no retry is too early. */
function setRateHeaders(c: Context<AppEnv>, { limit, remaining, resetAtMs }: RateLimitState): void {
  c.header("X-RateLimit-Limit", String(limit));
  c.header("X-RateLimit-Remaining", String(remaining));
  c.header("X-RateLimit-Reset", String(Math.ceil(resetAtMs / 1000)));
}

/** Formats that a key needs for an archive, which has the responses as they were received. */
export const ARCHIVE_FORMATS = ["rawHtml"] as const;

/**
 * Admits a job, which takes its credits as it runs: the key must have `leastCredits` now. A repeat of a request returns
 * the job of the first one and needs none.
 * @throws AppError as `admitWork` does, and IDEMPOTENCY_KEY_USED.
 */
export async function admitJob(
  c: Context<AppEnv>,
  {
    endpoint,
    listedAs,
    target,
    options,
    leastCredits,
    archive = false,
    mode = "crawl",
  }: Pick<Work, "endpoint" | "listedAs" | "target"> & {
    options: ScrapeOptions;
    leastCredits: number;
    /** True when the responses of its pages are archived. */
    archive?: boolean | undefined;
    mode?: Intent["mode"];
  },
): Promise<void> {
  const formats = [...outputsOf(options), ...(archive ? ARCHIVE_FORMATS : [])];
  const admission = await admitRequest(c.var.deps, c.var.caller, { mode, endpoint, formats, credits: 0 });
  setRateHeaders(c, admission.rate);
  const refusal = toRefusal(admission, leastCredits);
  if (refusal !== undefined) throw refusal;
  c.set("work", { endpoint, listedAs, target });
  const left = admission.kind === "admitted" ? admission.remainingCredits : undefined;
  if (left === undefined || left >= leastCredits) return;
  if (await isRepeat(c.var.deps, c.var.caller, await idempotencyOf(c))) return;
  throw insufficientCredits(leastCredits, left);
}
