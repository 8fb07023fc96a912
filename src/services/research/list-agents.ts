import type { JobRecord } from "../../core/jobs/job.ts";
import type { Caller, Deps } from "../deps.ts";

export interface AgentPage {
  agents: JobRecord[];
  /** Ms since the epoch: the next page lists agents that started before it; undefined for the last page. */
  nextBeforeMs: number | undefined;
}

const PAGE_SIZE = 20;
/** Agents of the same millisecond are on one page, since the next page starts at a time. */
const MAX_ROWS = 120;

/** Lists the agents of the caller's team that started before a time, newest first. */
export async function listAgents(
  { jobs, clock }: Pick<Deps, "jobs" | "clock">,
  { key }: Caller,
  beforeMs: number,
): Promise<AgentPage> {
  return pageOf(await jobs.listAgents(key.teamId, { beforeMs, nowMs: clock.now(), limit: MAX_ROWS }));
}

/** Lists the first runs of the threads of the caller's team that started before a time, newest first. */
export async function listThreads(
  { jobs, clock }: Pick<Deps, "jobs" | "clock">,
  { key }: Caller,
  beforeMs: number,
): Promise<AgentPage> {
  return pageOf(await jobs.listThreads(key.teamId, { beforeMs, nowMs: clock.now(), limit: MAX_ROWS }));
}

function pageOf(found: JobRecord[]): AgentPage {
  const last = found[PAGE_SIZE - 1];
  if (last === undefined) return { agents: found, nextBeforeMs: undefined };
  const end = found.findIndex(({ createdAtMs }) => createdAtMs < last.createdAtMs);
  if (end < 0) return { agents: found, nextBeforeMs: found.length < MAX_ROWS ? undefined : last.createdAtMs };
  return { agents: found.slice(0, end), nextBeforeMs: last.createdAtMs };
}
