import type { Endpoint, RateMode } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import type { Admission } from "../../core/account/key-ledger.ts";
import { checkEndpoint, checkFormats } from "./check-scope.ts";
import type { Caller, Deps, Payer } from "../deps.ts";

/** Properties of a request that the scopes and limits of its key apply to. */
export interface Intent {
  mode: RateMode;
  /** Endpoint that the work is recorded under; absent when nothing is recorded, such as for reading results. */
  endpoint?: Endpoint;
  /** Names of the requested formats. */
  formats?: readonly string[];
  /** Credits to take now. */
  credits: number;
}

type Uses = Pick<Deps, "keyLedger" | "settings">;

/**
 * Counts a request against its key, in one round trip to the key's Durable Object.
 * @throws AppError ENDPOINT_RESTRICTED or FORMAT_RESTRICTED when the key's scopes exclude it; then nothing is counted.
 */
export async function admitRequest(
  { keyLedger, settings }: Uses,
  { key, creditSource }: Caller & Partial<Payer>,
  intent: Intent,
): Promise<Admission> {
  if (intent.endpoint !== undefined) checkEndpoint(key, intent.endpoint);
  checkFormats(key, intent.formats ?? []);
  return await keyLedger.admit(key.id, {
    mode: intent.mode,
    limit: key.limits[intent.mode] ?? settings.rateLimitPerMinute,
    credits: intent.credits,
    monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
    ...(creditSource?.kind === "hold" ? { holdId: creditSource.holdId } : {}),
  });
}

/** Converts a refusal to the error for the caller; undefined for an admitted request. */
export function toRefusal(admission: Admission, credits: number): AppError | undefined {
  if (admission.kind === "admitted") return undefined;
  if (admission.kind === "out_of_credits") return insufficientCredits(credits, admission.remainingCredits);
  const { rate, consumed, retryAfterSeconds } = admission;
  return new AppError(
    "RATE_LIMITED",
    `Rate limit exceeded. Requests per minute: ${consumed} consumed, ${rate.remaining} remaining. ` +
      `Please retry after ${retryAfterSeconds}s; the limit resets at ${new Date(rate.resetAtMs).toISOString()}.`,
    { retryAfterSeconds },
  );
}

/** Returns the error for a lack of credits, also for work whose price is known only when it is done. */
export function insufficientCredits(needed: number, remaining: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits to perform this request: it needs ${needed}, and ${remaining} remain this month.`,
  );
}
