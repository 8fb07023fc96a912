import { ENDPOINT_OF_LISTED, LISTED_KINDS, pagesOf } from "../../core/jobs/listed-job.ts";
import type { ListedJob, ListedKind } from "../../core/jobs/listed-job.ts";
import type { JobListPage, JobListQuery } from "../../ports/storage/job-list.ts";
import { checkEndpoint } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { expiryOf } from "./find-job.ts";

/** Running jobs of a page of the list whose numbers are read: each is a call to its frontier. */
const MAX_COUNTED = 10;

/** The query of a caller. */
export interface JobsQuery extends Omit<JobListQuery, "kinds" | "nowMs"> {
  /** All kinds that the key may see when absent. */
  kinds: readonly ListedKind[] | undefined;
}

/**
 * Lists the jobs and monitor checks of the caller's team, newest first. A key with `scopes.endpoints` sees those of these
 * endpoints alone.
 * @throws AppError ENDPOINT_RESTRICTED for a kind that the key may not see.
 */
export async function listJobs(
  { jobList, frontiers, clock, settings }: Pick<Deps, "jobList" | "frontiers" | "clock" | "settings">,
  { key }: Caller,
  { kinds, ...query }: JobsQuery,
): Promise<JobListPage> {
  for (const kind of kinds ?? []) checkEndpoint(key, ENDPOINT_OF_LISTED[kind]);
  const { endpoints } = key.scopes;
  const visible = LISTED_KINDS.filter((kind) => endpoints?.includes(ENDPOINT_OF_LISTED[kind]) ?? true);
  const nowMs = clock.now();
  const listed = await jobList.list(key.teamId, { ...query, kinds: kinds ?? visible, nowMs });
  const jobs = listed.jobs.map((job) => ({ ...job, expiresAtMs: expiryOfListed(job, settings, nowMs) }));
  return { ...listed, jobs: await withNumbers({ frontiers }, jobs) };
}

/** A monitor has a retention of its own. */
function expiryOfListed(job: ListedJob, settings: Deps["settings"], nowMs: number): number {
  if (job.kind === "monitor_check") return job.expiresAtMs;
  return expiryOf({ ...job, isRunning: job.status === "running" }, settings, nowMs);
}

/** Adds the numbers of pages to the newest running crawls and batches; those that have ended are stored with them. */
async function withNumbers({ frontiers }: Pick<Deps, "frontiers">, jobs: readonly ListedJob[]): Promise<ListedJob[]> {
  const running = jobs.filter(({ kind, status }) => status === "running" && isPageKind(kind)).slice(0, MAX_COUNTED);
  const numbers = new Map(
    await Promise.all(
      running.map(async ({ id }) => [id, await frontiers.progress(id).catch(() => undefined)] as const),
    ),
  );
  return jobs.map((job) => {
    const progress = numbers.get(job.id);
    return progress === undefined ? job : { ...job, pages: pagesOf(progress) };
  });
}

function isPageKind(kind: ListedKind): boolean {
  return kind === "crawl" || kind === "batch_scrape";
}
