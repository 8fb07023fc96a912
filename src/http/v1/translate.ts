import { z } from "@hono/zod-openapi";
import { UrlValue } from "../../core/url.ts";
import {
  CallerFields,
  Location,
  SCRAPE_OPTION_FIELDS,
  checkTimes,
  type ScrapeOptions,
} from "../../formats/scrape-options.ts";
import type { ScrapeDefaults } from "../../services/scrape-plan.ts";

const DAY_MS = 86_400_000;

/** What v1 does where a caller leaves an option out (contract § 5.6). */
export const V1_DEFAULTS: ScrapeDefaults = {
  timeoutMs: 30_000,
  maxAgeMs: DAY_MS,
  proxy: "basic",
  skipTlsVerification: false,
};

const NAMES = ["markdown", "html", "rawHtml", "rawBase64", "links", "screenshot"] as const;
const FULL_PAGE = "screenshot@fullPage";
const LATER = ["extract", "json", "summary", "changeTracking", "branding", "product", "menu"] as const;

const V1Format = z.union([
  z.enum([...NAMES, FULL_PAGE]),
  z.enum(LATER).refine(() => false, {
    error: (issue) => `The format ${String(issue.input)} is not available in this version of the service`,
  }),
]);
type V1Format = (typeof NAMES)[number] | typeof FULL_PAGE;

const notYet = (option: string) =>
  z.unknown().refine((value) => value === undefined, {
    message: `The option ${option} is not available in this version of the service`,
  });

const { parsers: _, formats: __, redactPII: ___, ...SHARED_FIELDS } = SCRAPE_OPTION_FIELDS;

/** Options of a v1 scrape. Names and formats differ from v2; what they mean does not. */
export const V1_OPTION_FIELDS = {
  ...SHARED_FIELDS,
  formats: z
    .array(V1Format)
    .refine((formats) => !(formats.includes("screenshot") && formats.includes(FULL_PAGE)), {
      message: "You may only specify either screenshot or screenshot@fullPage",
    })
    .optional(),
  parsePDF: z.boolean().optional(),
  geolocation: Location.optional(),
  extract: notYet("extract").optional(),
  jsonOptions: notYet("jsonOptions").optional(),
  changeTrackingOptions: notYet("changeTrackingOptions").optional(),
  agent: notYet("agent").optional(),
};

/** The same as an object of its own, inside a crawl's body. */
export const V1ScrapeOptions = z.strictObject(V1_OPTION_FIELDS).superRefine(checkTimes);
export type V1ScrapeOptions = z.infer<typeof V1ScrapeOptions>;

export const V1ScrapeBody = z
  .strictObject({ url: UrlValue, ...V1_OPTION_FIELDS, zeroDataRetention: z.boolean().optional(), ...CallerFields })
  .superRefine(checkTimes)
  .openapi("V1ScrapeRequest", { example: { url: "https://example.com", formats: ["markdown"] } });
export type V1ScrapeBody = z.infer<typeof V1ScrapeBody>;

/** The same wishes in v2's words. */
export function toV2Options(body: V1ScrapeBody): ScrapeOptions {
  const { url: _url, origin: _origin, integration: _integration, zeroDataRetention: _zdr, ...options } = body;
  return translateOptions(options);
}

export function translateOptions(options: V1ScrapeOptions): ScrapeOptions {
  const {
    formats, parsePDF, geolocation, extract: _extract, jsonOptions: _json, changeTrackingOptions: _tracking,
    agent: _agent, location, ...shared
  } = options; // prettier-ignore
  const place = location ?? geolocation;
  return {
    ...shared,
    ...(formats === undefined ? {} : { formats: (formats as V1Format[]).map(toV2Format) }),
    ...(parsePDF === undefined ? {} : { parsers: parsePDF ? [{ type: "pdf", mode: "auto" }] : [] }),
    ...(place === undefined ? {} : { location: place }),
  };
}

function toV2Format(name: V1Format): NonNullable<ScrapeOptions["formats"]>[number] {
  if (name === FULL_PAGE) return { type: "screenshot", fullPage: true };
  return name === "screenshot" ? { type: "screenshot", fullPage: false } : { type: name };
}
