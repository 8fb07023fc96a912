import { v7 as uuidv7 } from "uuid";
import type { CheckStatus, Monitor, MonitorCheck, MonitorPage, MonitorSummary } from "../../core/monitors/monitor.ts";
import type { MonitorEvent } from "../../ports/monitors.ts";
import { deliverEvents, type Outbox } from "../webhooks/deliver-events.ts";
import type { Deps } from "../deps.ts";
import { monitorDeps } from "./monitor-deps.ts";

/** Returns the event of a page; undefined for a removed page, and when the webhook does not select it. */
export function pageEvent(monitor: Monitor, check: MonitorCheck, page: MonitorPage): MonitorEvent | undefined {
  if (page.status === "removed" || !wants(monitor, "page")) return undefined;
  const { url, status, previousScrapeId, currentScrapeId, error, diff, judgment, warning } = page;
  const data = {
    monitorId: monitor.id,
    checkId: check.id,
    url,
    status,
    ...(previousScrapeId === null ? {} : { previousScrapeId }),
    ...(currentScrapeId === null ? {} : { currentScrapeId }),
    ...(error === null ? {} : { error }),
    ...(judgment === null ? {} : { isMeaningful: judgment.meaningful, judgment }),
    ...(diff === null ? {} : { diff }),
    ...(warning === undefined ? {} : { warning }),
  };
  return { webhookId: uuidv7(), event: "page", data };
}

export function completedEvent(
  monitor: Monitor,
  check: Pick<MonitorCheck, "id">,
  end: { status: CheckStatus; summary: MonitorSummary },
): MonitorEvent | undefined {
  if (!wants(monitor, "check.completed")) return undefined;
  const { status, summary } = end;
  const data = { monitorId: monitor.id, checkId: check.id, status, summary };
  return { webhookId: uuidv7(), event: "check.completed", data };
}

const EVENTS_AT_A_TIME = 20;

/**
 * Sends the due events of a check; failed deliveries are due again later. Events are sent even when the key that paid
 * for the check is no longer valid. Without a webhook, events are given up.
 */
export async function sendMonitorEvents(deps: Deps, checkId: string): Promise<void> {
  const check = await deps.monitors.findCheck(checkId);
  const monitor = check && (await deps.monitors.find(check.monitorId));
  if (check === undefined || monitor === undefined) return await deps.monitors.dropEvents(checkId);
  if (monitor.config.webhook === null) return await giveUpEvents(deps, monitor, check);
  const { url, headers = {}, metadata = {} } = monitor.config.webhook;
  const outbox: Outbox = {
    takeEvents: (_id, limit) => deps.monitors.takeEvents(checkId, deps.clock.now(), limit),
    noteSent: (_id, notes) => deps.monitors.noteSent(notes, deps.clock.now()),
  };
  const { createdAtMs } = check;
  const key = { teamId: monitor.teamId };
  await deliverEvents(monitorDeps(deps, monitor), outbox, {
    id: checkId,
    kind: "monitor",
    key,
    webhook: { url, headers, metadata },
    createdAtMs,
  });
}

/**
 * Gives up the events of a check. Inserts them into the team's list first, so that a crash in between repeats the step.
 */
async function giveUpEvents(
  { monitors, failedWebhooks, clock, settings }: Deps,
  { teamId }: Monitor,
  check: MonitorCheck,
): Promise<void> {
  for (;;) {
    const nowMs = clock.now();
    const entries = await monitors.takeEvents(check.id, nowMs, EVENTS_AT_A_TIME);
    if (entries.length === 0) return;
    await failedWebhooks.insert(
      entries.map(({ webhookId, event, attempts }) => ({
        webhookId,
        teamId,
        jobId: check.id,
        type: `monitor.${event}`,
        url: "",
        attempts,
        statusCode: undefined,
        error: "The monitor no longer has a webhook",
        failedAtMs: nowMs,
        expiresAtMs: check.createdAtMs + settings.resultRetentionMs,
      })),
    );
    const notes = entries.map(({ entryId, webhookId }) => ({ entryId, webhookId, kind: "refused" as const }));
    await monitors.noteSent(notes, nowMs);
  }
}

/**
 * Reports whether the webhook selects an event. A filter may contain the full name of an event, its second or last part, or
 * everything after the first dot.
 */
function wants({ config }: Monitor, event: MonitorEvent["event"]): boolean {
  if (config.webhook === null) return false;
  const { events = [] } = config.webhook;
  const names = [`monitor.${event}`, event, ...event.split(".")];
  return events.length === 0 || names.some((name) => events.includes(name));
}
