import { z } from "@hono/zod-openapi";
import { NO_PAGES, type Monitor, type MonitorCheck } from "../core/monitor.ts";
import { runsAMonth } from "../services/monitor-schedule.ts";
import { estimateCheck } from "../services/plan-check.ts";

const Summary = z.object({
  totalPages: z.int(),
  same: z.int(),
  changed: z.int(),
  new: z.int(),
  removed: z.int(),
  error: z.int(),
});
const Moment = z.string().nullable();

export const MonitorInfo = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.enum(["active", "paused"]),
    schedule: z.object({ cron: z.string(), timezone: z.string() }),
    nextRunAt: Moment,
    lastRunAt: Moment,
    currentCheckId: z.string().nullable(),
    targets: z.array(z.looseObject({ id: z.string(), type: z.string() })),
    webhook: z.looseObject({ url: z.string() }).nullable(),
    notification: z.null(),
    retentionDays: z.int(),
    estimatedCreditsPerMonth: z.number(),
    lastCheckSummary: Summary.nullable(),
    goal: z.string().nullable(),
    judgeEnabled: z.boolean(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi("Monitor");

export const CheckInfo = z
  .object({
    id: z.string(),
    monitorId: z.string(),
    status: z.string(),
    trigger: z.enum(["scheduled", "manual"]),
    scheduledFor: Moment,
    startedAt: Moment,
    finishedAt: Moment,
    estimatedCredits: z.number(),
    reservedCredits: z.null(),
    actualCredits: z.number(),
    billingStatus: z.enum(["not_applicable", "confirmed"]),
    summary: Summary,
    targetResults: z.array(z.looseObject({ targetId: z.string(), type: z.string() })),
    notificationStatus: z.null(),
    error: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi("MonitorCheck");

/** Words about what is kept and has no effect here. */
export function warningOf({ config }: Pick<Monitor, "config">): { warning?: string } {
  if (config.goal === null && !config.judgeEnabled) return {};
  return {
    warning: "goal, judgeEnabled: they are kept, and changes are not judged by this service; pages have no judgment.",
  };
}

export function toMonitorInfo({ config, ...monitor }: Monitor, nowMs: number): z.infer<typeof MonitorInfo> {
  const { schedule, targets, webhook, retentionDays, goal, judgeEnabled } = config;
  return {
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    schedule,
    nextRunAt: moment(monitor.nextRunAtMs),
    lastRunAt: moment(monitor.lastRunAtMs),
    currentCheckId: monitor.currentCheckId ?? null,
    targets: targets.map((target) => ({ ...target })),
    webhook: webhook === null ? null : { ...webhook },
    notification: null,
    retentionDays,
    estimatedCreditsPerMonth: estimateCheck(targets) * runsAMonth(schedule, nowMs),
    lastCheckSummary: monitor.lastSummary ?? null,
    goal,
    judgeEnabled,
    createdAt: new Date(monitor.createdAtMs).toISOString(),
    updatedAt: new Date(monitor.updatedAtMs).toISOString(),
  };
}

export function toCheckInfo({ config }: Monitor, check: MonitorCheck): z.infer<typeof CheckInfo> {
  const urls = (targetId: string) => check.plan?.pages.filter((page) => page.targetId === targetId).length ?? 0;
  return {
    id: check.id,
    monitorId: check.monitorId,
    status: check.status,
    trigger: check.trigger,
    scheduledFor: moment(check.scheduledForMs),
    startedAt: moment(check.startedAtMs),
    finishedAt: moment(check.finishedAtMs),
    estimatedCredits: estimateCheck(config.targets),
    reservedCredits: null,
    actualCredits: check.actualCredits,
    billingStatus: check.actualCredits > 0 ? "confirmed" : "not_applicable",
    summary: check.summary ?? NO_PAGES,
    targetResults: config.targets.map(({ id: targetId, type }) =>
      type === "search"
        ? { targetId, type, searchCompleted: check.plan !== undefined, resultCount: urls(targetId) }
        : { targetId, type },
    ),
    notificationStatus: null,
    error: check.error ?? null,
    createdAt: new Date(check.createdAtMs).toISOString(),
    updatedAt: new Date(check.updatedAtMs).toISOString(),
  };
}

function moment(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
