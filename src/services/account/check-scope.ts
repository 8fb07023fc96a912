import { z } from "zod";
import { readStored } from "../../core/stored-state.ts";
import type { ApiKey, Endpoint } from "../../core/account/api-key.ts";
import { AppError } from "../../core/errors.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { Monitor } from "../../core/monitors/monitor.ts";
import { isWithin, outputsOf } from "../../formats/outputs.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Deps } from "../deps.ts";

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
 * Refuses a key whose `scopes.formats` lack one of the formats that an operation would return.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkFormats({ scopes }: Pick<ApiKey, "scopes">, formats: Iterable<string>): void {
  const allowed = scopes.formats;
  if (allowed === undefined || [...formats].every((format) => allowed.includes(format))) return;
  throw restricted("FORMAT_RESTRICTED", "formats", allowed);
}

/**
 * Refuses a key with `scopes.formats`: in a browser session, code and prompts can return any format.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkAnyFormat({ scopes }: Pick<ApiKey, "scopes">): void {
  if (scopes.formats !== undefined) throw restricted("FORMAT_RESTRICTED", "formats", scopes.formats);
}

/**
 * Refuses a document of another key that has formats which this key may not read.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkDocument({ scopes }: Pick<ApiKey, "scopes">, documentJson: string): void {
  const allowed = scopes.formats;
  // Only this service writes it, from a document.
  if (allowed === undefined || isWithin(readStored(Fields, documentJson, "document"), allowed)) return;
  throw restricted("FORMAT_RESTRICTED", "formats", allowed);
}

const Fields = z.record(z.string(), z.unknown());
/** The formats and actions of a job's options, which were validated when the job was started. */
const Outputs = z.looseObject({
  formats: z.custom<ScrapeOptions["formats"]>((value) => value === undefined || Array.isArray(value)).optional(),
  actions: z.custom<ScrapeOptions["actions"]>((value) => value === undefined || Array.isArray(value)).optional(),
});
const JobOptions = Outputs.extend({ scrapeOptions: Outputs.optional() });

/**
 * Applies the same check to a job, by the formats that it requested.
 * @throws AppError FORMAT_RESTRICTED
 */
export async function checkJobFormats(
  { jobs }: Pick<Deps, "jobs">,
  key: Pick<ApiKey, "id" | "scopes">,
  job: JobRecord,
): Promise<void> {
  if (key.scopes.formats === undefined || job.keyId === key.id) return;
  if (job.kind !== "crawl" && job.kind !== "batch_scrape") return checkFormats(key, ["json"]);
  const optionsJson = (await jobs.wholeOptions(job)) ?? "{}";
  const options = readStored(JobOptions, optionsJson, "job");
  // Nothing is known of options that are not stored, or of jobs with zero data retention.
  if (optionsJson === "{}" || "zeroDataRetention" in options) return checkAnyFormat(key);
  checkFormats(key, outputsOf(options.scrapeOptions ?? options));
}

/**
 * Applies the same check to a monitor: the pages of its checks and its events have what the formats of its targets give.
 * @throws AppError FORMAT_RESTRICTED
 */
export function checkMonitorFormats(
  key: Pick<ApiKey, "id" | "scopes">,
  { keyId, config }: Pick<Monitor, "keyId" | "config">,
): void {
  if (key.scopes.formats === undefined || keyId === key.id) return;
  for (const target of config.targets) {
    if (target.type !== "search") checkFormats(key, outputsOf(Outputs.parse(target.scrapeOptions ?? {})));
  }
}

/** @throws AppError FORBIDDEN without the admin scope. */
export function requireAdmin({ scopes }: Pick<ApiKey, "scopes">): void {
  if (!scopes.admin) throw new AppError("FORBIDDEN", "Forbidden: this needs a key with the admin scope");
}

function restricted(
  code: "ENDPOINT_RESTRICTED" | "FORMAT_RESTRICTED",
  what: string,
  allowed: readonly string[],
): AppError {
  return new AppError(code, `This API key is restricted to the following ${what}: ${allowed.join(", ")}.`);
}
