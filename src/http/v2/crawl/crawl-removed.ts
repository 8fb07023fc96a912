import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { REMOVAL_REASONS, type Tombstone } from "../../../core/crawl/page-version.ts";
import { findJob } from "../../../services/jobs/find-job.ts";
import { admit } from "../../account/rate-limit.ts";
import { createRoute } from "../../account/key-scope.ts";
import type { AppEnv } from "../../context.ts";
import { OTHER_ID } from "../../docs/examples.ts";
import { jobUrl } from "../../jobs/job-responses.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json } from "../../route.ts";
import { countedBody } from "../../scrape/counted-body.ts";

const DEFAULT_ENTRIES = 1_000;
const MAX_ENTRIES = 10_000;

const Query = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_ENTRIES)
    .default(DEFAULT_ENTRIES)
    .describe("Number of entries after which a response ends, 1 to 10,000. Default: 1,000."),
  cursor: z.coerce.number().int().min(0).default(0).describe("Cursor of the previous response, from its `next` URL."),
  format: z.enum(["json", "jsonl"]).default("json").describe("Format of the response. Default: json."),
});

const RemovedResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    next: z.string().optional().openapi({ description: "URL of the next page. Absent when there is none." }),
    removed: z
      .array(
        z.object({
          url: z.string().describe("URL of the page."),
          reason: z
            .enum(REMOVAL_REASONS)
            .describe(
              "`gone`: the page answers 404 or 410. `not_found`: no page and no sitemap leads to it. `redirected`: it leads to another page of the crawl. `changed`: the page exists, and has lost chunks.",
            ),
          scrapeId: z.string().describe("ID of the document in the earlier crawl."),
          chunks: z
            .array(z.string())
            .describe("Ids of the chunks that no longer exist. Empty without the format `chunks`."),
        }),
      )
      .describe("Removed pages, and changed pages that have lost chunks."),
  })
  .openapi("CrawlRemoved", {
    example: {
      success: true,
      removed: [
        { url: "https://example.com/old", reason: "gone", scrapeId: OTHER_ID, chunks: ["1k2j3h4g5f61k2j3h4g5f6"] },
      ],
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/crawl/{id}/removed",
  "x-key-scope": "crawl",
  tags: ["Crawling"],
  summary: "List the removed pages and chunks of a crawl with `since`",
  security: BEARER,
  request: { params: IdParam, query: Query },
  responses: {
    200: json(RemovedResponse, "The removed pages and chunks; one a line with `format=jsonl`"),
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const crawlRemoved = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "crawlStatus", credits: 0 });
    const { id } = c.req.valid("param");
    const { limit, cursor, format } = c.req.valid("query");
    const { deps, caller } = c.var;
    const job = await findJob(deps, caller, { id, kinds: ["crawl"] });
    const { tombstones: removed, next } = await deps.frontiers.tombstones(job.id, { after: cursor, limit });
    const nextUrl = next === undefined ? undefined : jobUrl(c, `${c.req.path}?limit=${limit}&format=${format}&cursor=${next}`); // prettier-ignore
    if (format === "jsonl") {
      if (nextUrl !== undefined) c.header("Link", `<${nextUrl}>; rel="next"`);
      return c.body(countedBody(c, toLines(removed)), 200, {
        "Content-Type": "application/x-ndjson; charset=utf-8",
      }) as never;
    }
    return c.json({ success: true as const, ...(nextUrl === undefined ? {} : { next: nextUrl }), removed }, 200);
  },
});

function toLines(removed: readonly Tombstone[]): string {
  return removed.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}
