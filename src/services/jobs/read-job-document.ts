import { AppError } from "../../core/errors.ts";
import { jobOfFile } from "../../core/jobs/file-token.ts";
import { jobIdPrefix } from "../../core/scrape/document-id.ts";
import { ENDPOINT_OF_JOB } from "../../core/jobs/job.ts";
import { checkDocument, checkEndpoint } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { hasZeroRetention } from "../../core/jobs/zero-retention.ts";
import { expiryOf } from "./find-job.ts";
import { readPlace } from "./read-place.ts";

/**
 * Reads one document of a job by the ID of its scrape, as the stored text.
 * @throws AppError `JOB_NOT_FOUND`, also for another team's; `ENDPOINT_RESTRICTED`
 */
export async function readJobDocument(
  { jobs, frontiers, blobs, clock, settings }: Pick<Deps, "jobs" | "frontiers" | "blobs" | "clock" | "settings">,
  { key }: Caller,
  id: string,
): Promise<string> {
  // Jobs that start in the same millisecond may share a prefix; the document's ID identifies the job.
  for (const job of await jobs.findByPrefix(jobIdPrefix(id) ?? id)) {
    const expiresAtMs = expiryOf({ ...job, isRunning: job.status === "scraping" }, settings, clock.now());
    if (job.teamId !== key.teamId || expiresAtMs <= clock.now() || hasZeroRetention(job)) continue;
    const place = await frontiers.findDocument(job.id, id);
    if (place === undefined) continue;
    checkEndpoint(key, ENDPOINT_OF_JOB[job.kind]);
    const text = await readPlace(blobs, place);
    if (text === undefined) continue;
    if (job.keyId !== key.id) checkDocument(key, text);
    return text;
  }
  throw new AppError("JOB_NOT_FOUND");
}

/**
 * Finds a file by the token in its URL. A file of a job expires with it.
 * @throws AppError `FILE_GONE`
 */
export async function findFile(
  { files, jobs, clock, settings }: Pick<Deps, "files" | "jobs" | "clock" | "settings">,
  token: string,
): Promise<{ body: ReadableStream; contentType: string; size: number }> {
  const nowMs = clock.now();
  const jobId = jobOfFile(token);
  if (jobId !== undefined) {
    const job = await jobs.find(jobId);
    const isRunning = job?.status === "scraping";
    if (job === undefined || expiryOf({ ...job, isRunning }, settings, nowMs) <= nowMs) throw new AppError("FILE_GONE");
  }
  const file = await files.find(token, nowMs);
  if (file === undefined) throw new AppError("FILE_GONE");
  return file;
}
