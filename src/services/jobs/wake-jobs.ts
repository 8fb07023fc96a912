import type { Deps } from "../deps.ts";
import { isStepKind } from "../../jobs/step-kinds.ts";
import type { RunningJob } from "../../ports/storage/stores.ts";

/** Jobs that are read with one query. */
const JOBS_AT_A_TIME = 5_000;
/** Jobs of one message, each of which takes one call of its object. */
const JOBS_A_MESSAGE = 100;

/**
 * Asks running jobs for their progress, at which their objects check their alarms: a job whose alarm was lost goes on also
 * when nobody asks for its status. Without jobs, queues messages for all that run. May be repeated.
 * @param jobs ID and kind of each job
 * @throws the first failure, when the others were asked; the message is then delivered again.
 */
export async function wakeJobs(
  deps: Pick<Deps, "jobs" | "frontiers" | "stepJobs" | "tasks" | "clock">,
  jobs?: readonly (readonly [id: string, kind: string])[],
): Promise<void> {
  if (jobs === undefined) return await queueRunningJobs(deps);
  const asked = await Promise.allSettled(
    jobs.map(async ([id, kind]) => {
      await (isStepKind(kind) ? deps.stepJobs : deps.frontiers).progress(id);
    }),
  );
  const failed = asked.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function queueRunningJobs({ jobs, tasks, clock }: Pick<Deps, "jobs" | "tasks" | "clock">): Promise<void> {
  const nowMs = clock.now();
  let after: RunningJob | undefined;
  do {
    const running = await jobs.runningJobs({ after, nowMs, limit: JOBS_AT_A_TIME });
    const pairs = running.map(({ id, kind }): [string, string] => [id, kind]);
    const messages = Array.from({ length: Math.ceil(pairs.length / JOBS_A_MESSAGE) }, (_, at) =>
      pairs.slice(at * JOBS_A_MESSAGE, (at + 1) * JOBS_A_MESSAGE),
    );
    await tasks.sendAll(messages.map((part) => ({ type: "wake_jobs", jobs: part })));
    after = running.length === JOBS_AT_A_TIME ? running.at(-1) : undefined;
  } while (after !== undefined);
}
