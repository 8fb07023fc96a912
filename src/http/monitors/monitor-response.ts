import { z } from "@hono/zod-openapi";
import {
  NO_PAGES,
  type ListedCheck,
  type ListingResult,
  type Monitor,
  type MonitorTarget,
} from "../../core/monitors/monitor.ts";
import { hiddenOptions } from "../../formats/hidden-options.ts";
import type { Caller } from "../../services/deps.ts";
import { hiddenWebhook } from "../../services/monitors/hidden-values.ts";
import { isJudged } from "../../services/monitors/judge-change.ts";
import { knownOptionsOfTarget } from "../../services/monitors/target-options.ts";
import { runsAMonth } from "../../services/monitors/monitor-schedule.ts";
import { estimateCheck } from "../../services/monitors/monitor-credits.ts";
import { estimateOfCheck } from "../../services/estimate/kept-estimates.ts";
import { ComparedField } from "../jobs/estimate-response.ts";
import { EXAMPLE_END, EXAMPLE_ID, EXAMPLE_START, OTHER_ID } from "../docs/examples.ts";

const Summary = z.object({
  totalPages: z.int().describe("Number of checked pages."),
  same: z.int().describe("Number of unchanged pages."),
  changed: z.int().describe("Number of changed pages."),
  new: z.int().describe("Number of new pages."),
  removed: z.int().describe("Number of removed pages."),
  error: z.int().describe("Number of pages that failed."),
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
    id: z.string().describe("ID of the resource."),
    name: z.string().describe("Name of the monitor."),
    status: z.enum(["active", "paused"]).describe("Whether scheduled checks run."),
    schedule: z
      .object({
        cron: z.string().describe("Cron expression with 5 fields."),
        timezone: z.string().describe("IANA name of the time zone."),
      })
      .describe("When the monitor runs."),
    nextRunAt: Moment.describe("Time of the next scheduled check, or null."),
    lastRunAt: Moment.describe("Time of the last check, or null."),
    currentCheckId: z.string().nullable().describe("ID of the check that is running, or null."),
    targets: z
      .array(
        z.looseObject({
          id: z.string().describe("ID of the resource."),
          type: z.string().describe("Kind of target: scrape, crawl or search."),
        }),
      )
      .describe("What the monitor checks."),
    webhook: z
      .looseObject({ url: z.string().describe("URL that receives the events.") })
      .nullable()
      .describe("Webhook of the monitor, or null."),
    notification: z.null().describe("Always null: only webhooks are available."),
    retentionDays: z.int().describe("Days for which checks are kept."),
    estimatedCreditsPerMonth: z.number().describe("Estimated credits of all checks in 30 days."),
    lastCheckSummary: Summary.nullable().describe("Summary of the last check, or null."),
    goal: z.string().nullable().describe("Description of the changes that matter, or null."),
    judgeEnabled: z.boolean().describe("Whether changes are to be judged by the goal."),
    createdAt: z.string().describe("Time of creation."),
    updatedAt: z.string().describe("Time of the last change."),
  })
  .openapi("Monitor", { description: "A monitor with its configuration.", example: MONITOR_EXAMPLE });

export const CheckInfo = z
  .object({
    id: z.string().describe("ID of the resource."),
    monitorId: z.string().describe("ID of the monitor."),
    status: z.string().describe("State of the check."),
    trigger: z.enum(["scheduled", "manual"]).describe("Whether the check was scheduled or started by a request."),
    scheduledFor: Moment.describe("Scheduled time of the check, or null."),
    startedAt: Moment.describe("Time at which the check started, or null."),
    finishedAt: Moment.describe("Time at which the check ended, or null."),
    estimatedCredits: z.number().describe("Estimated credits of the check."),
    reservedCredits: z.null().describe("Always null: credits are not reserved."),
    actualCredits: z.number().describe("Credits charged for the check."),
    billingStatus: z.enum(["not_applicable", "confirmed"]).describe("Whether credits were charged."),
    summary: Summary.describe("Number of pages by outcome."),
    targetResults: z
      .array(
        z.object({
          targetId: z.string().describe("ID of the target."),
          type: z.string().describe("Kind of target: scrape, crawl or search."),
          searchCompleted: z
            .boolean()
            .optional()
            .openapi({ description: "Whether every query was answered. Present for searches." }),
          resultCount: z.int().optional().describe("Number of pages found. Present for searches."),
          matches: z.int().optional().openapi({
            description:
              "Number of results that no earlier search returned, without those that were judged irrelevant to the goal. Present for searches in the response to a single check.",
          }),
          resultsJudged: z.int().optional().openapi({
            description:
              "Number of results that were judged by the goal. Present for searches in the response to a single check.",
          }),
          warning: z
            .string()
            .optional()
            .openapi({ description: "What could not be done as requested when pages were listed." }),
        }),
      )
      .describe("Result of listing the pages of each target."),
    notificationStatus: z.null().describe("Always null: only webhooks are available."),
    error: z.string().nullable().describe("Why the check failed, or null."),
    estimate: ComparedField,
    createdAt: z.string().describe("Time of creation."),
    updatedAt: z.string().describe("Time of the last change."),
  })
  .openapi("MonitorCheck", { description: "A check of a monitor.", example: CHECK_EXAMPLE });

/** The shortest period that search engines support. */
const SHORTEST_WINDOW = "1h";

/**
 * Returns the warning for options that are stored and have no effect, or a different one, here.
 *
 * @param hasModel true when a language model is configured.
 */
export function warningOf({ config }: Pick<Monitor, "config">, hasModel: boolean): { warning?: string } {
  const warnings: string[] = [];
  if (config.judgeEnabled && config.goal === null) warnings.push("judgeEnabled: it has no effect without a goal.");
  if (isJudged(config) && !hasModel)
    warnings.push("goal: changes are not judged, since this deployment has no language model; judgment stays null.");
  if (config.targets.some(hasTag))
    warnings.push("changeTracking.tag: it has no effect in a monitor, whose checks are compared with each other.");
  const windows = config.targets.flatMap((target) => (target.type === "search" ? [target.searchWindow] : []));
  const short = ["5m", "15m"].filter((window) => (windows as string[]).includes(window));
  if (short.length > 0)
    warnings.push(
      `searchWindow: ${short.join(" and ")} are widened to ${SHORTEST_WINDOW}, the shortest window that searches support.`,
    );
  return warnings.length === 0 ? {} : { warning: warnings.join(" ") };
}

function hasTag(target: MonitorTarget): boolean {
  if (target.type === "search") return false;
  const { formats = [] } = knownOptionsOfTarget(target);
  return formats.some((format) => format.type === "changeTracking" && (format.tag ?? "") !== "");
}

/** Secrets of a monitor are shown to its own key alone. */
export function toMonitorInfo(
  { config, ...monitor }: Monitor,
  { nowMs, caller }: { nowMs: number; caller: Caller },
): z.infer<typeof MonitorInfo> {
  const { schedule, targets, webhook, retentionDays, goal, judgeEnabled } = config;
  const isOwn = monitor.keyId === caller.key.id;
  return {
    id: monitor.id,
    name: monitor.name,
    status: monitor.status,
    schedule,
    nextRunAt: moment(monitor.nextRunAtMs),
    lastRunAt: moment(monitor.lastRunAtMs),
    currentCheckId: monitor.currentCheckId ?? null,
    targets: targets.map((target) => ({
      ...(isOwn ? target : hiddenOptions(target)),
      id: target.id,
      type: target.type,
    })),
    webhook: webhook === null ? null : { ...(isOwn ? webhook : hiddenWebhook(webhook)) },
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

export function toCheckInfo({ config }: Monitor, check: ListedCheck): z.infer<typeof CheckInfo> {
  const results = new Map(check.results.map((result) => [result.targetId, result]));
  const estimate = estimateOfCheck(config, check);
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
    targetResults: config.targets.map((target) => toTargetResult(target, results.get(target.id))),
    notificationStatus: null,
    error: check.error ?? null,
    ...(estimate === undefined ? {} : { estimate }),
    createdAt: new Date(check.createdAtMs).toISOString(),
    updatedAt: new Date(check.updatedAtMs).toISOString(),
  };
}

type CheckInfo = z.infer<typeof CheckInfo>;

/** Adds the counts of new results to a check's searches. */
export function withMatches(
  check: CheckInfo,
  counts: readonly { targetId: string; matches: number; judged: number }[],
): CheckInfo {
  const targetResults = check.targetResults.map((result) => {
    if (result.type !== "search") return result;
    const { matches = 0, judged = 0 } = counts.find(({ targetId }) => targetId === result.targetId) ?? {};
    return { ...result, matches, resultsJudged: judged };
  });
  return { ...check, targetResults };
}

/** Returns the result of listing a target's pages; a search is completed when every query succeeded. */
function toTargetResult({ id: targetId, type }: MonitorTarget, result: ListingResult | undefined) {
  const { pages: resultCount = 0, hasFailed = true, warning } = result ?? {};
  return {
    targetId,
    type,
    ...(type === "search" ? { searchCompleted: !hasFailed, resultCount } : {}),
    ...(warning === undefined ? {} : { warning }),
  };
}

function moment(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
