import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { AppError } from "../../core/errors.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { checkEndpoint } from "../../services/check-scope.ts";
import { FEEDBACK_ENDPOINTS, giveFeedback } from "../../services/give-feedback.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../key-scope.ts";
import { admit } from "../rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";
import { EXAMPLE_ID, OTHER_ID } from "../examples.ts";

const MAX_METADATA_BYTES = 8192;

const Source = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2048),
  reason: z.string().max(1000).optional(),
});
const Missing = z.strictObject({ topic: z.string().min(1).max(200), description: z.string().max(2000).optional() });
const Rating = z.enum(["good", "bad", "partial"]);
const Slug = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[A-Za-z0-9]+(?:[-_:.][A-Za-z0-9]+)*$/, "must be a short name of letters and digits");

/** A rating alone says nothing that could be acted on (contract § 11.3). */
const SearchFeedbackBody = z
  .strictObject({
    rating: Rating,
    valuableSources: z.array(Source).max(50).optional(),
    missingContent: z.array(Missing).max(20).optional(),
    querySuggestions: z.string().max(2000).optional(),
    ...CallerFields,
  })
  .refine(
    ({ rating, valuableSources = [], missingContent = [], querySuggestions = "" }) => {
      const [praises, misses] = [valuableSources.length > 0, missingContent.length > 0];
      if (rating === "good") return praises;
      return rating === "partial" ? praises || misses : misses || querySuggestions.trim() !== "";
    },
    { message: "Say what was good (valuableSources), or what was missing (missingContent, querySuggestions)" },
  )
  .openapi("SearchFeedbackRequest", {
    example: {
      rating: "good",
      valuableSources: [{ url: "https://example.com/tides", reason: "It says why there are two a day" }],
    },
  });

const FeedbackBody = z
  .strictObject({
    endpoint: z.enum(FEEDBACK_ENDPOINTS),
    jobId: z.uuid(),
    rating: Rating,
    issues: z.array(Slug).max(20).optional(),
    tags: z.array(Slug).max(20).optional(),
    note: z.string().max(4000).optional(),
    valuableSources: z.array(Source).max(50).optional(),
    missingContent: z.array(Missing).max(50).optional(),
    querySuggestions: z.string().max(2000).optional(),
    url: z.string().max(2048).optional(),
    pageNumbers: z.array(z.int().positive()).max(100).optional(),
    metadata: z
      .record(z.string(), z.unknown())
      .refine((metadata) => JSON.stringify(metadata).length <= MAX_METADATA_BYTES, "must not be larger than 8 KB")
      .optional(),
    ...CallerFields,
  })
  .refine(
    ({ issues, tags, note, valuableSources, missingContent, querySuggestions, pageNumbers }) =>
      [issues, tags, note?.trim(), valuableSources, missingContent, querySuggestions?.trim(), pageNumbers].some(
        (signal) => signal !== undefined && signal.length > 0,
      ),
    { message: "Say more than a rating: issues, tags, note, valuableSources, missingContent or querySuggestions" },
  )
  .openapi("FeedbackRequest", {
    example: {
      endpoint: "scrape",
      jobId: EXAMPLE_ID,
      rating: "bad",
      issues: ["missing-table"],
      note: "The prices are missing.",
    },
  });

const FeedbackAnswer = z
  .object({
    success: z.literal(true),
    feedbackId: z.string(),
    creditsRefunded: z.number(),
    creditsRefundedToday: z.number(),
    dailyRefundCap: z.number(),
    dailyCapReached: z.boolean(),
    alreadySubmitted: z.boolean(),
  })
  .openapi("FeedbackAnswer", {
    example: {
      success: true,
      feedbackId: OTHER_ID,
      creditsRefunded: 1,
      creditsRefundedToday: 1,
      dailyRefundCap: 100,
      dailyCapReached: false,
      alreadySubmitted: false,
    },
  });

const FAILURES = ["INVALID_FEEDBACK", "FEEDBACK_WINDOW_EXPIRED", ...COMMON_FAILURES] as const;

/** These routes name what is wrong with a body in their own way. */
function refuseBody(result: { success: true } | { success: false; error: z.ZodError }): undefined {
  if (!result.success) throw new AppError("INVALID_FEEDBACK", undefined, { details: result.error.issues });
}

const searchRoute = createRoute({
  method: "post",
  path: "/v2/search/{id}/feedback",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Say how good a search was",
  security: BEARER,
  request: { params: IdParam, ...jsonBody(SearchFeedbackBody) },
  responses: { 200: json(FeedbackAnswer, "It was kept"), ...failures("FEEDBACK_SEARCH_NOT_FOUND", ...FAILURES) },
});

export const searchFeedback = defineOpenAPIRoute<typeof searchRoute, AppEnv>({
  route: searchRoute,
  hook: refuseBody,
  handler: async (c) => {
    const { origin: _, integration: __, ...body } = c.req.valid("json");
    await admit(c, { mode: "account", credits: 0 });
    const request = { endpoint: "search" as const, jobId: c.req.valid("param").id, rating: body.rating, body };
    return c.json({ success: true as const, ...(await giveFeedback(c.var.deps, c.var.caller, request)) }, 200);
  },
});

const route = createRoute({
  method: "post",
  path: "/v2/feedback",
  "x-key-scope": FEEDBACK_ENDPOINTS,
  tags: ["Account"],
  summary: "Say how good an answer was",
  security: BEARER,
  request: jsonBody(FeedbackBody),
  responses: {
    200: json(FeedbackAnswer, "It was kept"),
    ...failures("FEEDBACK_JOB_NOT_FOUND", "FEEDBACK_SEARCH_NOT_FOUND", ...FAILURES),
  },
});

export const feedback = defineOpenAPIRoute<typeof route, AppEnv>({
  route,
  hook: refuseBody,
  handler: async (c) => {
    const { origin: _, integration: __, ...body } = c.req.valid("json");
    const { endpoint, jobId, rating } = body;
    checkEndpoint(c.var.caller.key, endpoint);
    await admit(c, { mode: "account", credits: 0 });
    const answer = await giveFeedback(c.var.deps, c.var.caller, { endpoint, jobId, rating, body });
    return c.json({ success: true as const, ...answer }, 200);
  },
});
