import { AppError } from "../../core/errors.ts";
import { EVENT_HOLD_MS } from "../../core/webhooks/webhook-retries.ts";
import { isStepKind } from "../../jobs/step-kinds.ts";
import type { FailedWebhook } from "../../ports/storage/stores.ts";
import type { Caller, Deps } from "../deps.ts";
import { findJob } from "../jobs/find-job.ts";

export type { FailedWebhook } from "../../ports/storage/stores.ts";

const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;

/**
 * Lists the team's events that were given up, newest first.
 * @throws AppError BAD_REQUEST for a cursor that this service has not issued.
 */
export async function listFailedWebhooks(
  { failedWebhooks, clock }: Pick<Deps, "failedWebhooks" | "clock">,
  { key }: Caller,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Promise<{ webhooks: FailedWebhook[]; next: string | undefined }> {
  const before = toPlace(cursor);
  const found = await failedWebhooks.list(key.teamId, { before, limit: limit + 1, nowMs: clock.now() });
  const webhooks = found.slice(0, limit);
  const last = webhooks.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { webhooks, next: hasMore ? `${last.failedAtMs}.${last.webhookId}` : undefined };
}

type ReplayDeps = Pick<
  Deps,
  "failedWebhooks" | "frontiers" | "stepJobs" | "monitors" | "jobs" | "clock" | "settings" | "log"
>;

/** Returns the outbox of a job's events. Events of monitors are sent by the next cron. */
function outboxOf(deps: ReplayDeps, kind: string): Pick<Deps["frontiers"], "replayEvents"> {
  const { monitors, clock } = deps;
  if (kind === "monitor") return { replayEvents: (id, ids) => monitors.replayEvents(id, ids, clock.now()) };
  return isStepKind(kind) ? deps.stepJobs : deps.frontiers;
}

/**
 * Sends an event again that was given up, with all the attempts of a new one and the same ID.
 * @throws AppError WEBHOOK_NOT_FOUND for an unknown event, one of another team, and one that was replayed already.
 */
export async function replayWebhook(deps: ReplayDeps, { key }: Caller, webhookId: string): Promise<void> {
  const webhook = await deps.failedWebhooks.find(key.teamId, webhookId);
  if (webhook === undefined || webhook.expiresAtMs <= deps.clock.now()) throw new AppError("WEBHOOK_NOT_FOUND");
  const [kind = ""] = webhook.type.split(".");
  const replayed = await outboxOf(deps, kind).replayEvents(webhook.jobId, [webhookId]);
  // An event that is not queued again was listed by mistake, unless its run is about to record that it was given up.
  const isRecorded = deps.clock.now() - webhook.failedAtMs > EVENT_HOLD_MS;
  if (replayed.length > 0 || isRecorded) await removeListed(deps, [webhookId], webhook.failedAtMs);
  if (replayed.length === 0) throw new AppError("WEBHOOK_NOT_FOUND");
}

/**
 * Sends all events of a job, or of a monitor's check, again.
 * @returns the number of events.
 * @throws AppError `INVALID_JOB_ID` or `JOB_NOT_FOUND`.
 */
export async function replayJobWebhooks(deps: ReplayDeps, caller: Caller, jobId: string): Promise<number> {
  const nowMs = deps.clock.now();
  const replayed = await outboxOf(deps, await kindOf(deps, caller, jobId)).replayEvents(jobId, undefined);
  await removeListed(deps, replayed, nowMs);
  return replayed.length;
}

/** Removes events that are queued again from the list. A failure is logged: a later replay removes them. */
async function removeListed(
  { failedWebhooks, log }: Pick<Deps, "failedWebhooks" | "log">,
  webhookIds: string[],
  failedAtMs: number,
): Promise<void> {
  await failedWebhooks
    .remove(webhookIds, failedAtMs)
    .catch((error: unknown) => log({ event: "failed_webhooks_not_removed", message: String(error) }));
}

async function kindOf(deps: ReplayDeps, caller: Caller, id: string): Promise<string> {
  const check = await deps.monitors.findCheck(id);
  const monitor = check && (await deps.monitors.find(check.monitorId));
  if (monitor?.teamId === caller.key.teamId) return "monitor";
  const kinds = ["crawl", "batch_scrape", "extract", "agent"] as const;
  return (await findJob(deps, caller, { id, kinds: [...kinds] })).kind;
}

function toPlace(cursor: string | undefined): Pick<FailedWebhook, "failedAtMs" | "webhookId"> | undefined {
  if (cursor === undefined) return undefined;
  const [, failedAtMs, webhookId] = CURSOR.exec(cursor) ?? [];
  if (webhookId === undefined) throw new AppError("BAD_REQUEST", "The cursor does not belong to this list");
  return { failedAtMs: Number(failedAtMs), webhookId };
}
