import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { toAbsoluteUrl, UrlValue } from "../../core/url/url.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { warningsWithoutEffect, withoutEffect } from "../../formats/without-effect.ts";
import type { LlmstxtInput, LlmstxtResult } from "../../jobs/llmstxt.ts";
import { readStepJob } from "../../services/research/read-step-job.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { EXAMPLE_EXPIRY } from "../docs/examples.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";
import { findStepJob, startV1Steps, StepStarted, V1_STEP_FIELDS, v1StepFields } from "../research/step-response.ts";
import { V1_DEFAULTS } from "./translate.ts";

const TIME_MS = 600_000;

const LlmstxtBody = z
  .strictObject({
    url: UrlValue.describe("URL of the site. Without a scheme, http is assumed."),
    maxUrls: z
      .int()
      .min(1)
      .max(5_000)
      .default(10)
      .describe("Maximum number of pages to describe, 1 to 5,000. Default: 10."),
    showFullText: z
      .boolean()
      .default(false)
      .describe("Also returns the text of all pages in `llmsfulltxt`. Default: false."),
    cache: z.boolean().default(true).describe("Uses cached copies of pages. Default: true."),
    __experimental_stream: withoutEffect(),
    ...CallerFields,
  })
  .openapi("LlmstxtRequest", { example: { url: "https://example.com", maxUrls: 20 } });

const LlmstxtResponse = z
  .object({
    ...V1_STEP_FIELDS,
    data: z
      .object({
        llmstxt: z.string().describe("Content of llms.txt; empty until the job is complete."),
        llmsfulltxt: z.string().optional().describe("Text of all pages, with `showFullText`."),
      })
      .describe("Result of the job."),
  })
  .openapi("Llmstxt", {
    example: {
      success: true,
      status: "completed",
      data: { llmstxt: "# example.com llms.txt\n\n- [Documentation](https://example.com/docs): How to begin\n" },
      expiresAt: EXAMPLE_EXPIRY,
    },
  });

const startRoute = createRoute({
  method: "post",
  path: "/v1/llmstxt",
  "x-key-scope": "agent",
  tags: ["Version 1"],
  summary: "Generate an llms.txt file",
  deprecated: true,
  security: BEARER,
  request: jsonBody(LlmstxtBody),
  responses: {
    200: json(StepStarted, "The job has started"),
    ...failures("BAD_REQUEST", "IDEMPOTENCY_KEY_USED", "CONCURRENCY_LIMITED", ...COMMON_FAILURES),
  },
});

export const startLlmstxt = defineOpenAPIRoute<typeof startRoute, AppEnv>({
  route: startRoute,
  handler: async (c) => {
    const body = c.req.valid("json");
    const { url, maxUrls, showFullText, cache } = body;
    const input: LlmstxtInput = { url: toAbsoluteUrl(url), maxUrls, showFullText };
    const started = await startV1Steps<LlmstxtInput>(c, {
      kind: "llmstxt",
      scrapeDefaults: cache ? V1_DEFAULTS : { ...V1_DEFAULTS, maxAgeMs: 0 },
      input,
      target: url,
      timeMs: TIME_MS,
      options: { ...input, cache },
    });
    const warning = warningsWithoutEffect(body, ["__experimental_stream"]).join(" ");
    return c.json({ ...started, ...(warning === "" ? {} : { warning }) }, 200);
  },
});

const statusRoute = createRoute({
  method: "get",
  path: "/v1/llmstxt/{id}",
  "x-key-scope": "agent",
  tags: ["Version 1"],
  summary: "Get the status and result of an llms.txt job",
  deprecated: true,
  security: BEARER,
  request: { params: IdParam },
  responses: {
    200: json(LlmstxtResponse, "The job, with the file when it is complete"),
    ...failures("INVALID_JOB_ID", "JOB_NOT_FOUND", ...COMMON_FAILURES),
  },
});

export const llmstxtStatus = defineOpenAPIRoute<typeof statusRoute, AppEnv>({
  route: statusRoute,
  handler: async (c) => {
    const notFound = "llmsTxt generation job not found";
    const { id, expiresAtMs } = await findStepJob(c, { id: c.req.valid("param").id, kind: "llmstxt", notFound });
    const { progress, result } = await readStepJob(c.var.deps, id);
    // Only the job's kind writes it, in this shape: hence the cast.
    const { llmstxt = "", llmsfulltxt, warning } = (result ?? {}) as Partial<LlmstxtResult>;
    const data = { llmstxt, ...(llmsfulltxt === undefined ? {} : { llmsfulltxt }) };
    return c.json({ ...v1StepFields({ ...progress, expiresAtMs }, warning), data }, 200);
  },
});
