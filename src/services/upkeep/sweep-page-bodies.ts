import type { Deps } from "../deps.ts";

const BODIES_AT_A_TIME = 1_000;
/** No request lives as long: a body without an entry is then left by a crash. */
const WRITING_MS = 3_600_000;

/**
 * Deletes bodies of the page cache that no entry points at. One step looks at a bounded number of them and sends the
 * next one through the queue with the key to go on after, so that a crash costs one step.
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
