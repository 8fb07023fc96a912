import type { ApiKey, Endpoint, RateMode } from "../core/api-key.ts";
import { AppError } from "../core/errors.ts";
import type { Admission } from "../core/key-gate.ts";
import type { Caller, Deps } from "./deps.ts";

/** What a request wants to do, as far as its key may forbid it. */
export interface Intent {
  mode: RateMode;
  /** Absent for routes that no key can be restricted from, such as reading results back. */
  endpoint?: Endpoint;
  /** Names of the output formats asked for. */
  formats?: readonly string[];
  /** Credits to take now. */
  credits: number;
}

type Uses = Pick<Deps, "keyGate" | "settings">;

/**
 * Counts a request against its key, in one round trip to the key's object.
 * @throws AppError ENDPOINT_RESTRICTED or FORMAT_RESTRICTED when the key's scopes exclude it; then nothing is counted.
 */
export async function admitRequest({ keyGate, settings }: Uses, { key }: Caller, intent: Intent): Promise<Admission> {
  checkScopes(key, intent);
  return await keyGate.admit(key.id, {
    mode: intent.mode,
    limit: key.limits[intent.mode] ?? settings.rateLimitPerMinute,
    credits: intent.credits,
    monthlyCredits: key.monthlyCredits ?? settings.creditsPerMonth,
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

function checkScopes({ scopes }: ApiKey, { endpoint, formats = [] }: Intent): void {
  if (endpoint !== undefined && scopes.endpoints !== undefined && !scopes.endpoints.includes(endpoint)) {
    throw restricted("ENDPOINT_RESTRICTED", "endpoints", scopes.endpoints);
  }
  const allowed = scopes.formats;
  if (allowed !== undefined && !formats.every((format) => allowed.includes(format))) {
    throw restricted("FORMAT_RESTRICTED", "formats", allowed);
  }
}

function restricted(
  code: "ENDPOINT_RESTRICTED" | "FORMAT_RESTRICTED",
  what: string,
  allowed: readonly string[],
): AppError {
  return new AppError(code, `This API key is restricted to the following ${what}: ${allowed.join(", ")}.`);
}
