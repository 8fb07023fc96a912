import type { JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";

/** The hold of the earlier crawl is prolonged once in each of so many parts of the retention: each time writes its state. */
const PARTS = 4;

/**
 * Keeps the crawl that an incremental one continues readable while that one runs, which may take longer than the
 * retention, and as long as its results. The start of the job has held it for the first retention. A failure is logged: the
 * next run asks again.
 */
export async function holdEarlier(
  { frontiers, clock, settings, log }: Pick<Deps, "frontiers" | "clock" | "settings" | "log">,
  { id, since, createdAtMs }: Pick<JobSpecification, "id" | "since" | "createdAtMs">,
): Promise<void> {
  const { resultRetentionMs } = settings;
  const part = Math.ceil(resultRetentionMs / PARTS);
  const nowMs = clock.now();
  if (since === undefined || nowMs - createdAtMs < part) return;
  const untilMs = (Math.floor(nowMs / part) + 2) * part + resultRetentionMs;
  await frontiers
    .hold(since.id, untilMs)
    .catch((error: unknown) => log({ event: "earlier_crawl_not_held", jobId: id, message: String(error) }));
}
