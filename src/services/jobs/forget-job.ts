import { dayKey } from "../../core/account/day-key.ts";
import type { JobRecord } from "../../core/jobs/job.ts";
import type { Deps } from "../deps.ts";

/** Time in which the documents of a job with zero data retention can be read after its end. */
export const HANDOVER_SECONDS = 300;
/** Time after which the job's object asks for the deletion, when no message has come. */
const SPARE_SECONDS = 60;

/**
 * Closes an ended job, and has it deleted when its documents cannot be read any more. The message does so, also after a
 * deletion that was cut off; the job's object sends another one when this one was not sent.
 */
export async function closeAndForget(
  { frontiers, tasks, clock }: Pick<Deps, "frontiers" | "tasks" | "clock">,
  { id, createdAtMs }: Pick<JobRecord, "id" | "createdAtMs">,
  endedAtMs: number | undefined,
): Promise<void> {
  const atMs = clock.now() + (HANDOVER_SECONDS + SPARE_SECONDS) * 1000;
  await frontiers.close(id, { atMs, createdAtMs });
  const end = endedAtMs === undefined ? {} : { endedAtMs };
  await tasks.send({ type: "forget_job", jobId: id, createdAtMs, ...end }, { delaySeconds: HANDOVER_SECONDS });
}

/** Notes documents of a job that were handed over, and deletes its results when all were. */
export async function forgetRead(
  deps: Pick<Deps, "frontiers" | "blobs">,
  job: Pick<JobRecord, "id" | "createdAtMs">,
  read: { from: number; to: number },
): Promise<void> {
  if (await deps.frontiers.noteRead(job.id, read)) await forgetJob(deps, job);
}

/**
 * Deletes all results of a job: its documents, and the URLs, events and errors in its Durable Object. Does nothing
 * before the job is settled. While events wait for their delivery, the job's object repeats this after the last one. Can
 * be repeated.
 * @param endedAtMs end to which the deletion belongs: nothing is deleted when the job has ended again since
 */
export async function forgetJob(
  { frontiers, blobs }: Pick<Deps, "frontiers" | "blobs">,
  { id, createdAtMs }: Pick<JobRecord, "id" | "createdAtMs">,
  endedAtMs?: number,
): Promise<void> {
  if (!(await frontiers.forget(id, { createdAtMs, endedAtMs }))) return;
  const folder = `results/${dayKey(createdAtMs)}/${id}/`;
  while (await blobs.deletePrefix(folder));
}
