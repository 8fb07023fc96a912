import { RequestHeaders } from "./request-headers.ts";
import { z } from "zod";
import { Actions, WAIT_TOO_LONG, waitsAreBounded } from "../core/actions.ts";
import { Formats } from "./index.ts";

/** Each selector looks at the whole page. */
const MAX_SELECTORS = 500;
const MAX_TIMEOUT_MS = 300_000;
const MAX_WAIT_MS = 60_000;
// Without a flag, which the pattern of a JSON schema does not know.
const COUNTRY = /^(?:[A-Za-z]{2}|[Uu][Ss]-generic|[Uu][Ss]-whitelist)$/;
const WAIT_OVER_HALF = "waitFor must not exceed half of timeout";

/** Names of callers' integrations (contract § 5.2); others must begin with an underscore. */
const INTEGRATIONS = [
  "dify", "zapier", "pipedream", "raycast", "langchain", "crewai", "llamaindex", "n8n", "camelai", "make", "flowise",
  "metagpt", "relevanceai", "viasocket", "cli", "hermes", "gstack", "prometheus",
]; // prettier-ignore

export const Integration = z
  .string()
  .refine((name) => name.startsWith("_") || INTEGRATIONS.includes(name), {
    message: `Invalid enum value. Expected one of ${INTEGRATIONS.join(", ")}, or a name that begins with _`,
  })
  .nullish();

/** Who sent a request, for the caller's own records. */
export const CallerFields = {
  origin: z.string().optional(),
  integration: Integration,
};

export const Location = z.object({
  country: z
    .string()
    .regex(COUNTRY, "Invalid country code. Use ISO 3166-1 alpha-2, such as DE.")
    .transform((country) => country.toLowerCase())
    .optional(),
  languages: z.array(z.string().min(1)).optional(),
});

const PdfParser = z.strictObject({
  type: z.literal("pdf"),
  mode: z.enum(["fast", "auto", "ocr"]).default("auto"),
  maxPages: z.int().min(1).max(10_000).optional(),
  pages: z.boolean().optional(),
  pageMarkdown: z.boolean().optional(),
  blocks: z.boolean().optional(),
  pageMarkers: z.boolean().optional(),
});
export type PdfParser = z.infer<typeof PdfParser>;

export const Parsers = z.array(
  z.union([z.literal("pdf").transform((): PdfParser => ({ type: "pdf", mode: "auto" })), PdfParser]),
);

/**
 * Options that this service takes so that callers of other versions keep working, and that change nothing here: who
 * asks for one is told so in a warning.
 */
const Tolerated = {
  useMock: z.string().optional(),
  safeMode: z.boolean().optional(),
  threatProtection: z.looseObject({}).optional(),
  auditMetadata: z.looseObject({ username: z.string().optional() }).optional(),
  domainTools: z.unknown().optional(),
  toolDetail: z.unknown().optional(),
  tools: z.unknown().optional(),
  alexandria: z.unknown().optional(),
  __experimental_omce: z.unknown().optional(),
  __experimental_omceDomain: z.unknown().optional(),
  __experimental_engpicker: z.unknown().optional(),
  __searchPreviewToken: z.unknown().optional(),
  __forceFirePDF: z.unknown().optional(),
  __agentInterop: z.unknown().optional(),
};

export const TOLERATED_OPTIONS = Object.keys(Tolerated) as (keyof typeof Tolerated)[];

const notYet = (option: string) =>
  z.unknown().refine((value) => value === undefined || value === false || value === null, {
    message: `The option ${option} is not available in this version of the service`,
  });

const PII_ENTITIES = ["PERSON", "EMAIL", "PHONE", "LOCATION", "FINANCIAL", "SECRET"] as const;

const RedactPii = z.union([
  z.boolean(),
  z.strictObject({
    mode: z.enum(["accurate", "aggressive", "fast"]).default("accurate"),
    entities: z.array(z.enum(PII_ENTITIES)).default([]),
    replaceStyle: z.enum(["tag", "mask", "remove"]).default("tag"),
  }),
]);

/** Options of one page's scrape, as v2 names them (contract § 5.3). What a caller left out stays undefined. */
export const SCRAPE_OPTION_FIELDS = {
  formats: Formats.optional(),
  headers: RequestHeaders.optional(),
  includeTags: z.array(z.string()).max(MAX_SELECTORS).optional(),
  excludeTags: z.array(z.string()).max(MAX_SELECTORS).optional(),
  onlyMainContent: z.boolean().optional(),
  onlyCleanContent: z.boolean().optional(),
  timeout: z.int().min(1000).optional(),
  waitFor: z.int().min(0).max(MAX_WAIT_MS).optional(),
  mobile: z.boolean().optional(),
  parsers: Parsers.optional(),
  actions: Actions.optional(),
  location: Location.optional(),
  skipTlsVerification: z.boolean().optional(),
  removeBase64Images: z.boolean().optional(),
  fastMode: z.boolean().optional(),
  blockAds: z.boolean().optional(),
  proxy: z.enum(["basic", "stealth", "enhanced", "auto"]).optional(),
  maxAge: z.int().min(0).optional(),
  minAge: z.int().min(0).optional(),
  storeInCache: z.boolean().optional(),
  lockdown: z.boolean().optional(),
  redactPII: RedactPii.optional(),
  profile: notYet("profile").optional(),
  ...Tolerated,
};

interface TimedOptions {
  timeout?: number | undefined;
  waitFor?: number | undefined;
  actions?: z.infer<typeof Actions> | undefined;
}

/** Checks that go across fields: time to wait against time in all. */
export function checkTimes(options: TimedOptions, context: z.core.$RefinementCtx): void {
  const waitFor = options.waitFor ?? 0;
  if (options.timeout !== undefined && waitFor > options.timeout / 2) {
    context.addIssue({ code: "custom", message: WAIT_OVER_HALF, path: ["waitFor"], input: waitFor });
  }
  if (!waitsAreBounded(options.actions ?? [], waitFor)) {
    context.addIssue({ code: "custom", message: WAIT_TOO_LONG, path: ["actions"], input: options.actions });
  }
}

export const ScrapeOptions = z.strictObject(SCRAPE_OPTION_FIELDS).superRefine(checkTimes);
export type ScrapeOptions = z.infer<typeof ScrapeOptions>;

/** The longest that a scrape may take, whatever was asked for. */
export function boundedTimeoutMs(timeoutMs: number): number {
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}
