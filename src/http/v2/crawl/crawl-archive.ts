import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { SCRAPE_OPTION_FIELDS, checkCombinations } from "../../../formats/scrape-options.ts";
import { planReextract, reextractJob } from "../../../services/archive/reextract-job.ts";
import { listArchive, writeWacz } from "../../../services/archive/write-wacz.ts";
import { findJob } from "../../../services/jobs/find-job.ts";
import { startedJob } from "../../../services/jobs/start-job.ts";
import { estimateCredits } from "../../../services/scrape/scrape-credits.ts";
import { ARCHIVE_FORMATS, admit, admitJob } from "../../account/rate-limit.ts";
import { createRoute } from "../../account/key-scope.ts";
import type { AppEnv } from "../../context.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { jobUrl, StartResponse } from "../../jobs/job-responses.ts";
import { publicOrigin } from "../../public-origin.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../../route.ts";
import { nameWork, receiptOf } from "../../work.ts";

const PartQuery = z.object({
  part: z.coerce.number().int().min(1).max(1_000).default(1).openapi({
    description: "Part of the archive, from 1; each has 5,000 pages. `Link` names the next one. Default: 1.",
  }),
});

const archiveRoute = createRoute({
  method: "get",
  path: "/v2/crawl/{id}/archive.wacz",
  "x-key-scope": ["crawl", "batch_scrape"],
  tags: ["Crawling"],
  summary: "Download the archive of a crawl",
  security: BEARER,
  request: { params: IdParam, query: PartQuery },
  responses: {
    200: {
      description: "The archived responses as WACZ",
      content: { "application/wacz": { schema: z.string().openapi({ format: "binary" }) } },
    },
    ...failures("BAD_REQUEST", "INVALID_JOB_ID", "JOB_NOT_FOUND", "NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const crawlArchive = defineOpenAPIRoute<typeof archiveRoute, AppEnv>({
  route: archiveRoute,
  handler: async (c) => {
    await admit(c, { mode: "crawlStatus", credits: 0, formats: ARCHIVE_FORMATS });
    const { id } = c.req.valid("param");
    const { part } = c.req.valid("query");
    const { deps, caller } = c.var;
    const job = await findJob(deps, caller, { id, kinds: ["crawl", "batch_scrape"] });
    const listed = await listArchive(deps, job, part);
    if (listed.hasMore) c.header("Link", `<${jobUrl(c, `${c.req.path}?part=${part + 1}`)}>; rel="next"`);
    c.header("Content-Disposition", `attachment; filename="${job.id}${part === 1 ? "" : `-${part}`}.wacz"`);
    return c.body(writeWacz(deps, listed), 200, { "Content-Type": "application/wacz" }) as never;
  },
});

const ReextractBody = z
  .strictObject(SCRAPE_OPTION_FIELDS)
  .superRefine(checkCombinations)
  .openapi("ReextractRequest", { example: { formats: ["markdown", "links"] } });

const reextractRoute = createRoute({
  method: "post",
  path: "/v2/crawl/{id}/reextract",
  "x-key-scope": ["crawl", "batch_scrape"],
  tags: ["Crawling"],
  summary: "Derive other formats from the archive of a crawl",
  security: BEARER,
  request: { params: IdParam, ...jsonBody(ReextractBody) },
  responses: {
    200: json(StartResponse, "The batch that reads the archive has started"),
    ...failures(
      "BAD_REQUEST",
      "INVALID_JOB_ID",
      "JOB_NOT_FOUND",
      "NOT_FOUND",
      "IDEMPOTENCY_KEY_USED",
      "CONCURRENCY_LIMITED",
      ...COMMON_FAILURES,
    ),
  },
});

export const reextractCrawl = defineOpenAPIRoute<typeof reextractRoute, AppEnv>({
  route: reextractRoute,
  handler: async (c) => {
    const { id: jobId } = c.req.valid("param");
    const options = c.req.valid("json");
    const { deps, caller } = c.var;
    const idempotency = await idempotencyOf(c);
    // Also when the archive is gone by now.
    const known = await startedJob(deps, caller, idempotency);
    const answer = (id: string) => ({
      success: true as const,
      id,
      url: jobUrl(c, `/v2/batch/scrape/${id}`),
      receipt: receiptOf(c),
    });
    if (known !== undefined) return c.json(answer(known), 200);
    await admit(c, { mode: "crawlStatus", credits: 0 });
    const planned = await planReextract(deps, caller, { id: jobId, options });
    await admitJob(c, {
      endpoint: "batch_scrape",
      target: planned.urls[0] ?? "",
      options,
      leastCredits: planned.urls.length * estimateCredits({ options, zeroDataRetention: false }),
    });
    const id = await reextractJob(deps, caller, {
      ...planned,
      options,
      publicOrigin: publicOrigin(c.req.raw),
      idempotency,
    });
    nameWork(c, { id });
    return c.json(answer(id), 200);
  },
});
