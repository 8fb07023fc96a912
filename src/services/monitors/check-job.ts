import { z } from "zod";
import type { Monitor } from "../../core/monitors/monitor.ts";
import type { Deps } from "../deps.ts";

const KIND = "monitor_check" as const;
const DAY_MS = 86_400_000;

/** Specification of a check's step job, whose ID is that of the check. Everything else is read from the check. */
export const CheckSpecification = z.object({ kind: z.literal(KIND) });
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
