import type { Deps } from "../deps.ts";

const BODIES_AT_A_TIME = 1_000;
/** No request runs this long: a body without an entry was then left by a crash. */
const WRITING_MS = 3_600_000;

/**
 * Deletes bodies of the page cache that no entry refers to. One call checks a bounded number of them and queues the
 * next with the key to continue after, so that a crash costs one call.
 */
export async function sweepPageBodies(
  { pageCache, tasks, clock, log }: Pick<Deps, "pageCache" | "tasks" | "clock" | "log">,
  after: string | undefined,
): Promise<void> {
  const writtenBeforeMs = clock.now() - WRITING_MS;
  const { deleted, next } = await pageCache.sweep({ after, limit: BODIES_AT_A_TIME, writtenBeforeMs });
  if (deleted > 0) log({ event: "page_bodies_swept", deleted });
  if (next !== undefined) await tasks.send({ type: "sweep_page_bodies", after: next });
}
