import type { ApiKey, Endpoint } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import { isWithin, outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";

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

/**
 * Refuses a key that is limited to some formats: in a browser session, code and prompts bring back anything.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkAnyFormat({ scopes }: Pick<ApiKey, "scopes">): void {
  if (scopes.formats !== undefined) throw restricted("FORMAT_RESTRICTED", "formats", scopes.formats);
}

/**
 * Refuses a document that another key has made with formats that this key may not have.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkDocument({ scopes }: Pick<ApiKey, "scopes">, documentJson: string): void {
  const allowed = scopes.formats;
  // Written by this service alone, from a document.
  if (allowed === undefined || isWithin(JSON.parse(documentJson) as Record<string, unknown>, allowed)) return;
  throw restricted("FORMAT_RESTRICTED", "formats", allowed);
}

/**
 * The same for a job, by what it was asked for.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkJobFormats(key: Pick<ApiKey, "id" | "scopes">, job: JobRecord): void {
  if (key.scopes.formats === undefined || job.keyId === key.id) return;
  if (job.kind !== "crawl" && job.kind !== "batch_scrape") return checkFormats(key, ["json"]);
  const options = JSON.parse(job.optionsJson) as ScrapeOptions & { scrapeOptions?: ScrapeOptions };
  // Of options that were too long, and of jobs with zero data retention, nothing is known.
  if (job.optionsJson === "{}" || "zeroDataRetention" in options) return checkAnyFormat(key);
  checkFormats(key, outputsOf(options.scrapeOptions ?? options));
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
