import { ENDPOINT_OF_LISTED, LISTED_KINDS } from "../../core/jobs/listed-job.ts";
import type { ListedKind } from "../../core/jobs/listed-job.ts";
import type { JobListPage, JobListQuery } from "../../ports/storage/job-list.ts";
import { checkEndpoint } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";

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
  { jobList, clock }: Pick<Deps, "jobList" | "clock">,
  { key }: Caller,
  { kinds, ...query }: JobsQuery,
): Promise<JobListPage> {
  for (const kind of kinds ?? []) checkEndpoint(key, ENDPOINT_OF_LISTED[kind]);
  const { endpoints } = key.scopes;
  const visible = LISTED_KINDS.filter((kind) => endpoints?.includes(ENDPOINT_OF_LISTED[kind]) ?? true);
  return await jobList.list(key.teamId, { ...query, kinds: kinds ?? visible, nowMs: clock.now() });
}
