import { MAX_JOB_LIFE_MS } from "../../core/jobs/job-life.ts";
import type { JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";

/**
 * Inserts a job into the list of jobs, unless it is there already. Its row expires when the job must have ended; the end of the
 * job brings that forward. Jobs of older versions contain no record.
 */
export async function keepJobRecord(
  { jobs }: Pick<Deps, "jobs">,
  {
    id,
    key,
    kind,
    apiVersion,
    createdAtMs,
    record,
    since,
  }: Omit<JobSpecification, "scrapeOptions" | "archive" | "keepsVersions">,
): Promise<void> {
  if (record === undefined) return;
  const { fingerprint, expiresAtMs, ...fields } = record;
  await jobs.insert(
    {
      id,
      teamId: key.teamId,
      keyId: key.id,
      kind,
      apiVersion,
      status: "scraping",
      createdAtMs,
      endedAtMs: undefined,
      ...fields,
      expiresAtMs: expiresAtMs + MAX_JOB_LIFE_MS,
      ...(since === undefined ? {} : { sinceId: since.id }),
    },
    fingerprint === undefined ? undefined : { fingerprint },
  );
}
