import type { Context } from "hono";
import type { Endpoint } from "../../core/account/api-key.ts";
import type { RateLimitState } from "../../core/account/key-ledger.ts";
import { admitRequest, insufficientCredits, toRefusal, type Intent } from "../../services/account/admit-request.ts";
import { outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { AppEnv } from "../context.ts";

/**
 * Counts this request against its key and takes its credits, or refuses it. Called once per request, after validation,
 * so that an invalid request costs nothing. Sets `X-RateLimit-*` in either case.
 * @throws AppError RATE_LIMITED, INSUFFICIENT_CREDITS, ENDPOINT_RESTRICTED or FORMAT_RESTRICTED.
 */
export async function admit(c: Context<AppEnv>, intent: Intent): Promise<void> {
  const admission = await admitRequest(c.var.deps, c.var.caller, intent);
  setRateHeaders(c, admission.rate);
  const refusal = toRefusal(admission, intent.credits);
  if (refusal !== undefined) throw refusal;
  if (intent.endpoint !== undefined) c.set("work", { endpoint: intent.endpoint });
}

/** Sets the customary headers; the reset is in seconds since the epoch, rounded up so that no retry is too early. */
function setRateHeaders(c: Context<AppEnv>, { limit, remaining, resetAtMs }: RateLimitState): void {
  c.header("X-RateLimit-Limit", String(limit));
  c.header("X-RateLimit-Remaining", String(remaining));
  c.header("X-RateLimit-Reset", String(Math.ceil(resetAtMs / 1000)));
}

/** Admits a job, which takes its credits as it runs: the key must have enough for the first page. */
export async function admitJob(
  c: Context<AppEnv>,
  {
    endpoint,
    options,
    leastCredits,
    mode = "crawl",
  }: { endpoint: Endpoint; options: ScrapeOptions; leastCredits: number; mode?: Intent["mode"] },
): Promise<void> {
  const formats = outputsOf(options);
  const admission = await admitRequest(c.var.deps, c.var.caller, { mode, endpoint, formats, credits: 0 });
  setRateHeaders(c, admission.rate);
  const refusal = toRefusal(admission, leastCredits);
  if (refusal !== undefined) throw refusal;
  c.set("work", { endpoint });
  const left = admission.kind === "admitted" ? admission.remainingCredits : undefined;
  if (left !== undefined && left < leastCredits) throw insufficientCredits(leastCredits, left);
}
