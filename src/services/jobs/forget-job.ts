import { dayKey } from "../../core/account/day-key.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { Deps } from "../deps.ts";

/** How long the documents of a job that keeps nothing wait to be fetched, once it has ended. */
export const HANDOVER_SECONDS = 300;
/** What the list of jobs says of such a job. */
export const UNKEPT_RECORD = { target: "", optionsJson: JSON.stringify({ zeroDataRetention: true }) };

/** Whether a job was started with zero data retention: its documents are handed over once, and kept nowhere. */
export function isUnkept({ optionsJson }: Pick<JobRecord, "optionsJson">): boolean {
  return optionsJson === UNKEPT_RECORD.optionsJson;
}

/**
 * Deletes everything that a job has brought: its documents, and the URLs, events and errors in its own object. Does
 * nothing while the job is not settled. Bears being done twice.
 */
export async function forgetJob(
  { frontiers, blobs }: Pick<Deps, "frontiers" | "blobs">,
  { id, createdAtMs }: Pick<JobRecord, "id" | "createdAtMs">,
): Promise<void> {
  if (!(await frontiers.forget(id))) return;
  const folder = `results/${dayKey(createdAtMs)}/${id}/`;
  while (await blobs.deletePrefix(folder));
}
