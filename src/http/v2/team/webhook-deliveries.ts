import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { WebhookHeaders, WebhookUrl } from "../../../jobs/webhook.ts";
import {
  findDelivery,
  listDeliveries,
  listEndpoints,
  replayDelivery,
  testWebhook,
  type WebhookDelivery,
  type WebhookExchange,
} from "../../../services/webhooks/webhook-deliveries.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { replayResponse } from "../../replay-response.ts";
import type { AppEnv } from "../../context.ts";
import { EXAMPLE_END, EXAMPLE_ID, OTHER_ID } from "../../docs/examples.ts";
import { jobUrl } from "../../jobs/job-responses.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../../route.ts";

const READS = { mode: "account", credits: 0 } as const;
/** Sends a request to a destination of the caller's choice, as a crawl does. */
const SENDS = { mode: "crawl", credits: 0 } as const;
const common = { tags: ["Team"], security: BEARER, "x-key-scope": "account" as const };
const success = { success: z.literal(true).describe("Always true in a successful response.") };

const DELIVERY_EXAMPLE = {
  id: "019a9d13-a0f4-7c55-9e0b-6d1b5a2f3c11",
  webhookId: OTHER_ID,
  jobId: EXAMPLE_ID,
  type: "crawl.page",
  url: "https://example.com/hook",
  attempt: 1,
  outcome: "delivered" as const,
  statusCode: 200,
  error: null,
  durationMs: 84,
  sentAt: EXAMPLE_END,
  expiresAt: "2026-11-28T10:15:04.000Z",
  canReplay: true,
};
const Delivery = z
  .object({
    id: z.string().describe("ID of the delivery: one attempt to send an event."),
    webhookId: z.string().describe("The `webhookId` of the event, the same for every attempt."),
    jobId: z.string().nullable().describe("ID of the job or check of the event, or null for a test."),
    type: z.string().openapi({ description: "Type of the event.", example: "crawl.page" }),
    url: z.string().describe("URL to which the event was sent, without parts that may be secret."),
    attempt: z.int().describe("Number of the attempt, from 1."),
    outcome: z
      .enum(["delivered", "failed", "refused"])
      .describe("`delivered` for a 2xx response; `failed` is tried again; `refused` is not, as for a private address."),
    statusCode: z.int().nullable().describe("HTTP status of the response, or null without one."),
    error: z.string().nullable().describe("Why the attempt failed, or null."),
    durationMs: z.int().describe("Time until the response, in milliseconds."),
    sentAt: z.string().describe("Time of the attempt."),
    expiresAt: z.string().describe("Time until which the delivery is listed."),
    canReplay: z
      .boolean()
      .describe("Whether the delivery can be replayed: its body was stored, since it takes at most 32,000 bytes."),
  })
  .openapi("WebhookDelivery", { example: DELIVERY_EXAMPLE });

const EXCHANGE_EXAMPLE = {
  ...DELIVERY_EXAMPLE,
  request: {
    headers: {
      "content-type": "application/json",
      "x-firecrawl-signature": "sha256=2f0c…",
      "webhook-id": OTHER_ID,
      "webhook-timestamp": "1764066904",
      "webhook-signature": "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
    },
    body: '{"success":true,"type":"crawl.page","data":[]}',
  },
  response: { contentType: "text/plain", body: "ok" },
};
const Exchange = Delivery.extend({
  request: z
    .object({
      headers: z
        .record(z.string(), z.string())
        .describe("Headers of the request, with the signatures. Values that the webhook sets itself are hidden."),
      body: z
        .string()
        .describe(
          "Body of the request, cut after 32,000 bytes. Empty with zero data retention, and when the scopes of the key exclude the job.",
        ),
    })
    .describe("Request as it was sent."),
  response: z
    .object({
      contentType: z.string().nullable().describe("Media type of the response, or null."),
      body: z.string().describe("The first 4,000 bytes of the response."),
    })
    .nullable()
    .describe("Response of the receiver, or null without one, and when the scopes of the key exclude the job."),
}).openapi("WebhookExchange", { example: EXCHANGE_EXAMPLE });

const ExchangeResponse = z
  .object({ ...success, data: Exchange.describe("The delivery with its request and response.") })
  .openapi("WebhookExchangeResponse", { example: { success: true, data: EXCHANGE_EXAMPLE } });

const listRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/team/webhooks/deliveries",
  summary: "List webhook deliveries",
  request: {
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(100)
        .default(50)
        .describe("Maximum number of deliveries, 1 to 100. Default: 50."),
      cursor: z.string().max(100).optional().describe("Cursor of the previous response, from its `next` URL."),
      outcome: z
        .enum(["delivered", "failed"])
        .optional()
        .describe("Returns only deliveries with this outcome; `failed` includes refused ones. Default: all."),
      jobId: z.string().max(100).optional().describe("Returns only deliveries of this job or check. Default: all."),
      url: z.string().max(2_000).optional().describe("Returns only deliveries to this URL, as listed. Default: all."),
    }),
  },
  responses: {
    200: json(
      z
        .object({
          ...success,
          data: z.array(Delivery).describe("Deliveries, newest first. The last 1,000 of a team are listed."),
          next: z.string().optional().describe("URL of the next page. Absent when there is none."),
        })
        .openapi("WebhookDeliveries", { example: { success: true, data: [DELIVERY_EXAMPLE] } }),
      "The deliveries, newest first",
    ),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const listWebhookDeliveries = defineOpenAPIRoute<typeof listRoute, AppEnv>({
  route: listRoute,
  handler: async (c) => {
    await admit(c, READS);
    const query = c.req.valid("query");
    const { deliveries, next } = await listDeliveries(c.var.deps, c.var.caller, query);
    const { cursor: _, ...filter } = query;
    const given = Object.entries({ ...filter, cursor: next }).filter(([, value]) => value !== undefined);
    const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    const nextUrl = next === undefined ? {} : { next: jobUrl(c, `${c.req.path}?${search}`) };
    return c.json({ success: true as const, data: deliveries.map(toDelivery), ...nextUrl }, 200);
  },
});

const getRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/team/webhooks/deliveries/{id}",
  summary: "Get a webhook delivery with its request and response",
  request: { params: IdParam },
  responses: {
    200: json(ExchangeResponse, "The delivery"),
    ...failures("WEBHOOK_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const getWebhookDelivery = defineOpenAPIRoute<typeof getRoute, AppEnv>({
  route: getRoute,
  handler: async (c) => {
    await admit(c, READS);
    const data = toExchange(await findDelivery(c.var.deps, c.var.caller, c.req.valid("param").id));
    return c.json({ success: true as const, data }, 200);
  },
});

const replayRoute = createRoute({
  ...common,
  method: "post",
  path: "/v2/team/webhooks/deliveries/{id}/replay",
  summary: "Replay a webhook delivery",
  middleware: [replayResponse("crawl")] as const,
  request: { params: IdParam },
  responses: {
    200: json(
      ExchangeResponse,
      "The new delivery: the same event and `webhookId`, sent once and at once, whatever the receiver answered",
    ),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "WEBHOOK_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const replayWebhookDelivery = defineOpenAPIRoute<typeof replayRoute, AppEnv>({
  route: replayRoute,
  handler: async (c) => {
    await admit(c, SENDS);
    const data = toExchange(await replayDelivery(c.var.deps, c.var.caller, c.req.valid("param").id));
    return c.json({ success: true as const, data }, 200);
  },
});

const ENDPOINT_EXAMPLE = {
  url: "https://example.com/hook",
  deliveries: 12,
  failed: 1,
  lastSentAt: EXAMPLE_END,
  lastDeliveryId: DELIVERY_EXAMPLE.id,
};
const endpointsRoute = createRoute({
  ...common,
  method: "get",
  path: "/v2/team/webhooks/endpoints",
  summary: "List the endpoints of webhook deliveries",
  request: {},
  responses: {
    200: json(
      z
        .object({
          ...success,
          data: z
            .array(
              z.object({
                url: z.string().describe("URL that received events, without parts that may be secret."),
                deliveries: z.int().describe("Number of listed deliveries."),
                failed: z.int().describe("Number of those that were not answered with 2xx."),
                lastSentAt: z.string().describe("Time of the last delivery."),
                lastDeliveryId: z.string().describe("ID of the last delivery."),
              }),
            )
            .describe("URLs of the listed deliveries, the last used first, at most 100."),
        })
        .openapi("WebhookEndpoints", { example: { success: true, data: [ENDPOINT_EXAMPLE] } }),
      "The endpoints",
    ),
    ...failures(...COMMON_FAILURES),
  },
});

export const listWebhookEndpoints = defineOpenAPIRoute<typeof endpointsRoute, AppEnv>({
  route: endpointsRoute,
  handler: async (c) => {
    await admit(c, READS);
    const endpoints = await listEndpoints(c.var.deps, c.var.caller);
    const data = endpoints.map(({ url, deliveries, failed, lastSentAtMs, lastId }) => {
      return { url, deliveries, failed, lastSentAt: new Date(lastSentAtMs).toISOString(), lastDeliveryId: lastId };
    });
    return c.json({ success: true as const, data }, 200);
  },
});

const TestBody = z
  .strictObject({
    url: WebhookUrl.describe("URL that receives the event, http or https, at most 16,384 characters."),
    headers: WebhookHeaders.optional().describe("HTTP headers to send with the event. Signature headers are refused."),
    metadata: z.record(z.string(), z.string()).optional().describe("Your own data to return with the event."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .openapi("WebhookTest", { example: { url: "https://example.com/hook" } });

const testRoute = createRoute({
  ...common,
  method: "post",
  path: "/v2/team/webhooks/test",
  summary: "Send a test event to a webhook",
  middleware: [replayResponse("crawl")] as const,
  request: jsonBody(TestBody),
  responses: {
    200: json(ExchangeResponse, "The delivery of an event of the type `webhook.test`, whatever the receiver answered"),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "NOT_AVAILABLE", ...COMMON_FAILURES),
  },
});

export const testWebhookEndpoint = defineOpenAPIRoute<typeof testRoute, AppEnv>({
  route: testRoute,
  handler: async (c) => {
    await admit(c, SENDS);
    const { origin: _, ...webhook } = c.req.valid("json");
    const data = toExchange(await testWebhook(c.var.deps, c.var.caller, webhook));
    return c.json({ success: true as const, data }, 200);
  },
});

function toDelivery(delivery: WebhookDelivery) {
  const { id, webhookId, jobId, type, url, attempt, kind, statusCode, error, durationMs } = delivery;
  return {
    id,
    webhookId,
    jobId: jobId ?? null,
    type,
    url,
    attempt,
    outcome: kind,
    durationMs,
    statusCode: statusCode ?? null,
    error: error ?? null,
    sentAt: new Date(delivery.sentAtMs).toISOString(),
    expiresAt: new Date(delivery.expiresAtMs).toISOString(),
    canReplay: delivery.isBodyComplete,
  };
}

function toExchange(exchange: WebhookExchange) {
  const { requestHeaders: headers, requestBody: body, response } = exchange;
  return {
    ...toDelivery(exchange),
    request: { headers, body },
    response: response === undefined ? null : { contentType: response.contentType ?? null, body: response.body },
  };
}
