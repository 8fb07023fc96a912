import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import {
  listFailedWebhooks,
  replayJobWebhooks,
  replayWebhook,
  type FailedWebhook,
} from "../../../services/webhooks/failed-webhooks.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { jobUrl } from "../../jobs/job-responses.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../../route.ts";
import { EXAMPLE_END, EXAMPLE_ID, OTHER_ID } from "../../docs/examples.ts";

const INTENT = { mode: "account", credits: 0 } as const;

const FAILED_EXAMPLE = {
  id: OTHER_ID,
  jobId: EXAMPLE_ID,
  type: "crawl.page",
  url: "https://example.com/hook",
  attempts: 4,
  statusCode: 503,
  error: "The receiver answered with status 503",
  failedAt: EXAMPLE_END,
  expiresAt: "2026-11-28T10:15:04.000Z",
};
const FailedWebhookInfo = z
  .object({
    id: z.string().openapi({ description: "The `webhookId` of the event, the same for every attempt." }),
    jobId: z.string().describe("ID of the job of the event."),
    type: z.string().openapi({ description: "Type of the event.", example: "crawl.page" }),
    url: z.string().openapi({ description: "URL to which the event was sent, without parts that may be secret." }),
    attempts: z.int().describe("Number of attempts."),
    statusCode: z
      .int()
      .nullable()
      .openapi({ description: "HTTP status of the last attempt, or null without a response." }),
    error: z.string().describe("Why the last attempt failed."),
    failedAt: z.string().describe("Time of the last attempt."),
    expiresAt: z.string().openapi({ description: "Time until which the event can be sent again." }),
  })
  .openapi("FailedWebhook", { example: FAILED_EXAMPLE });

const FailedWebhooksResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    data: z.array(FailedWebhookInfo).describe("Failed events, newest first."),
    next: z.string().optional().openapi({ description: "URL of the next page. Absent when there is none." }),
  })
  .openapi("FailedWebhooks", { example: { success: true, data: [FAILED_EXAMPLE] } });

const ReplayResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    replayed: z.int().openapi({ description: "Number of events that are sent again." }),
  })
  .openapi("WebhooksReplayed", { example: { success: true, replayed: 1 } });

const listRoute = createRoute({
  method: "get",
  path: "/v2/team/webhooks/failed",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "List failed webhook events",
  security: BEARER,
  request: {
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(100)
        .describe("Maximum number of events, 1 to 1,000. Default: 100."),
      cursor: z.string().max(100).optional().describe("Cursor of the previous response, from its `next` URL."),
    }),
  },
  responses: {
    200: json(FailedWebhooksResponse, "The events, newest first"),
    ...failures("BAD_REQUEST", ...COMMON_FAILURES),
  },
});

export const listFailed = defineOpenAPIRoute<typeof listRoute, AppEnv>({
  route: listRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    const { limit, cursor } = c.req.valid("query");
    const { webhooks, next } = await listFailedWebhooks(c.var.deps, c.var.caller, { limit, cursor });
    const nextUrl = next === undefined ? {} : { next: jobUrl(c, `${c.req.path}?limit=${limit}&cursor=${next}`) };
    return c.json({ success: true as const, data: webhooks.map(toInfo), ...nextUrl }, 200);
  },
});

const replayOneRoute = createRoute({
  method: "post",
  path: "/v2/team/webhooks/{id}/replay",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "Retry a failed webhook event",
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(ReplayResponse, "The event is queued again with the same `webhookId` and a full set of attempts"),
    ...failures("WEBHOOK_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const replayOne = defineOpenAPIRoute<typeof replayOneRoute, AppEnv>({
  route: replayOneRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    await replayWebhook(c.var.deps, c.var.caller, c.req.valid("param").id);
    return c.json({ success: true as const, replayed: 1 }, 200);
  },
});

const ReplayBody = z
  .strictObject({
    jobId: z.string().describe("ID of the job whose failed events are sent again."),
    origin: z.string().optional().describe("Name of the calling program. It does not change the result."),
  })
  .openapi("ReplayWebhooks", { example: { jobId: EXAMPLE_ID } });

const replayJobRoute = createRoute({
  method: "post",
  path: "/v2/team/webhooks/replay",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "Retry the failed webhook events of a job",
  security: BEARER,
  request: jsonBody(ReplayBody),
  responses: {
    200: json(ReplayResponse, "The events are queued again"),
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const replayJob = defineOpenAPIRoute<typeof replayJobRoute, AppEnv>({
  route: replayJobRoute,
  handler: async (c) => {
    await admit(c, INTENT);
    const replayed = await replayJobWebhooks(c.var.deps, c.var.caller, c.req.valid("json").jobId);
    return c.json({ success: true as const, replayed }, 200);
  },
});

function toInfo({ webhookId, jobId, type, url, attempts, statusCode, error, ...times }: FailedWebhook) {
  return {
    id: webhookId,
    jobId,
    type,
    url,
    attempts,
    statusCode: statusCode ?? null,
    error,
    failedAt: new Date(times.failedAtMs).toISOString(),
    expiresAt: new Date(times.expiresAtMs).toISOString(),
  };
}
