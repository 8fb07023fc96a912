import { defineOpenAPIRoute, z } from "@hono/zod-openapi";
import { bodyError, inputOf } from "../error-response.ts";
import { CallerFields } from "../../formats/scrape-options.ts";
import { checkEndpoint } from "../../services/account/check-scope.ts";
import { FEEDBACK_ENDPOINTS, giveFeedback } from "../../services/search/give-feedback.ts";
import type { AppEnv } from "../context.ts";
import { createRoute } from "../account/key-scope.ts";
import { limitLists } from "../limit-lists.ts";
import { admit } from "../account/rate-limit.ts";
import { BEARER, COMMON_FAILURES, IdParam, failures, json, jsonBody } from "../route.ts";
import { EXAMPLE_ID, OTHER_ID } from "../docs/examples.ts";

const MAX_METADATA_BYTES = 8192;

const Source = z.strictObject({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .describe("URL of the source, http or https, at most 2,048 characters."),
  reason: z.string().max(1000).optional().describe("Why the source was useful, at most 1,000 characters."),
});
const Missing = z.strictObject({
  topic: z.string().min(1).max(200).describe("Topic that was missing, 1 to 200 characters."),
  description: z.string().max(2000).optional().describe("What was missing about the topic, at most 2,000 characters."),
});
const Rating = z.enum(["good", "bad", "partial"]);
const Slug = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/^[A-Za-z0-9]+(?:[-_:.][A-Za-z0-9]+)*$/, "must be a short name of letters and digits");

/** A rating alone gives no reason that could be acted on (api-contract.md, “Search feedback”). */
const SearchFeedbackBody = z
  .strictObject({
    rating: Rating.describe("Rating of the search. Each rating needs at least one matching detail."),
    valuableSources: z
      .array(Source)
      .max(50)
      .optional()
      .describe("Useful results, at most 50. Required with rating good."),
    missingContent: z.array(Missing).max(20).optional().describe("Topics that were missing, at most 20."),
    querySuggestions: z.string().max(2000).optional().describe("Better queries, at most 2,000 characters."),
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
    endpoint: z.enum(FEEDBACK_ENDPOINTS).describe("Endpoint that the feedback is about."),
    jobId: z.uuid().describe("ID of the result that the feedback is about."),
    rating: Rating.describe("Rating of the result. At least one further detail is required."),
    issues: z.array(Slug).max(20).optional().describe("Short names of problems, at most 20."),
    tags: z.array(Slug).max(20).optional().describe("Short names for your own classification, at most 20."),
    note: z.string().max(4000).optional().describe("Comment, at most 4,000 characters."),
    valuableSources: z.array(Source).max(50).optional().describe("Useful results, at most 50."),
    missingContent: z.array(Missing).max(50).optional().describe("Topics that were missing, at most 50."),
    querySuggestions: z.string().max(2000).optional().describe("Better queries, at most 2,000 characters."),
    url: z.string().max(2048).optional().describe("URL that the feedback is about, at most 2,048 characters."),
    pageNumbers: z
      .array(z.int().positive())
      .max(100)
      .optional()
      .describe("Pages of the document that the feedback is about, at most 100 numbers from 1."),
    metadata: z
      .record(z.string(), z.unknown())
      .refine((metadata) => JSON.stringify(metadata).length <= MAX_METADATA_BYTES, "must not be larger than 8 KB")
      .optional()
      .describe("Your own data to store with the feedback, at most 8 KB of JSON."),
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

const FeedbackResponse = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    feedbackId: z.string().describe("ID of the feedback."),
    creditsRefunded: z.number().describe("Credits refunded for this feedback."),
    creditsRefundedToday: z.number().describe("Credits refunded to the team today (UTC)."),
    dailyRefundCap: z.number().describe("Maximum number of credits refunded per day."),
    dailyCapReached: z.boolean().describe("Whether the maximum of the day is reached."),
    alreadySubmitted: z.boolean().describe("Whether there was feedback about this result before."),
    warning: z.string().optional().describe("Says that the longest fields are not stored."),
  })
  .openapi("FeedbackResponse", {
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

/** Refuses an invalid body: these routes have their own error code. */
function refuseBody(result: { success: true } | { success: false; error: z.ZodError }): undefined {
  if (!result.success) throw bodyError("INVALID_FEEDBACK", result.error.issues, inputOf(result));
}

const searchRoute = createRoute({
  method: "post",
  path: "/v2/search/{id}/feedback",
  "x-key-scope": "search",
  tags: ["Searching"],
  summary: "Send feedback about a search",
  middleware: [limitLists(SearchFeedbackBody, "INVALID_FEEDBACK")] as const,
  security: BEARER,
  request: { params: IdParam, ...jsonBody(SearchFeedbackBody) },
  responses: {
    200: json(FeedbackResponse, "The feedback is stored"),
    ...failures("FEEDBACK_SEARCH_NOT_FOUND", ...FAILURES),
  },
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
  tags: ["Team"],
  summary: "Send feedback about a result",
  middleware: [limitLists(FeedbackBody, "INVALID_FEEDBACK")] as const,
  security: BEARER,
  request: jsonBody(FeedbackBody),
  responses: {
    200: json(FeedbackResponse, "The feedback is stored"),
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
