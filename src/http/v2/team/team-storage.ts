import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { LISTED_KINDS } from "../../../core/jobs/listed-job.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { EXAMPLE_EXPIRY } from "../../docs/examples.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const HOUR_MS = 3_600_000;
const INDEX_FULL =
  "The search index is full: further pages are not added until others expire. Shorten SEARCH_INDEX_RETENTION_HOURS.";

const StorageResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    jobs: z
      .array(
        z.object({
          kind: z.enum(LISTED_KINDS).describe("Kind of the jobs."),
          count: z.int().describe("Number of jobs that are stored, of the newest 50,000."),
          firstExpiresAt: z.string().describe("Time at which the first of them is deleted."),
          lastExpiresAt: z.string().describe("Time at which the last of them is deleted."),
        }),
      )
      .describe("Jobs and monitor checks whose results are stored, by kind."),
    searchIndex: z
      .object({
        pages: z
          .int()
          .describe("Number of pages in the team's search index, including expired ones that are not deleted yet."),
        bytes: z.int().describe("Size of the index in bytes."),
        databases: z.int().describe("Number of databases that the index is divided into."),
        warning: z
          .string()
          .optional()
          .describe("Present when there is no room for further pages: they are not added until others expire."),
      })
      .describe("The team's search index."),
    database: z
      .object({
        percentUsed: z.number().describe("Share of the deployment's database that is used, as its last answers told."),
        warning: z
          .string()
          .optional()
          .describe("Present above 80 %: what is no longer stored, and what the operator can do."),
      })
      .describe("The database of keys and records of jobs, which all teams share."),
    retentionHours: z
      .object({
        results: z.number().describe("Hours for which the results of scrapes and jobs are stored."),
        pageCache: z.number().describe("Hours for which loaded pages are cached."),
        searchIndex: z
          .number()
          .describe("Hours for which a scraped page stays in the search index; 0 without an index."),
      })
      .describe("Settings of this deployment. Monitors have a retention of their own."),
  })
  .openapi("TeamStorage", {
    example: {
      success: true,
      jobs: [{ kind: "crawl", count: 12, firstExpiresAt: EXAMPLE_EXPIRY, lastExpiresAt: EXAMPLE_EXPIRY }],
      searchIndex: { pages: 1250, bytes: 9_400_000, databases: 1 },
      database: { percentUsed: 3.2 },
      retentionHours: { results: 24, pageCache: 48, searchIndex: 720 },
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/team/storage",
  "x-key-scope": "account",
  tags: ["Team"],
  summary: "Get what is stored and when it is deleted",
  security: BEARER,
  responses: { 200: json(StorageResponse, "The stored jobs and the retention"), ...failures(...COMMON_FAILURES) },
});

export const teamStorage = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "account", credits: 0 });
    const { jobList, pageIndex, databaseRoom, clock, settings } = c.var.deps;
    const { teamId } = c.var.caller.key;
    const [stored, index] = await Promise.all([jobList.stored(teamId, clock.now()), pageIndex.size(teamId)]);
    const jobs = stored.map(({ kind, count, firstExpiryMs, lastExpiryMs }) => ({
      kind,
      count,
      firstExpiresAt: new Date(firstExpiryMs).toISOString(),
      lastExpiresAt: new Date(lastExpiryMs).toISOString(),
    }));
    const searchIndex = {
      pages: index.pages,
      bytes: index.bytes,
      databases: index.shards,
      ...(index.isFull ? { warning: INDEX_FULL } : {}),
    };
    const { usedShare, warning } = databaseRoom;
    const database = {
      percentUsed: Number((usedShare * 100).toFixed(2)),
      ...(warning === undefined ? {} : { warning }),
    };
    const retentionHours = {
      results: settings.resultRetentionMs / HOUR_MS,
      pageCache: settings.cacheRetentionMs / HOUR_MS,
      searchIndex: settings.indexRetentionMs / HOUR_MS,
    };
    return c.json({ success: true as const, jobs, searchIndex, database, retentionHours }, 200);
  },
});
