import { v7 as uuidv7 } from "uuid";
import { NO_COUNTS } from "../../core/account/meter.ts";
import { ownerOf } from "../../core/fair-order.ts";
import type { CheckStatus, Monitor, MonitorCheck, MonitorPage, MonitorSummary } from "../../core/monitors/monitor.ts";
import type { DeliveryNote, OutboxEntry } from "../../ports/crawl/frontier.ts";
import type { MonitorEvent } from "../../ports/monitors.ts";
import type { OpenedJob } from "../../ports/step-jobs.ts";
import { deliverEvents, MAX_DELIVERY_MS, type Outbox } from "../webhooks/deliver-events.ts";
import type { Deps } from "../deps.ts";
import { withHeartbeat } from "../jobs/with-heartbeat.ts";
import { startEventJob } from "./check-job.ts";
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
/** Events that one invocation sends: twenty of them take three to five of its 1,000 queries. */
const MAX_EVENTS = 300;

/** Sends the due events of a check. A step job goes on with more events than one invocation sends. */
export async function sendMonitorEvents(deps: Deps, checkId: string): Promise<void> {
  if (!(await sendDueEvents(deps, checkId))) await startEventJob(deps, checkId);
}

/** A worker run of the step job that sends the events of a check. */
export interface EventRun extends Pick<OpenedJob, "status"> {
  checkId: string;
  jobId: string;
  runId: string;
}

/**
 * Sends due events of a check, and leaves those that one invocation does not send to the next run. After the last ones, and
 * after a failure, the job is deleted: the cron starts it again while events are due.
 */
export async function runMonitorEvents(deps: Deps, { checkId, jobId, runId, status }: EventRun): Promise<void> {
  const { stepJobs } = deps;
  const report = (hasProgress = false) => stepJobs.report(jobId, runId, { costs: NO_COUNTS, hasProgress });
  const send = async (): Promise<boolean> => status !== "scraping" || (await sendDueEvents(deps, checkId));
  const isDone = await withHeartbeat(deps, report, send).catch((error: unknown) => {
    deps.log({ event: "monitor_events_failed", checkId, message: String(error) });
    return true;
  });
  if (isDone) return await stepJobs.forget(jobId);
  await report(true);
  await stepJobs.leave(jobId, runId, { isClosed: false });
}

/**
 * Sends the due events of a check; failed deliveries are due again later. Events are sent even when the key that paid
 * for the check is no longer valid. The monitor is read again after the wait for a place, in which it may change.
 * @returns false when there may be more events than one invocation sends
 */
async function sendDueEvents(deps: Deps, checkId: string): Promise<boolean> {
  const found = await findMonitor(deps, checkId);
  if (found === undefined) return true;
  const { keyId, teamId } = found.monitor;
  return await deps.monitorEvents.run(ownerOf({ id: keyId, teamId }), async () => {
    const current = await findMonitor(deps, checkId);
    if (current === undefined) return true;
    const outbox = new LimitedOutbox(deps, checkId);
    await deliverOrGiveUp(deps, outbox, current);
    return !outbox.isOver;
  });
}

/** Returns a check with its monitor. When either was deleted, deletes the events of the check. */
async function findMonitor({ monitors }: Deps, checkId: string): Promise<CheckOfMonitor | undefined> {
  const check = await monitors.findCheck(checkId);
  const monitor = check && (await monitors.find(check.monitorId));
  if (check !== undefined && monitor !== undefined) return { monitor, check };
  await monitors.dropEvents(checkId);
  return undefined;
}

/** The outbox of a check for one invocation: empty once as many events are taken as it may send, or its time is over. */
class LimitedOutbox implements Outbox {
  readonly #deps: Pick<Deps, "monitors" | "clock">;
  readonly #checkId: string;
  readonly #untilMs: number;
  #left = MAX_EVENTS;
  #isOver = false;

  constructor(deps: Pick<Deps, "monitors" | "clock">, checkId: string) {
    this.#deps = deps;
    this.#checkId = checkId;
    this.#untilMs = deps.clock.now() + MAX_DELIVERY_MS;
  }

  /** Reports whether there may be events that this invocation must leave to another one. */
  get isOver(): boolean {
    return this.#isOver;
  }

  async takeEvents(_id: string, limit: number): Promise<OutboxEntry[]> {
    const { monitors, clock } = this.#deps;
    const most = Math.min(limit, this.#left);
    this.#isOver = most === 0 || clock.now() >= this.#untilMs;
    if (this.#isOver) return [];
    const taken = await monitors.takeEvents(this.#checkId, clock.now(), most);
    this.#left -= taken.length;
    return taken;
  }

  async noteSent(_id: string, notes: readonly DeliveryNote[]): Promise<void> {
    await this.#deps.monitors.noteSent(notes, this.#deps.clock.now());
  }
}

interface CheckOfMonitor {
  monitor: Monitor;
  check: MonitorCheck;
}

/** Without a webhook, events are given up. */
async function deliverOrGiveUp(deps: Deps, outbox: Outbox, { monitor, check }: CheckOfMonitor): Promise<void> {
  const { webhook } = monitor.config;
  if (webhook === null) return await giveUpEvents(deps, outbox, { monitor, check });
  const { url, headers = {}, metadata = {} } = webhook;
  const { id, createdAtMs } = check;
  const job = {
    id,
    kind: "monitor" as const,
    key: { teamId: monitor.teamId },
    webhook: { url, headers, metadata },
    createdAtMs,
  };
  // The outbox ends the delivery: what it has given out is sent, since it would be hidden from the next run.
  await deliverEvents(monitorDeps(deps, monitor), outbox, job, { untilMs: Infinity, taken: [] });
}

/**
 * Gives up the events of a check. Inserts them into the team's list first, so that a crash in between repeats the step.
 */
async function giveUpEvents(
  { failedWebhooks, clock, settings }: Deps,
  outbox: Outbox,
  { monitor: { teamId }, check }: CheckOfMonitor,
): Promise<void> {
  for (;;) {
    const nowMs = clock.now();
    const entries = await outbox.takeEvents(check.id, EVENTS_AT_A_TIME);
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
    const notes = entries.map(({ entryId, webhookId, attempts }) => ({
      entryId,
      webhookId,
      kind: "refused" as const,
      attempts,
    }));
    await outbox.noteSent(check.id, notes);
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
