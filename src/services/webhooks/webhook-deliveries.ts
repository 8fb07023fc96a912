import { v7 as uuidv7 } from "uuid";
import { AppError, isAppError } from "../../core/errors.ts";
import { ENDPOINT_OF_JOB } from "../../core/jobs/job.ts";
import type { WebhookDelivery, WebhookEndpoint, WebhookExchange } from "../../ports/storage/webhook-deliveries.ts";
import { checkEndpoint, checkJobFormats, checkMonitorFormats } from "../account/check-scope.ts";
import type { Caller, Deps } from "../deps.ts";
import { assertPublicWebhook } from "./assert-public-webhook.ts";
import { sendEvent } from "./send-event.ts";

export type { WebhookDelivery, WebhookExchange } from "../../ports/storage/webhook-deliveries.ts";

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type SendDeps = Pick<Deps, "webhookDeliveries" | "failedWebhooks" | "http" | "clock" | "settings">;

type FindDeps = Pick<Deps, "webhookDeliveries" | "clock" | "jobs" | "monitors">;

export interface DeliveryQuery {
  limit: number;
  cursor?: string | undefined;
  outcome?: "delivered" | "failed" | undefined;
  jobId?: string | undefined;
  url?: string | undefined;
}

/**
 * Lists the team's deliveries, newest first.
 * @throws AppError BAD_REQUEST for a cursor that this service has not issued.
 */
export async function listDeliveries(
  { webhookDeliveries, clock }: Pick<Deps, "webhookDeliveries" | "clock">,
  { key }: Caller,
  { limit, cursor, outcome, jobId, url }: DeliveryQuery,
): Promise<{ deliveries: WebhookDelivery[]; next: string | undefined }> {
  if (cursor !== undefined && !UUID.test(cursor))
    throw new AppError("BAD_REQUEST", "The cursor does not belong to this list");
  const filter = { before: cursor, limit: limit + 1, nowMs: clock.now(), outcome, jobId, url };
  const found = await webhookDeliveries.list(key.teamId, filter);
  const deliveries = found.slice(0, limit);
  return { deliveries, next: found.length > limit ? deliveries.at(-1)?.id : undefined };
}

/** Lists the destinations of the team's deliveries, the last used first. */
export async function listEndpoints(
  { webhookDeliveries, clock }: Pick<Deps, "webhookDeliveries" | "clock">,
  { key }: Caller,
): Promise<WebhookEndpoint[]> {
  return await webhookDeliveries.endpoints(key.teamId, clock.now());
}

/**
 * Returns a delivery; without its bodies when the scopes of the key exclude the results of its job.
 * @throws AppError WEBHOOK_NOT_FOUND for an unknown delivery, an expired one and one of another team.
 */
export async function findDelivery(deps: FindDeps, caller: Caller, id: string): Promise<WebhookExchange> {
  const found = await storedDelivery(deps, caller, id);
  try {
    await checkJobOf(deps, caller, found);
    return found;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { ...found, requestBody: "", response: undefined, isBodyComplete: false };
  }
}

async function storedDelivery(
  { webhookDeliveries, clock }: Pick<Deps, "webhookDeliveries" | "clock">,
  { key }: Caller,
  id: string,
): Promise<WebhookExchange> {
  const found = await webhookDeliveries.find(key.teamId, id, clock.now());
  if (found === undefined) throw new AppError("WEBHOOK_NOT_FOUND", "No delivery has this id, or it has expired");
  return found;
}

/**
 * Refuses a delivery when the scopes of the key exclude the results of its job. A test event has no results.
 * @throws AppError ENDPOINT_RESTRICTED, FORMAT_RESTRICTED, or FORBIDDEN when the job is not stored any more.
 */
async function checkJobOf(
  { jobs, monitors }: Pick<Deps, "jobs" | "monitors">,
  { key }: Caller,
  { jobId, teamId }: WebhookExchange,
): Promise<void> {
  const { endpoints, formats } = key.scopes;
  if (jobId === undefined || (endpoints === undefined && formats === undefined)) return;
  const job = await jobs.find(jobId);
  if (job?.teamId === teamId) {
    checkEndpoint(key, ENDPOINT_OF_JOB[job.kind]);
    return await checkJobFormats({ jobs }, key, job);
  }
  const check = await monitors.findCheck(jobId);
  const monitor = check && (await monitors.find(check.monitorId));
  if (monitor?.teamId === teamId) {
    checkEndpoint(key, "monitor");
    return checkMonitorFormats(key, monitor);
  }
  throw new AppError("FORBIDDEN", "The job of this event is no longer stored, and the API key is restricted");
}

/**
 * Sends the event of a delivery again, at once and once, to the same destination and with the same webhook ID. Further
 * attempts of the event are not affected.
 * @throws AppError as `findDelivery` and `checkJobOf` do, and BAD_REQUEST when the body was not stored as a whole.
 */
export async function replayDelivery(deps: SendDeps & FindDeps, caller: Caller, id: string): Promise<WebhookExchange> {
  const earlier = await storedDelivery(deps, caller, id);
  await checkJobOf(deps, caller, earlier);
  if (!earlier.isBodyComplete) {
    const message = "The body of this event was not stored: it is too long, or its job has zero data retention";
    throw new AppError("BAD_REQUEST", message);
  }
  assertPublicWebhook(deps, earlier.target);
  const { teamId, jobId, webhookId, type, target, requestBody: body, attempt, expiresAtMs } = earlier;
  const event = { teamId, jobId, webhookId, type, target, body, expiresAtMs, hasZeroRetention: false };
  const sent = await sendEvent(deps, { ...event, attempt: attempt + 1 });
  await deps.webhookDeliveries.insert(teamId, [sent]);
  // The event has arrived, so it is no longer one that was given up.
  if (sent.kind === "delivered") await deps.failedWebhooks.remove([webhookId], sent.sentAtMs);
  return sent;
}

/**
 * Sends a signed event of the type `webhook.test` to a URL, once.
 * @throws AppError BAD_REQUEST for a private address, NOT_AVAILABLE without a secret.
 */
export async function testWebhook(
  deps: Omit<SendDeps, "failedWebhooks">,
  { key }: Caller,
  webhook: {
    url: string;
    headers?: Record<string, string> | undefined;
    metadata?: Record<string, string> | undefined;
  },
): Promise<WebhookExchange> {
  assertPublicWebhook(deps, webhook);
  if (deps.settings.webhookSecret === undefined)
    throw new AppError("NOT_AVAILABLE", "Events are always signed, and this deployment has no WEBHOOK_SECRET");
  const { url, headers = {}, metadata = {} } = webhook;
  const nowMs = deps.clock.now();
  const webhookId = uuidv7({ msecs: nowMs });
  const type = "webhook.test";
  const sent = await sendEvent(deps, {
    teamId: key.teamId,
    jobId: undefined,
    webhookId,
    type,
    target: { url, headers },
    body: JSON.stringify({ success: true, type, id: webhookId, webhookId, metadata, data: [] }),
    attempt: 1,
    expiresAtMs: nowMs + deps.settings.resultRetentionMs,
    hasZeroRetention: false,
  });
  await deps.webhookDeliveries.insert(key.teamId, [sent]);
  return sent;
}
