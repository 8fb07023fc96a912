import type { DeliveryKind } from "../../core/webhooks/webhook-retries.ts";

/** One attempt to deliver a webhook event, as it is listed. */
export interface WebhookDelivery {
  /** UUID v7: deliveries are ordered by it. */
  id: string;
  teamId: string;
  /** Identical at every attempt. */
  webhookId: string;
  /** Undefined for test events. */
  jobId: string | undefined;
  /** Event type as sent, such as `crawl.page`. */
  type: string;
  /** Destination, without parts that may be secret. */
  url: string;
  /** 1 for the first attempt. */
  attempt: number;
  kind: DeliveryKind;
  /** Status of the response; undefined when there was none. */
  statusCode: number | undefined;
  error: string | undefined;
  durationMs: number;
  sentAtMs: number;
  expiresAtMs: number;
  /** False when the body was too long to be stored, or must not be stored. */
  isBodyComplete: boolean;
}

/** A delivery with its request and response. */
export interface WebhookExchange extends WebhookDelivery {
  /** Destination with its secret parts, for a replay. Never returned to callers. */
  target: { url: string; headers: Record<string, string> };
  /** Headers of the request; values that the caller has set are hidden. */
  requestHeaders: Record<string, string>;
  requestBody: string;
  /** Undefined without a response. The body is cut. */
  response: { contentType: string | undefined; body: string } | undefined;
}

/** Deliveries to one destination. */
export interface WebhookEndpoint {
  url: string;
  deliveries: number;
  /** Attempts that were not answered with 2xx. */
  failed: number;
  lastSentAtMs: number;
  /** Id of the last delivery. */
  lastId: string;
}

export interface DeliveryFilter {
  /** Id of the last delivery of the previous page. */
  before: string | undefined;
  limit: number;
  nowMs: number;
  outcome: "delivered" | "failed" | undefined;
  jobId: string | undefined;
  /** As shown. */
  url: string | undefined;
}

/** Attempts to deliver webhook events: the newest of each team, until they expire. */
export interface WebhookDeliveryStore {
  /** Inserts deliveries of one team, and deletes its oldest ones above the limit of a team. */
  insert(teamId: string, deliveries: readonly WebhookExchange[]): Promise<void>;
  /** Lists deliveries, newest first. */
  list(teamId: string, filter: DeliveryFilter): Promise<WebhookDelivery[]>;
  find(teamId: string, id: string, nowMs: number): Promise<WebhookExchange | undefined>;
  /** Lists destinations, the last used first. */
  endpoints(teamId: string, nowMs: number): Promise<WebhookEndpoint[]>;
  /** Empties the bodies of a job's deliveries, which cannot be replayed then. Those of a team are at most 1,000. */
  emptyBodies(teamId: string, jobId: string): Promise<void>;
  /** Deletes up to `limit` expired deliveries. @returns the number deleted. */
  purge(nowMs: number, limit: number): Promise<number>;
}
