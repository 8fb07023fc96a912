import { dayKey } from "../../core/account/day-key.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { Deps } from "../deps.ts";

/** Time in which the documents of a job with zero data retention can be read after its end. */
export const HANDOVER_SECONDS = 300;
/** Record of such a job in the list of jobs. */
export const ZERO_RETENTION_RECORD = { target: "", optionsJson: JSON.stringify({ zeroDataRetention: true }) };

/** Reports whether a job was started with zero data retention: its documents are returned once and not retained. */
export function hasZeroRetention({ optionsJson }: Pick<JobRecord, "optionsJson">): boolean {
  return optionsJson === ZERO_RETENTION_RECORD.optionsJson;
}

/**
 * Deletes all results of a job: its documents, and the URLs, events and errors in its Durable Object. Does nothing
 * before the job is settled. Can be repeated.
 */
export async function forgetJob(
  { frontiers, blobs }: Pick<Deps, "frontiers" | "blobs">,
  { id, createdAtMs }: Pick<JobRecord, "id" | "createdAtMs">,
): Promise<void> {
  if (!(await frontiers.forget(id))) return;
  const folder = `results/${dayKey(createdAtMs)}/${id}/`;
  while (await blobs.deletePrefix(folder));
}
