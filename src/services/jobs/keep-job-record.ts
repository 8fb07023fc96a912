import type { JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";

/** Inserts a job into the list of jobs, unless it is there already. Jobs of older versions contain no record. */
export async function keepJobRecord(
  { jobs }: Pick<Deps, "jobs">,
  {
    id,
    key,
    kind,
    apiVersion,
    createdAtMs,
    record,
  }: Omit<JobSpecification, "scrapeOptions" | "archive" | "keepsVersions">,
): Promise<void> {
  if (record === undefined) return;
  const { fingerprint, ...fields } = record;
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
    },
    fingerprint === undefined ? undefined : { fingerprint },
  );
}
