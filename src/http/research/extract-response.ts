import { readStored } from "../../core/stored-state.ts";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { Evidence } from "../../core/scrape/evidence.ts";
import { AppError } from "../../core/errors.ts";
import { toReceipt } from "../../core/account/receipt.ts";
import { UrlValue } from "../../core/url/url.ts";
import { EvidenceOption } from "../../formats/evidence-option.ts";
import type { JsonRequest } from "../../formats/json.ts";
import { JsonSchemaOption } from "../../formats/json-schema-option.ts";
import { nullAsAbsent } from "../../formats/null-as-absent.ts";
import { CallerFields, type ScrapeOptions } from "../../formats/scrape-options.ts";
import { isRequested, warningsWithoutEffect, withoutEffect } from "../../formats/without-effect.ts";
import type { ExtractInput, ExtractResult } from "../../jobs/extract/extract.ts";
import { assertPublicWebhook } from "../../services/webhooks/assert-public-webhook.ts";
import { readWebhook, webhookValue } from "../../jobs/webhook.ts";
import { findJob } from "../../services/jobs/find-job.ts";
import { cancelStepJob, readStepJob } from "../../services/research/read-step-job.ts";
import { estimateCredits } from "../../services/scrape/scrape-credits.ts";
import type { ScrapeDefaults } from "../../services/scrape/scrape-plan.ts";
import { startStepJob } from "../../services/research/start-step-job.ts";
import type { AppEnv } from "../context.ts";
import { schemaError } from "../error-response.ts";
import { idempotencyOf } from "../idempotency.ts";
import { publicOrigin } from "../public-origin.ts";
import { admit, admitJob } from "../account/rate-limit.ts";
import { checkUnread } from "../scrape/counted-body.ts";
import { ReceiptField } from "../route.ts";
import { stepsInFlight } from "./step-response.ts";
import { nameWork, receiptOf } from "../work.ts";
import { EVIDENCE_EXAMPLE, EXAMPLE_EXPIRY, EXAMPLE_ID } from "../docs/examples.ts";

const EVENTS = ["started", "completed", "failed"] as const;
const URLS_OR_PROMPT = "Either 'urls' or 'prompt' must be provided";
const MAX_TIME_MS = 600_000;
const DEFAULT_TIME_MS = 300_000;

/** Options that are accepted for compatibility and have no effect. */
const Tolerated = {
  urlTrace: withoutEffect(),
  threatProtection: withoutEffect(z.looseObject({})),
  __experimental_streamSteps: withoutEffect(),
  __experimental_llmUsage: withoutEffect(),
  __experimental_showSources: withoutEffect(),
  __experimental_showCostTracking: withoutEffect(),
  __experimental_cacheKey: withoutEffect(),
  __experimental_cacheMode: withoutEffect(),
};
const TOLERATED = Object.keys(Tolerated) as (keyof typeof Tolerated)[];

/** Fields of an extract that both versions have, except scrape options. */
export const EXTRACT_FIELDS = {
  urls: z
    .array(z.string())
    .max(10)
    .optional()
    .describe(
      "Pages to read, at most 10. A trailing `/*` includes the site below the URL. Either `urls` or `prompt` is required.",
    ),
  prompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Description of the data to extract, at most 10,000 characters. Either `urls` or `prompt` is required.",
  ),
  systemPrompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Additional instructions for the language model, at most 10,000 characters.",
  ),
  schema: nullAsAbsent(JsonSchemaOption).describe("JSON Schema of the data to extract."),
  limit: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Maximum number of pages to read, which the sites among `urls` share; values above 100 are lowered to that, and `warning` says so where pages are left out. Default: 100, and the 10 best pages of each site.",
    ),
  ignoreSitemap: z.boolean().default(false).describe("Does not read sitemaps to find pages of a site. Default: false."),
  includeSubdomains: z.boolean().default(true).describe("Includes subdomains of a site. Default: true."),
  allowExternalLinks: z
    .boolean()
    .optional()
    .describe("Accepted for compatibility. It has no effect, and `warning` says so; use `enableWebSearch`."),
  enableWebSearch: z.boolean().default(false).describe("Searches the web for further pages. Default: false."),
  showSources: z.boolean().default(false).describe("Adds the source URLs of each field in `sources`. Default: false."),
  evidence: EvidenceOption,
  timeout: z
    .int()
    .min(1000)
    .optional()
    .describe(
      "Time limit of the job in milliseconds, at least 1,000; values above 600,000 are lowered to that. Default: 300,000.",
    ),
  ignoreInvalidURLs: z
    .boolean()
    .optional()
    .describe(
      "Skips invalid URLs and lists them in `invalidURLs` instead of refusing the request. Default: true, in version 1: false.",
    ),
  agent: z
    .looseObject({})
    .optional()
    .describe("Accepted for compatibility. It has no effect, and `warning` says so; use `POST /v2/agent`."),
  webhook: webhookValue("extract", EVENTS)
    .optional()
    .describe("URL, or object with a URL, that receives the events of the job."),
  ...Tolerated,
  ...CallerFields,
};

type ExtractFields = z.infer<z.ZodObject<typeof EXTRACT_FIELDS>>;

export function checkExtract({ urls = [], prompt = "" }: ExtractFields, context: z.core.$RefinementCtx): void {
  if (urls.length === 0 && prompt.trim() === "") {
    context.addIssue({ code: "custom", message: URLS_OR_PROMPT, path: ["urls"], input: urls });
  }
}

const Notes = {
  warnings: z.array(z.string()).optional().describe("Notes about deprecation."),
  replacement: z.string().optional().describe("Path of the endpoint that replaces this one."),
};

export const ExtractStarted = z
  .object({
    success: z.literal(true).describe("Always true in a successful response."),
    id: z.string().describe("ID of the resource."),
    urlTrace: z.array(z.unknown()).describe("Always empty, for compatibility."),
    invalidURLs: z.array(z.string()).optional().describe("URLs that were skipped, with `ignoreInvalidURLs`."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    receipt: ReceiptField,
    ...Notes,
  })
  .openapi("ExtractStarted", { example: { success: true, id: EXAMPLE_ID, urlTrace: [] } });

export const ExtractResponse = z
  .object({
    success: z.boolean().describe("False only when the job failed."),
    id: z.string().describe("ID of the resource."),
    status: z.enum(["processing", "completed", "failed", "cancelled"]).describe("State of the job."),
    data: z.unknown().describe("Extracted data; empty until the job is complete."),
    error: z.string().optional().describe("Why the job failed."),
    warning: z
      .string()
      .optional()
      .describe("What could not be done as requested. Absent when there is nothing to report."),
    expiresAt: z.string().describe("Time at which the resource expires."),
    sources: z.record(z.string(), z.array(z.string())).optional().describe("Source URLs by field, with `showSources`."),
    evidence: z.array(Evidence).optional().describe("Where the values of the data come from, with `evidence`."),
    tokensUsed: z.number().describe("Tokens of language models used by the job."),
    creditsUsed: z.number().describe("Credits charged so far."),
    receipt: ReceiptField,
    ...Notes,
  })
  .openapi("Extract", {
    example: {
      success: true,
      id: EXAMPLE_ID,
      status: "completed",
      data: { name: "Example Domain" },
      expiresAt: EXAMPLE_EXPIRY,
      evidence: [EVIDENCE_EXAMPLE],
      tokensUsed: 0,
      creditsUsed: 1,
    },
  });

interface ExtractCall {
  version: "v1" | "v2";
  defaults: ScrapeDefaults;
  body: ExtractFields;
  scrapeOptions: ScrapeOptions;
  ignoreInvalidURLs: boolean;
}

/** Starts an extract, for v1 and v2. */
export async function respondWithExtract(
  c: Context<AppEnv>,
  call: ExtractCall,
): Promise<z.infer<typeof ExtractStarted>> {
  const { deps, caller } = c.var;
  const { version, defaults, body, scrapeOptions, ignoreInvalidURLs } = call;
  assertPublicWebhook(deps, body.webhook);
  const { urls, invalid } = sortUrls(body.urls ?? [], ignoreInvalidURLs);
  const options: ScrapeOptions = { ...scrapeOptions, formats: [{ type: "json" }] };
  const leastCredits = estimateCredits({ options, zeroDataRetention: false });
  await admitJob(c, { endpoint: "extract", target: body.urls?.[0] ?? null, options, leastCredits, mode: "extract" });
  const input: ExtractInput = {
    urls,
    prompt: body.prompt,
    systemPrompt: body.systemPrompt,
    schema: body.schema !== undefined && Object.keys(body.schema).length > 0 ? body.schema : undefined,
    limit: body.limit,
    ignoreSitemap: body.ignoreSitemap,
    includeSubdomains: body.includeSubdomains,
    enableWebSearch: body.enableWebSearch,
    ...(body.evidence === undefined ? {} : { evidence: body.evidence }),
    scrapeOptions,
  };
  const id = await startStepJob<ExtractInput>(deps, caller, {
    kind: "extract",
    apiVersion: version,
    scrapeDefaults: defaults,
    zeroDataRetention: false,
    publicOrigin: publicOrigin(c.req.raw),
    ...readWebhook(body.webhook, EVENTS),
    input,
    maxCredits: undefined,
    target: urls[0] ?? body.prompt?.slice(0, 200) ?? "",
    options: { ...input, showSources: body.showSources, timeout: body.timeout },
    timeMs: Math.min(body.timeout ?? DEFAULT_TIME_MS, MAX_TIME_MS),
    idempotency: await idempotencyOf(c),
  });
  nameWork(c, { id });
  const warning = unsupportedOptions(body, scrapeOptions).join(" ");
  return {
    success: true,
    id,
    urlTrace: [],
    ...(ignoreInvalidURLs ? { invalidURLs: invalid } : {}),
    ...(warning === "" ? {} : { warning }),
    receipt: receiptOf(c),
  };
}

/** Returns the warnings about options that have no effect, or less than was requested. */
function unsupportedOptions(body: ExtractFields, { formats = [] }: ScrapeOptions): string[] {
  const notices: [boolean, string][] = [
    [body.allowExternalLinks === true, "allowExternalLinks: pages of other sites are found by enableWebSearch alone."],
    [
      formats.some((format) => format.type !== "json" || hasOptions(format)),
      "scrapeOptions.formats: it has no effect, since an extract returns its data alone, by its own schema and prompt.",
    ],
    [
      (body.timeout ?? 0) > MAX_TIME_MS,
      `timeout: it was lowered to ${MAX_TIME_MS} ms, the longest that an extract may take.`,
    ],
    [body.agent !== undefined, "agent: pages are scraped without an agent of their own; see POST /v2/agent."],
  ];
  const ineffective = notices.flatMap(([applies, words]) => (applies ? [words] : []));
  return [...ineffective, ...warningsWithoutEffect(body, TOLERATED)];
}

function hasOptions({ type: _type, field: _field, ...options }: JsonRequest): boolean {
  return Object.values(options).some(isRequested);
}

/** Skips invalid URLs, or refuses them with their indexes, as requested. `/*` at the end is not part of the URL. */
function sortUrls(urls: readonly string[], ignoreInvalid: boolean): { urls: string[]; invalid: string[] } {
  const checked = urls.map((url) => ({ url, parsed: UrlValue.safeParse(url.replace(/\/\*$/, "/")) }));
  const issues = checked.flatMap(({ parsed }, index) =>
    parsed.success ? [] : parsed.error.issues.map((issue) => ({ ...issue, path: ["urls", index] })),
  );
  if (issues.length > 0 && !ignoreInvalid) throw schemaError(issues, { urls });
  const valid = checked.flatMap(({ url, parsed }) => (parsed.success ? [url] : []));
  if (urls.length > 0 && valid.length === 0) throw new AppError("BAD_REQUEST", "No valid URLs provided");
  return { urls: valid, invalid: checked.flatMap(({ url, parsed }) => (parsed.success ? [] : [url])) };
}

const KeptOptions = z.object({ showSources: z.boolean().optional() });
const KINDS = ["extract", "agent"] as const;

/** Answers with the status of an extract or an agent: old clients read both here. */
export async function respondWithExtractStatus(
  c: Context<AppEnv>,
  id: string,
): Promise<z.infer<typeof ExtractResponse>> {
  checkUnread(c);
  await admit(c, { mode: "extractStatus", credits: 0 });
  const { deps } = c.var;
  const job = await findExtract(c, id);
  const { progress, result } = await readStepJob(deps, job.id);
  const { status, error, creditsUsed, costs } = progress;
  const { showSources } = readStored(KeptOptions, job.optionsJson, "job");
  const frame = {
    success: status !== "failed",
    id: job.id,
    status: status === "scraping" ? ("processing" as const) : status,
    ...(error === undefined ? {} : { error }),
    expiresAt: new Date(job.expiresAtMs).toISOString(),
    tokensUsed: costs.modelInputTokens + costs.modelOutputTokens,
    creditsUsed,
    receipt: toReceipt({ ...costs, credits: creditsUsed }),
  };
  if (result === undefined) return { ...frame, data: [] };
  // Written by the job's kind; an agent's result has its data in the same field.
  const { data, sources, evidence, warning } = result as Partial<ExtractResult>;
  return {
    ...frame,
    data: data ?? {},
    ...(showSources === true && sources !== undefined ? { sources } : {}),
    ...(evidence === undefined ? {} : { evidence }),
    ...(warning === undefined ? {} : { warning }),
  };
}

export async function answerExtractCancel(
  c: Context<AppEnv>,
  id: string,
): Promise<{ success: true; status: "cancelled"; warning?: string }> {
  await admit(c, { mode: "extractStatus", credits: 0 });
  const credits = await cancelStepJob(c.var.deps, await findExtract(c, id));
  return { success: true, status: "cancelled", ...stepsInFlight(credits) };
}

async function findExtract(c: Context<AppEnv>, id: string) {
  const { deps, caller } = c.var;
  try {
    return await findJob(deps, caller, { id, kinds: KINDS });
  } catch (error) {
    if (error instanceof AppError && error.code === "JOB_NOT_FOUND")
      throw new AppError("JOB_NOT_FOUND", "Extract job not found");
    throw error;
  }
}
