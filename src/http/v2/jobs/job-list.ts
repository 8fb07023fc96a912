import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../../core/errors.ts";
import { LISTED_KINDS, LISTED_STATUSES, type JobPlace } from "../../../core/jobs/listed-job.ts";
import { listJobs as listJobsOf } from "../../../services/jobs/list-jobs.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { admit } from "../../account/rate-limit.ts";
import { JOB_EXAMPLE, JobItem, toJobItem } from "../../jobs/listed-job-schema.ts";
import { BEARER, COMMON_FAILURES, failures, json } from "../../route.ts";

const MAX_LIMIT = 100;
const DEFAULT_LIMIT = 50;
const CURSOR = /^(\d{1,15})\.([0-9a-f-]{36})$/;

const JobsQuery = z.object({
  kind: z
    .string()
    .optional()
    .openapi({
      description: `Returns only these kinds, separated by commas: ${LISTED_KINDS.join(", ")}. Default: all that the key may see.`,
      example: "crawl,batch_scrape",
    }),
  status: z
    .string()
    .optional()
    .openapi({
      description: `Returns only jobs in these states, separated by commas: ${LISTED_STATUSES.join(", ")}. Default: all.`,
      example: "running",
    }),
  search: z.string().max(500).optional().openapi({
    description:
      "Part of the target in any case, or the beginning of an ID. Default: all jobs. Checks have the name, URLs and queries of their monitor as target.",
    example: "example.com",
  }),
  from: z.iso.datetime().optional().openapi({
    description: "Earliest time of creation. Default: as long as jobs are stored.",
    example: "2026-11-20T00:00:00Z",
  }),
  to: z.iso
    .datetime()
    .optional()
    .openapi({ description: "Latest time of creation. Default: now.", example: "2026-11-21T23:59:59Z" }),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LIMIT)
    .default(DEFAULT_LIMIT)
    .openapi({ description: `Maximum number of jobs, 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}.`, example: 50 }),
  cursor: z.string().max(100).optional().describe("Cursor of the previous response. Default: the newest jobs."),
});

const JobsResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    jobs: z.array(JobItem).describe("Jobs and checks, newest first."),
    cursor: z
      .string()
      .nullable()
      .describe(
        "Cursor of the next page, or null. A page whose filters match few jobs can be short and have a next one.",
      ),
  })
  .openapi("JobList", { example: { success: true, jobs: [JOB_EXAMPLE], cursor: null } });

const route = createRoute({
  method: "get",
  path: "/v2/jobs",
  "x-key-scope": "key",
  tags: ["Jobs"],
  summary: "List jobs",
  description:
    "Lists the crawls, batch scrapes, extracts, agents, deep researches, llms.txt jobs and monitor checks of the team that are stored, newest first.",
  security: BEARER,
  request: { query: JobsQuery },
  responses: { 200: json(JobsResponse, "The jobs"), ...failures("BAD_REQUEST", ...COMMON_FAILURES) },
});

export const listJobs = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    const { kind, status, search, from, to, limit, cursor } = c.req.valid("query");
    await admit(c, { mode: "crawlStatus", credits: 0 });
    const { deps, caller } = c.var;
    const { jobs, next } = await listJobsOf(deps, caller, {
      kinds: readNames("kind", LISTED_KINDS, kind),
      statuses: readNames("status", LISTED_STATUSES, status),
      text: search === undefined || search.trim() === "" ? undefined : search.trim(),
      fromMs: from === undefined ? 0 : Date.parse(from),
      toMs: to === undefined ? Number.MAX_SAFE_INTEGER - 1 : Date.parse(to),
      after: cursor === undefined || cursor === "" ? undefined : readCursor(cursor),
      limit,
    });
    const nextCursor = next === undefined ? null : `${next.createdAtMs}.${next.id}`;
    return c.json({ success: true as const, jobs: jobs.map(toJobItem), cursor: nextCursor }, 200);
  },
});

function readNames<Name extends string>(
  field: string,
  known: readonly Name[],
  text: string | undefined,
): Name[] | undefined {
  const names = (text ?? "").split(",").map((name) => name.trim()).filter((name) => name !== ""); // prettier-ignore
  if (names.length === 0) return undefined;
  const isKnown = (name: string): name is Name => (known as readonly string[]).includes(name);
  if (names.every(isKnown)) return names;
  throw new AppError("BAD_REQUEST", `${field} must be one of ${known.join(", ")}`);
}

function readCursor(text: string): JobPlace {
  const [, createdAtMs, id] = CURSOR.exec(text) ?? [];
  if (createdAtMs === undefined || id === undefined) throw new AppError("BAD_REQUEST", "Invalid cursor.");
  return { createdAtMs: Number(createdAtMs), id };
}
