import type { Endpoint, RateMode } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import type { Admission } from "../../core/account/key-ledger.ts";
import { checkEndpoint, checkFormats } from "./check-scope.ts";
import type { Deps, Payer } from "../deps.ts";

/** What a request wants to do, as far as its key may forbid it. */
export interface Intent {
  mode: RateMode;
  /** What the work is recorded under; absent when there is none, such as reading results back. */
  endpoint?: Endpoint;
  /** Names of the output formats asked for. */
  formats?: readonly string[];
  /** Credits to take now. */
  credits: number;
}

type Uses = Pick<Deps, "keyLedger" | "settings">;

/**
 * Counts a request against its key, in one round trip to the key's object.
 * @throws AppError ENDPOINT_RESTRICTED or FORMAT_RESTRICTED when the key's scopes exclude it; then nothing is counted.
 */
export async function admitRequest(
  { keyLedger, settings }: Uses,
  { key, purse }: Payer,
  intent: Intent,
): Promise<Admission> {
  if (intent.endpoint !== undefined) checkEndpoint(key, intent.endpoint);
  checkFormats(key, intent.formats ?? []);
  return await keyLedger.admit(key.id, {
    mode: intent.mode,
    limit: key.limits[intent.mode] ?? settings.rateLimitPerMinute,
    credits: intent.credits,
    monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
    ...(purse.kind === "hold" ? { holdId: purse.holdId } : {}),
  });
}

/** The error that a refusal is for its caller; undefined for an admitted request. */
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

/** Also for work whose price is only known once it is done. */
export function insufficientCredits(needed: number, remaining: number): AppError {
  return new AppError(
    "INSUFFICIENT_CREDITS",
    `Insufficient credits to perform this request: it needs ${needed}, and ${remaining} remain this month.`,
  );
}
