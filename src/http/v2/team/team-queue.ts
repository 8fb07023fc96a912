import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { readConcurrency, readQueue } from "../../../services/account/read-queue.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const QueueStatus = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    jobsInQueue: z.int().openapi({ description: "Pages of running crawls and batches that are not scraped yet." }),
    activeJobsInQueue: z.int().describe("Pages that are being scraped."),
    waitingJobsInQueue: z.int().describe("Pages that are waiting."),
    maxConcurrency: z.int().describe("Maximum number of concurrent jobs."),
    mostRecentSuccess: z.string().nullable().describe("Time of the last successful result, or null."),
    deadLetters: z.int().openapi({
      description: "Internal messages that failed for good within 30 days. If it is above 0, read the log.",
    }),
  })
  .openapi("QueueStatus", {
    example: {
      success: true,
      jobsInQueue: 14,
      activeJobsInQueue: 4,
      waitingJobsInQueue: 10,
      maxConcurrency: 50,
      mostRecentSuccess: "2026-11-21T12:00:00.000Z",
      deadLetters: 0,
    },
  });

const Concurrency = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    concurrency: z
      .int()
      .describe("Number of pages of the key's jobs that are being scraped; agents and extracts count as one each."),
    maxConcurrency: z.int().describe("Maximum number of concurrent jobs of the key."),
  })
  .openapi("Concurrency", { example: { success: true, concurrency: 2, maxConcurrency: 50 } });

export const queueRoute = createRoute({
  method: "get",
  path: "/v2/team/queue-status",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "Get the queue status of the team",
  security: BEARER,
  responses: { 200: json(QueueStatus, "The queue status"), ...failures(...COMMON_FAILURES) },
});

export const queueStatus = defineOpenAPIRoute<typeof queueRoute, AppEnv>({
  route: queueRoute,
  handler: async (c) => c.json(await answerQueue(c), 200),
});

export const concurrencyRoute = createRoute({
  method: "get",
  path: "/v2/concurrency-check",
  "x-key-scope": "key",
  tags: ["Team"],
  summary: "Get the concurrency of the key",
  security: BEARER,
  responses: {
    200: json(Concurrency, "The pages in progress, and the limit of concurrent jobs"),
    ...failures(...COMMON_FAILURES),
  },
});

export const concurrencyCheck = defineOpenAPIRoute<typeof concurrencyRoute, AppEnv>({
  route: concurrencyRoute,
  handler: async (c) => c.json(await answerConcurrency(c), 200),
});

export async function answerQueue(c: Context<AppEnv>): Promise<z.infer<typeof QueueStatus>> {
  await admit(c, { mode: "account", credits: 0 });
  const { total, active, waiting, maxConcurrency, lastSuccessMs, deadLetters } = await readQueue(
    c.var.deps,
    c.var.caller,
  );
  return {
    success: true,
    jobsInQueue: total,
    activeJobsInQueue: active,
    waitingJobsInQueue: waiting,
    maxConcurrency,
    mostRecentSuccess: lastSuccessMs === undefined ? null : new Date(lastSuccessMs).toISOString(),
    deadLetters,
  };
}

export async function answerConcurrency(c: Context<AppEnv>): Promise<z.infer<typeof Concurrency>> {
  await admit(c, { mode: "crawlStatus", credits: 0 });
  return { success: true, ...(await readConcurrency(c.var.deps, c.var.caller)) };
}
