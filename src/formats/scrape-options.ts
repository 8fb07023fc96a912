import { checkHidden } from "./hidden-options.ts";
import { RequestHeaders } from "./request-headers.ts";
import { z } from "zod";
import { Actions, WAIT_TOO_LONG, waitsAreBounded } from "../core/scrape/actions.ts";
import { ofRequests } from "../core/schema/list-limits.ts";
import { PROXY_KINDS, ROUTE_NAME } from "../core/egress-routes.ts";
import { isCountry } from "./country-codes.ts";
import { Formats } from "./index.ts";
import { withoutEffect } from "./without-effect.ts";

/** Each selector searches the whole page. */
const MAX_SELECTORS = 500;
const MAX_TIMEOUT_MS = 300_000;
const MAX_WAIT_MS = 60_000;
// Has no flag, since patterns in a JSON schema have none.
const COUNTRY = /^(?:|[A-Za-z]{2}|[Uu][Ss]-generic|[Uu][Ss]-whitelist)$/;
const NO_COUNTRY = "Invalid country code. Use ISO 3166-1 alpha-2, such as DE.";
/** Characters that a header can hold: a language is sent as a part of Accept-Language. */
const LANGUAGE = /^[\x20-\x7e]+$/;
const RAW_IS_UNCHECKED = "checkPromptInjection cannot be combined with the rawBase64 format, which has no text";
const WAIT_OVER_HALF = "waitFor must not exceed half of timeout";

/** Names of callers' integrations (api-contract.md, “Callers”); others must start with an underscore. */
const INTEGRATIONS = [
  "dify", "zapier", "pipedream", "raycast", "langchain", "crewai", "llamaindex", "n8n", "camelai", "make", "flowise",
  "metagpt", "relevanceai", "viasocket", "cli", "hermes", "gstack", "prometheus",
]; // prettier-ignore

/** Characters of the names that callers have for themselves. */
const MAX_CALLER_CHARS = 1_000;

const Integration = ofRequests(
  z.string().refine((name) => name.startsWith("_") || INTEGRATIONS.includes(name), {
    message: `Invalid enum value. Expected one of ${INTEGRATIONS.join(", ")}, or a name that begins with _`,
  }),
  MAX_CALLER_CHARS,
).nullish();

/** The sender of a request, for the caller's own records. */
export const CallerFields = {
  origin: ofRequests(z.string(), MAX_CALLER_CHARS)
    .optional()
    .describe(
      "Name of the calling program, at most 1,000 characters, for your own records. It does not change the result.",
    ),
  integration: Integration.describe(
    "Name of the calling integration: a known name, or any name that begins with `_`. It does not change the result.",
  ),
};

export const Location = z.object({
  country: z
    .string()
    .regex(COUNTRY, NO_COUNTRY)
    .refine((country) => country === "" || isCountry(country), NO_COUNTRY)
    .transform((country) => (country === "" ? undefined : country.toLowerCase()))
    .optional()
    .describe(
      "ISO 3166-1 alpha-2 country code. It is a cache dimension and a hint for phone numbers; requests are not routed through the country, and `warning` says so.",
    ),
  languages: z
    .array(z.string().min(1).max(100).regex(LANGUAGE, "Invalid language. Use a language tag, such as de or pt-BR."))
    .optional()
    .describe("Languages to request from the site, in order of preference, as language tags."),
});

const PdfParser = z.strictObject({
  type: z.literal("pdf").describe("Kind of parser: the text of PDFs."),
  mode: z
    .enum(["fast", "auto", "ocr"])
    .default("auto")
    .describe(
      "`auto` reads the text layer and recognises the text of pages that have no words, `ocr` recognises the text of every page, and `fast` reads the text layer alone. Default: auto.",
    ),
  maxPages: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Maximum number of pages to read, 1 to 10,000. Default: 1,000."),
  pages: z.boolean().optional().describe("Adds the Markdown of each page in `pages`. Default: false."),
  pageMarkdown: z.boolean().optional().describe("Alias of `pages`."),
  blocks: z.boolean().optional().describe("Adds the layout blocks of each page in `blocks`. Default: false."),
  pageMarkers: z
    .boolean()
    .optional()
    .describe("Separates pages in the Markdown with a comment that has the page number. Default: false."),
  figures: z
    .boolean()
    .optional()
    .describe(
      "Lists the pictures of the PDF in `figures`, with page, position and size; where a vision model is configured, with a description. Default: false.",
    ),
  tables: z
    .enum(["markdown", "html"])
    .optional()
    .describe(
      "`html` writes tables in the Markdown as HTML tables, in which cells that span columns are merged; `markdown` repeats such cells. Default: markdown.",
    ),
});
export type PdfParser = z.infer<typeof PdfParser>;

const ImageParser = z.strictObject({
  type: z
    .literal("image")
    .describe(
      "Kind of parser: the text of pictures (PNG, JPEG, GIF, WebP, AVIF, BMP, TIFF), which is recognised in a browser, and the text elements of SVG.",
    ),
});

const Parsers = z.array(
  z.union([
    z.literal("pdf").transform((): PdfParser => ({ type: "pdf", mode: "auto" })),
    z.literal("image").transform((): z.infer<typeof ImageParser> => ({ type: "image" })),
    PdfParser,
    ImageParser,
  ]),
);
export type Parser = z.infer<typeof Parsers>[number];

/** A note of the caller about its user. */
export const AuditMetadata = z.looseObject({
  username: z.string().nullish().describe("Name of the user in the calling program. It has no effect."),
});

/** How much of a capability is described. */
const TOOL_DETAILS = ["compact", "summary", "full"] as const;

/**
 * Options that are accepted for compatibility with other versions and have no effect: a warning names each one that is
 * used.
 */
const Tolerated = {
  useMock: withoutEffect(z.string()),
  safeMode: withoutEffect(z.boolean()),
  threatProtection: withoutEffect(z.looseObject({})),
  auditMetadata: withoutEffect(AuditMetadata),
  tools: withoutEffect(),
  alexandria: withoutEffect(),
  __experimental_omce: withoutEffect(),
  __experimental_omceDomain: withoutEffect(),
  __experimental_engpicker: withoutEffect(),
  __searchPreviewToken: withoutEffect(),
  __forceFirePDF: withoutEffect(),
  __agentInterop: withoutEffect(),
};

export const TOLERATED_OPTIONS = Object.keys(Tolerated) as (keyof typeof Tolerated)[];

const PROFILE_IS_READ_ONLY =
  "A scrape does not change its profile. Leave saveChanges out, and save the profile with a browser session.";

/** A saved browser profile, whose cookies and storage page loads use. */
export const ProfileValue = z.strictObject({
  name: z.string().min(1).max(128).describe("Name of the profile within the team, 1 to 128 characters."),
  saveChanges: z
    .boolean()
    .refine((value) => !value, PROFILE_IS_READ_ONLY)
    .optional()
    .describe("Only false: scrapes read profiles, and browser sessions save them. Default: false."),
});

/** The profile of an option; clients send null or false for none. */
export const ProfileField = z
  .union([ProfileValue, z.null(), z.literal(false)])
  .optional()
  .describe(
    "Saved browser profile, as `{ name }`: requests and browsers carry its cookies and storage to the origins that they belong to. Pages that are loaded with it are not cached. A profile that was never saved is refused with PROFILE_NOT_FOUND, one that has nothing for the site of the URL with PROFILE_FOREIGN_ORIGIN. Default: none.",
  );

const PII_ENTITIES = ["PERSON", "EMAIL", "PHONE", "LOCATION", "FINANCIAL", "SECRET"] as const;

const RedactPii = z.union([
  z.boolean(),
  z.strictObject({
    mode: z
      .enum(["accurate", "aggressive", "fast"])
      .default("accurate")
      .describe(
        "`aggressive` reads phone numbers as US numbers where the country is unknown. `fast` works like `accurate`, and `warning` says so. Default: accurate.",
      ),
    entities: z
      .array(z.enum(PII_ENTITIES))
      .default([])
      .describe("Kinds of personal data to redact. Default: all kinds that rules can find."),
    replaceStyle: z
      .enum(["tag", "mask", "remove"])
      .default("tag")
      .describe("Replacement: the name of the kind, a mask, or nothing. Default: tag."),
  }),
]);

/** Options of one page's scrape, with v2 names (api-contract.md, “Scrape options”). Missing options stay undefined. */
export const SCRAPE_OPTION_FIELDS = {
  formats: Formats.optional().describe(
    "Output formats, as names or as objects with options. Default: markdown; an empty list returns metadata only.",
  ),
  headers: RequestHeaders.optional().describe(
    "HTTP headers to send to the site, at most 100. Pages that are requested with headers are not cached.",
  ),
  includeTags: z
    .array(z.string())
    .max(MAX_SELECTORS)
    .optional()
    .describe("CSS selectors of the elements to keep, at most 500 of 20,000 characters each. Default: the whole page."),
  excludeTags: z
    .array(z.string())
    .max(MAX_SELECTORS)
    .optional()
    .describe("CSS selectors of the elements to remove, at most 500 of 20,000 characters each."),
  onlyMainContent: z
    .boolean()
    .optional()
    .describe("Removes navigation, headers, footers and other elements around the main content. Default: true."),
  onlyCleanContent: z
    .boolean()
    .optional()
    .describe("Removes remaining clutter from the Markdown with the language model. Default: false."),
  checkPromptInjection: z
    .boolean()
    .optional()
    .describe(
      "Fails with SCRAPE_PROMPT_INJECTION_DETECTED if the page addresses language models: checked by rules and, where a language model is configured, by the model. Not possible with rawBase64. It costs 4 credits more. Default: false.",
    ),
  timeout: z
    .int()
    .min(1000)
    .optional()
    .describe(
      "Time limit of the scrape in milliseconds, at least 1,000; values above 300,000 are lowered to that. Exactly 30,000, which clients send as their own default, is raised: to 120,000 with a `proxy` other than `basic`, otherwise to 60,000 with the formats json and changeTracking. Default: 60,000, in version 1: 30,000, raised likewise; at least twice the waits of the request.",
    ),
  waitFor: z
    .int()
    .min(0)
    .max(MAX_WAIT_MS)
    .optional()
    .describe(
      "Time to wait in a browser after the page has loaded, 0 to 60,000 ms, at most half of a `timeout` that is sent. Default: 0.",
    ),
  mobile: z.boolean().optional().describe("Loads the page as a mobile device. Default: false."),
  parsers: Parsers.optional().describe(
    "Parsers for files. Without `pdf` a PDF is returned in Base64; without `image` a picture is refused. Of several entries of a type, the options of the first apply, and `warning` says so. Default: pdf in mode auto.",
  ),
  actions: Actions.optional().describe(
    "Steps to perform on the page before it is captured, at most 50; all waits together take at most 60,000 ms. They need a browser.",
  ),
  location: Location.optional().describe("Country and languages to request the page for."),
  skipTlsVerification: z
    .boolean()
    .optional()
    .describe(
      "Accepts invalid TLS certificates. Default: true in version 2 without headers, actions and a profile, otherwise false.",
    ),
  removeBase64Images: z
    .boolean()
    .optional()
    .describe("Replaces embedded images in the Markdown with a placeholder. Default: true."),
  fastMode: z
    .boolean()
    .optional()
    .describe("Does not load the page again in a browser when a plain request gives too little. Default: false."),
  blockAds: z
    .boolean()
    .optional()
    .describe("Blocks requests to advertising and tracking hosts in the browser. Default: true."),
  proxy: z
    .union([z.enum(PROXY_KINDS), z.string().regex(ROUTE_NAME, "Invalid name of a proxy")])
    .optional()
    .describe(
      "How the request leaves: `basic` directly; `enhanced` (alias `stealth`) by the egress routes that the operator has set for it, or directly with a `warning`; `auto` directly, and by those routes when the site refuses; or the name of an egress route of this deployment. Rules for hosts apply to `basic` and `auto`. Default: auto, in version 1: basic.",
    ),
  maxAge: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Maximum age of a cached copy in milliseconds; 0 does not read the cache. Crawls and batch scrapes read the cache only with `maxAge`, `minAge` or `lockdown`. Default: 2 days, in version 1: 1 day; for crawls and batch scrapes 0.",
    ),
  minAge: z
    .int()
    .min(0)
    .optional()
    .describe(
      "Minimum age of a cached copy in milliseconds. The page is not loaded; without a copy the request fails with SCRAPE_NO_CACHED_DATA.",
    ),
  storeInCache: z
    .boolean()
    .optional()
    .describe(
      "Stores the page in the cache. Crawls and batch scrapes store no pages, and `warning` names a true. Default: true.",
    ),
  lockdown: z
    .boolean()
    .optional()
    .describe(
      "Reads the cache only and sends no request to the site; without a copy it fails with SCRAPE_LOCKDOWN_CACHE_MISS. Default: false.",
    ),
  redactPII: RedactPii.optional().describe(
    "Redacts personal data in the output, with default settings or with options. Default: false.",
  ),
  profile: ProfileField,
  domainTools: z
    .boolean()
    .nullish()
    .describe("Returns the capabilities for the host of the page in `tools` of its document. Default: false."),
  toolDetail: z
    .enum(TOOL_DETAILS)
    .optional()
    .describe(
      "Detail of `tools`: provider, capability and description; also names and costs; or also options and records. Default: summary.",
    ),
  ...Tolerated,
};

interface TimedOptions {
  timeout?: number | undefined;
  waitFor?: number | undefined;
  actions?: z.infer<typeof Actions> | undefined;
  checkPromptInjection?: boolean | undefined;
  headers?: unknown;
  /** Of either version: names, or objects with a type. */
  formats?: readonly (string | { type: string })[] | undefined;
}

const isRawBase64 = (format: string | { type: string }): boolean =>
  (typeof format === "string" ? format : format.type) === "rawBase64";

/** Checks across fields: `waitFor` against `timeout`, `checkPromptInjection` against `formats`; and values that were hidden. */
export function checkCombinations(options: TimedOptions, context: z.core.$RefinementCtx): void {
  checkHidden(options, context);
  if (options.checkPromptInjection === true && options.formats?.some(isRawBase64) === true) {
    context.addIssue({ code: "custom", message: RAW_IS_UNCHECKED, path: ["checkPromptInjection"], input: true });
  }
  const waitFor = options.waitFor ?? 0;
  if (options.timeout !== undefined && waitFor > options.timeout / 2) {
    context.addIssue({ code: "custom", message: WAIT_OVER_HALF, path: ["waitFor"], input: waitFor });
  }
  if (!waitsAreBounded(options.actions ?? [], waitFor)) {
    context.addIssue({ code: "custom", message: WAIT_TOO_LONG, path: ["actions"], input: options.actions });
  }
}

export const ScrapeOptions = z.strictObject(SCRAPE_OPTION_FIELDS).superRefine(checkCombinations);
export type ScrapeOptions = z.infer<typeof ScrapeOptions>;

/** Limits the time that a scrape may take. */
export function boundedTimeoutMs(timeoutMs: number): number {
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}
