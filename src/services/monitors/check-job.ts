import { z } from "zod";
import type { Monitor } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";

const KIND = "monitor_check" as const;
const DAY_MS = 86_400_000;

/**
 * Specification of a check's step job, whose ID is that of the check, or of the job that sends the events of the check
 * `eventsOf`. Everything else is read from the check.
 */
export const CheckSpecification = z.object({ kind: z.literal(KIND), eventsOf: z.string().optional() });
export type CheckSpecification = z.infer<typeof CheckSpecification>;

/**
 * Starts the step job that runs a check, or, for a job that exists, its next worker run. The job is deleted when the
 * check has ended, and when its run finds no open check.
 */
export async function startCheckJob(
  { stepJobs, clock }: Pick<Deps, "stepJobs" | "clock">,
  { config }: Pick<Monitor, "config">,
  { checkId, firstRunAtMs }: { checkId: string; firstRunAtMs?: number },
): Promise<void> {
  const specification: CheckSpecification = { kind: KIND };
  await stepJobs.start(checkId, {
    specification: JSON.stringify(specification),
    events: [],
    maxCredits: undefined,
    expiresAtMs: clock.now() + config.retentionDays * DAY_MS,
    firstRunAtMs,
  });
}

/** Returns the ID of the step job that sends the events of a check. */
export function eventJobId(checkId: string): string {
  return `${checkId}-events`;
}

/**
 * Starts the step job that sends the due events of a check, unless it runs. Each check has its own: a receiver that does
 * not answer delays no events of other checks. The job is deleted with its last run; the cron starts it again for events
 * that are due later.
 */
export async function startEventJob(
  { stepJobs, clock }: Pick<Deps, "stepJobs" | "clock">,
  checkId: string,
): Promise<void> {
  const specification: CheckSpecification = { kind: KIND, eventsOf: checkId };
  await stepJobs.start(eventJobId(checkId), {
    specification: JSON.stringify(specification),
    events: [],
    maxCredits: undefined,
    expiresAtMs: clock.now() + DAY_MS,
  });
}
