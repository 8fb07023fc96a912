import type { JobSpecification } from "../../jobs/kind.ts";
import type { Deps } from "../deps.ts";

/** Parts of the retention at whose turn the earlier crawl is held for longer: each writes its state. */
const PARTS = 4;

/**
 * Keeps the crawl that an incremental one continues readable while that one runs, which may take longer than the
 * retention, and as long as its results. The start of the job has held it for the first retention.
 */
export async function holdEarlier(
  { frontiers, clock, settings }: Pick<Deps, "frontiers" | "clock" | "settings">,
  { since, createdAtMs }: Pick<JobSpecification, "since" | "createdAtMs">,
): Promise<void> {
  const { resultRetentionMs } = settings;
  const part = Math.ceil(resultRetentionMs / PARTS);
  const nowMs = clock.now();
  if (since === undefined || nowMs - createdAtMs < part) return;
  await frontiers.hold(since.id, (Math.floor(nowMs / part) + 2) * part + resultRetentionMs);
}
