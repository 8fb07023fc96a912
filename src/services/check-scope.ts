import type { ApiKey, Endpoint } from "../core/api-key.ts";
import { AppError } from "../core/errors.ts";

/**
 * Refuses a key whose `scopes.endpoints` name none of the endpoints that an operation belongs to.
 * @throws AppError ENDPOINT_RESTRICTED
 */
export function checkEndpoint({ scopes }: Pick<ApiKey, "scopes">, ...endpoints: readonly Endpoint[]): void {
  const allowed = scopes.endpoints;
  if (allowed === undefined || endpoints.some((endpoint) => allowed.includes(endpoint))) return;
  throw restricted("ENDPOINT_RESTRICTED", "endpoints", allowed);
}

/**
 * Refuses a key whose `scopes.formats` lack one of the formats that an operation would give it.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkFormats({ scopes }: Pick<ApiKey, "scopes">, formats: Iterable<string>): void {
  const allowed = scopes.formats;
  if (allowed === undefined || [...formats].every((format) => allowed.includes(format))) return;
  throw restricted("FORMAT_RESTRICTED", "formats", allowed);
}

/** @throws AppError FORBIDDEN without the admin scope. */
export function requireAdmin({ scopes }: Pick<ApiKey, "scopes">): void {
  if (!scopes.admin) throw new AppError("FORBIDDEN", "Forbidden: managing keys takes a key with the admin scope");
}

function restricted(
  code: "ENDPOINT_RESTRICTED" | "FORMAT_RESTRICTED",
  what: string,
  allowed: readonly string[],
): AppError {
  return new AppError(code, `This API key is restricted to the following ${what}: ${allowed.join(", ")}.`);
}
