import { v7 as uuidv7 } from "uuid";
import type { CheckStatus, Monitor, MonitorCheck, MonitorPage, MonitorSummary } from "../core/monitor.ts";
import type { MonitorEvent } from "../ports/monitors.ts";
import { deliverEvents } from "./deliver-events.ts";
import type { Deps } from "./deps.ts";
import { monitorKey } from "./monitor-key.ts";

/** A page that has vanished has no event (contract § 19). */
export function pageEvent(monitor: Monitor, check: MonitorCheck, page: MonitorPage): MonitorEvent | undefined {
  if (page.status === "removed" || !wants(monitor, "page")) return undefined;
  const { url, status, previousScrapeId, currentScrapeId, error, diff } = page;
  const told = {
    monitorId: monitor.id,
    checkId: check.id,
    url,
    status,
    ...(previousScrapeId === null ? {} : { previousScrapeId }),
    ...(currentScrapeId === null ? {} : { currentScrapeId }),
    ...(error === null ? {} : { error }),
    ...(diff === null ? {} : { diff }),
  };
  return { webhookId: uuidv7(), event: "page", data: told };
}

export function completedEvent(
  monitor: Monitor,
  check: MonitorCheck,
  end: { status: CheckStatus; summary: MonitorSummary },
): MonitorEvent | undefined {
  if (!wants(monitor, "check.completed")) return undefined;
  const { status, summary } = end;
  const data = { monitorId: monitor.id, checkId: check.id, status, summary };
  return { webhookId: uuidv7(), event: "check.completed", data };
}

/** Sends what the webhook of a check is to hear now; what does not arrive is due again later. */
export async function sendMonitorEvents(deps: Deps, checkId: string): Promise<void> {
  const check = await deps.monitors.findCheck(checkId);
  const monitor = check && (await deps.monitors.find(check.monitorId));
  if (monitor?.config.webhook == null || check === undefined) return;
  const key = await monitorKey(deps, monitor);
  if (key === undefined) return;
  const { url, headers = {}, metadata = {} } = monitor.config.webhook;
  const outbox = {
    takeEvents: (_id: string, limit: number) => deps.monitors.takeEvents(checkId, deps.clock.now(), limit),
    noteSent: async (id: string, notes: Parameters<Deps["frontiers"]["noteSent"]>[1]) =>
      await deps.monitors.noteSent(id, notes, deps.clock.now()),
  };
  const webhook = { url, headers, metadata };
  await deliverEvents(deps, outbox, { id: checkId, kind: "monitor", key, webhook, createdAtMs: check.createdAtMs });
}

/** The filter of contract § 19: the whole name, its second part, or everything after the first dot. */
function wants({ config }: Monitor, event: MonitorEvent["event"]): boolean {
  if (config.webhook === null) return false;
  const { events = [] } = config.webhook;
  return (
    events.length === 0 || [`monitor.${event}`, event, event.split(".")[0]].some((name) => events.includes(name ?? ""))
  );
}
