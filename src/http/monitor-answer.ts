import { z } from "@hono/zod-openapi";
import {
  NO_PAGES,
  NO_PLAN,
  type CheckPlan,
  type Monitor,
  type MonitorCheck,
  type MonitorTarget,
} from "../core/monitor.ts";
import { runsAMonth } from "../services/monitor-schedule.ts";
import { estimateCheck } from "../services/monitor-credits.ts";
import { EXAMPLE_END, EXAMPLE_ID, EXAMPLE_START, OTHER_ID } from "./examples.ts";

const Summary = z.object({
  totalPages: z.int(),
  same: z.int(),
  changed: z.int(),
  new: z.int(),
  removed: z.int(),
  error: z.int(),
});
const Moment = z.string().nullable();

const SUMMARY_EXAMPLE = { totalPages: 1, same: 0, changed: 1, new: 0, removed: 0, error: 0 };
export const MONITOR_EXAMPLE = {
  id: EXAMPLE_ID,
  name: "Prices",
  status: "active",
  schedule: { cron: "0 * * * *", timezone: "UTC" },
  nextRunAt: "2026-11-21T11:00:00.000Z",
  lastRunAt: "2026-11-21T10:00:00.000Z",
  currentCheckId: null,
  targets: [{ id: OTHER_ID, type: "scrape", urls: ["https://example.com/prices"] }],
  webhook: null,
  notification: null,
  retentionDays: 30,
  estimatedCreditsPerMonth: 720,
  lastCheckSummary: SUMMARY_EXAMPLE,
  goal: null,
  judgeEnabled: false,
  createdAt: EXAMPLE_START,
  updatedAt: EXAMPLE_START,
};
export const CHECK_EXAMPLE = {
  id: "019a9d13-9d5c-7e08-b1b6-0c9a1c3f7d20",
  monitorId: EXAMPLE_ID,
  status: "completed",
  trigger: "manual",
  scheduledFor: null,
  startedAt: EXAMPLE_START,
  finishedAt: EXAMPLE_END,
  estimatedCredits: 1,
  reservedCredits: null,
  actualCredits: 1,
  billingStatus: "confirmed",
  summary: SUMMARY_EXAMPLE,
  targetResults: [{ targetId: OTHER_ID, type: "scrape" }],
  notificationStatus: null,
  error: null,
  createdAt: EXAMPLE_START,
  updatedAt: EXAMPLE_END,
};

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
  .openapi("Monitor", { example: MONITOR_EXAMPLE });

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
    targetResults: z.array(
      z.object({
        targetId: z.string(),
        type: z.string(),
        searchCompleted: z.boolean().optional().openapi({ description: "Whether every query was answered" }),
        resultCount: z.int().optional(),
        warning: z.string().optional().openapi({ description: "What could not be done as asked when it was listed" }),
      }),
    ),
    notificationStatus: z.null(),
    error: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi("MonitorCheck", { example: CHECK_EXAMPLE });

/** Searches that look back so far know no shorter time. */
const SHORTEST_WINDOW = "1h";

/** Words about what is kept and has no effect, or another one, here. */
export function warningOf({ config }: Pick<Monitor, "config">): { warning?: string } {
  const warnings: string[] = [];
  if (config.goal !== null || config.judgeEnabled)
    warnings.push(
      "goal, judgeEnabled: they are kept, and changes are not judged by this service; pages have no judgment.",
    );
  const windows = config.targets.flatMap((target) => (target.type === "search" ? [target.searchWindow] : []));
  const short = ["5m", "15m"].filter((window) => (windows as string[]).includes(window));
  if (short.length > 0)
    warnings.push(
      `searchWindow: ${short.join(" and ")} are widened to ${SHORTEST_WINDOW}, the shortest that searches know.`,
    );
  return warnings.length === 0 ? {} : { warning: warnings.join(" ") };
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
    targetResults: config.targets.map((target) => toTargetResult(target, check.plan)),
    notificationStatus: null,
    error: check.error ?? null,
    createdAt: new Date(check.createdAtMs).toISOString(),
    updatedAt: new Date(check.updatedAtMs).toISOString(),
  };
}

/** How listing a target's pages went; a search is completed when every query was answered. */
function toTargetResult({ id: targetId, type }: MonitorTarget, plan: CheckPlan = NO_PLAN) {
  const isOwn = (part: { targetId: string }): boolean => part.targetId === targetId;
  const isListed = plan.listed.includes(targetId);
  const resultCount = plan.pages.filter(isOwn).length;
  const warning = plan.warnings.filter(isOwn).map((each) => each.warning).join(" "); // prettier-ignore
  return {
    targetId,
    type,
    ...(type === "search" ? { searchCompleted: isListed && !plan.failed.some(isOwn), resultCount } : {}),
    ...(warning === "" ? {} : { warning }),
  };
}

function moment(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
