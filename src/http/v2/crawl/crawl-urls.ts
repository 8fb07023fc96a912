import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { PAGE_CHANGES } from "../../../core/crawl/page-version.ts";
import type { Deps } from "../../../services/deps.ts";
import { findJob } from "../../../services/jobs/find-job.ts";
import { readJobUrls, type UrlLine } from "../../../services/jobs/read-job-urls.ts";
import type { AppEnv } from "../../context.ts";
import { createRoute } from "../../account/key-scope.ts";
import { jobUrl } from "../../jobs/job-responses.ts";
import { admit } from "../../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json } from "../../route.ts";
import { countedBody } from "../../scrape/counted-body.ts";

const MAX_LINES = 10_000;
const DEFAULT_LINES = 1_000;
/** Lines per read when a whole list is sent. */
const LINES_A_READ = 2_000;
const CSV_TYPE = "text/csv; charset=utf-8";
const COLUMNS = ["url", "outcome", "reason", "detail", "depth", "parent", "attempt", "change"] as const;

const Query = z.object({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_LINES)
    .optional()
    .openapi({ description: "Maximum number of rows. Default: 1,000; CSV without a limit contains all rows." }),
  cursor: z.string().max(100).optional().describe("Cursor of the previous response, from its `next` URL."),
  format: z.enum(["json", "csv"]).default("json").describe("Format of the response. Default: json."),
});

const UrlsResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    counts: z
      .object({
        discovered: z.int().describe("Number of all URLs."),
        completed: z.int().describe("Number of scraped URLs."),
        failed: z.int().describe("Number of URLs that failed."),
        skipped: z.int().describe("Number of URLs that were left out."),
        pending: z.int().describe("Number of URLs that are still to be scraped."),
      })
      .describe("Number of URLs by outcome."),
    next: z.string().optional().openapi({ description: "URL of the next page. Absent when there is none." }),
    urls: z
      .array(
        z.object({
          url: z.string().describe("URL as it was found."),
          outcome: z
            .enum(["scraped", "failed", "skipped", "pending", "removed"])
            .describe(
              "What happened to the URL. `removed`: a page of the earlier crawl that this one has not found; it is not counted.",
            ),
          change: z.enum(PAGE_CHANGES).optional().describe("Difference to the earlier crawl, for crawls with `since`."),
          reason: z.string().optional().describe("Why the URL was left out, or the error code of its failure."),
          detail: z.string().optional().describe("Explanation of the reason."),
          depth: z.int().describe("Number of links from the start page."),
          parent: z.string().optional().describe("URL of the page that links to it."),
          attempt: z.int().optional().describe("Number of the attempt."),
        }),
      )
      .describe("URLs with their outcome."),
  })
  .openapi("CrawlUrls", {
    example: {
      success: true,
      counts: { discovered: 3, completed: 1, failed: 1, skipped: 1, pending: 0 },
      urls: [
        { url: "https://example.com/", outcome: "scraped", depth: 0, attempt: 1 },
        {
          url: "https://example.com/slow",
          outcome: "failed",
          reason: "SCRAPE_TIMEOUT",
          depth: 1,
          parent: "https://example.com/",
          attempt: 3,
        },
        {
          url: "https://example.org/",
          outcome: "skipped",
          reason: "EXTERNAL_LINK",
          depth: 1,
          parent: "https://example.com/",
        },
      ],
    },
  });

const route = createRoute({
  method: "get",
  path: "/v2/crawl/{id}/urls",
  "x-key-scope": ["crawl", "batch_scrape"],
  tags: ["Crawling"],
  summary: "List the URLs of a crawl with their outcome",
  security: BEARER,
  request: { params: IdParam, query: Query },
  responses: {
    200: json(UrlsResponse, "The URLs in order of discovery, those in scope first; CSV on request"),
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const crawlUrls = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  handler: async (c) => {
    await admit(c, { mode: "crawlStatus", credits: 0 });
    const { id } = c.req.valid("param");
    const { limit, cursor, format } = c.req.valid("query");
    const { deps, caller } = c.var;
    const job = await findJob(deps, caller, { id, kinds: ["crawl", "batch_scrape"] });
    if (format === "csv" && limit === undefined) return asWholeCsv(c, eachPage(deps, job.id, cursor)) as never;
    const { lines, counts, next } = await readJobUrls(deps, job.id, { limit: limit ?? DEFAULT_LINES, cursor });
    const nextUrl = next === undefined ? undefined : nextPage(c, { limit: limit ?? DEFAULT_LINES, next, format });
    if (format === "csv") return asCsv(c, lines, nextUrl) as never;
    return c.json(
      { success: true as const, counts, ...(nextUrl === undefined ? {} : { next: nextUrl }), urls: lines },
      200,
    );
  },
});

function nextPage(c: Context<AppEnv>, page: { limit: number; next: string; format: string }): string {
  return jobUrl(c, `${c.req.path}?limit=${page.limit}&format=${page.format}&cursor=${page.next}`);
}

/** Returns a page of the list as CSV (RFC 4180); `Link` names the next page (RFC 8288). */
function asCsv(c: Context<AppEnv>, lines: UrlLine[], next: string | undefined): Response {
  if (next !== undefined) c.header("Link", `<${next}>; rel="next"`);
  return c.body(countedBody(c, HEAD_LINE + csvLines(lines)), 200, { "Content-Type": CSV_TYPE });
}

/** Streams all lines as the client reads them, so that a list of any length needs little memory. */
function asWholeCsv(c: Context<AppEnv>, pages: AsyncGenerator<UrlLine[]>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(HEAD_LINE)),
    async pull(controller) {
      const { value, done } = await pages.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(csvLines(value)));
    },
    cancel: async () => void (await pages.return(undefined)),
  });
  return c.body(body, 200, { "Content-Type": CSV_TYPE });
}

async function* eachPage(deps: Deps, jobId: string, from: string | undefined): AsyncGenerator<UrlLine[]> {
  let cursor = from;
  do {
    const { lines, next } = await readJobUrls(deps, jobId, { limit: LINES_A_READ, cursor });
    yield lines;
    cursor = next;
  } while (cursor !== undefined);
}

const HEAD_LINE = `${COLUMNS.join(",")}\r\n`;

function csvLines(lines: readonly UrlLine[]): string {
  return lines.map((line) => `${COLUMNS.map((column) => csvField(line[column])).join(",")}\r\n`).join("");
}

/** Escapes a CSV field: one that a spreadsheet would treat as a formula gets an apostrophe. */
function csvField(value: string | number | undefined): string {
  const text = value === undefined ? "" : String(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
