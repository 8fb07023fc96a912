import { z } from "@hono/zod-openapi";
import { UrlValue } from "../../core/url/url.ts";
import { ChangeTrackingFields } from "../../formats/change-tracking.ts";
import { EvidenceOption } from "../../formats/evidence-option.ts";
import { JsonSchemaOption } from "../../formats/json-schema-option.ts";
import { nullAsAbsent } from "../../formats/null-as-absent.ts";
import {
  CallerFields,
  Location,
  SCRAPE_OPTION_FIELDS,
  checkCombinations,
  type ScrapeOptions,
} from "../../formats/scrape-options.ts";
import type { ScrapeDefaults } from "../../services/scrape/scrape-plan.ts";

const DAY_MS = 86_400_000;

/** Defaults of version 1 (api-contract.md, “Scrape options”). */
export const V1_DEFAULTS: ScrapeDefaults = {
  timeoutMs: 30_000,
  maxAgeMs: DAY_MS,
  proxy: "basic",
  skipTlsVerification: false,
};

const NAMES = [
  "markdown",
  "html",
  "rawHtml",
  "rawBase64",
  "links",
  "screenshot",
  "summary",
  "branding",
  "product",
  "menu",
  "changeTracking",
] as const;
const JSON_NAMES = ["json", "extract"] as const;
const FULL_PAGE = "screenshot@fullPage";

const V1Format = z.enum([...NAMES, ...JSON_NAMES, FULL_PAGE]);
type V1Format = (typeof NAMES)[number] | (typeof JSON_NAMES)[number] | typeof FULL_PAGE;

const ChangeTrackingOptions = z.strictObject(ChangeTrackingFields);

/** Options of `extract` and `json`, which share one form. */
const JsonOptions = z.strictObject({
  mode: z.literal("llm").optional().describe("Method of extraction. `llm` is the only value and the default."),
  schema: nullAsAbsent(JsonSchemaOption).describe("JSON Schema of the data to extract."),
  systemPrompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Additional instructions for the language model, at most 10,000 characters.",
  ),
  prompt: nullAsAbsent(z.string().max(10_000)).describe(
    "Description of the data to extract, at most 10,000 characters.",
  ),
  checkPromptInjection: z
    .boolean()
    .optional()
    .describe("Fails with SCRAPE_PROMPT_INJECTION_DETECTED if the page addresses language models. Default: false."),
  evidence: EvidenceOption,
  temperature: z
    .number()
    .optional()
    .describe("Sampling temperature of the language model. Default: the default of the model."),
  agent: z
    .unknown()
    .refine((value) => value === undefined, {
      message: "The option agent of extract and jsonOptions is not available in this version of the service",
    })
    .optional()
    .describe("Not available: any value is refused."),
});

const notYet = (option: string) =>
  z.unknown().refine((value) => value === undefined, {
    message: `The option ${option} is not available in this version of the service`,
  });

const { parsers: _, formats: __, redactPII: ___, ...SHARED_FIELDS } = SCRAPE_OPTION_FIELDS;

/** Options of a v1 scrape. Names and formats differ from v2; their meaning does not. */
export const V1_OPTION_FIELDS = {
  ...SHARED_FIELDS,
  formats: z
    .array(V1Format)
    .refine((formats) => !(formats.includes("screenshot") && formats.includes(FULL_PAGE)), {
      message: "You may only specify either screenshot or screenshot@fullPage",
    })
    .refine((formats) => !formats.includes("changeTracking") || formats.includes("markdown"), {
      message: "The changeTracking format requires the markdown format to be specified as well",
    })
    .optional()
    .describe("Names of the output formats. Default: markdown."),
  parsePDF: z
    .boolean()
    .optional()
    .describe("Reads the text of a PDF; with false a PDF is returned in Base64. Default: true."),
  geolocation: Location.optional().describe("Older name of `location`, which takes precedence."),
  extract: JsonOptions.optional().describe("Options of the format `extract`, and required with it."),
  jsonOptions: JsonOptions.optional().describe("Options of the format `json`, and required with it."),
  changeTrackingOptions: ChangeTrackingOptions.optional().describe(
    "Options of the format `changeTracking`, which they require.",
  ),
  agent: notYet("agent").optional().describe("Not available: any value is refused."),
};

/** Refuses change tracking options without their format, which would have no effect. */
function checkTracking(options: z.infer<z.ZodObject<typeof V1_OPTION_FIELDS>>, context: z.core.$RefinementCtx): void {
  const { formats = [], changeTrackingOptions } = options;
  if (changeTrackingOptions === undefined || formats.includes("changeTracking")) return;
  const message = "changeTrackingOptions need the changeTracking format to be specified as well";
  context.addIssue({ code: "custom", message, path: ["formats"], input: options });
}

/** Requires a format and its options together, and one set of options, besides the rules that both versions have. */
export function checkV1Options(
  options: z.infer<z.ZodObject<typeof V1_OPTION_FIELDS>>,
  context: z.core.$RefinementCtx,
): void {
  checkCombinations(options, context);
  checkTracking(options, context);
  const formats: readonly string[] = options.formats ?? [];
  if (options.extract !== undefined && options.jsonOptions !== undefined) {
    const message = "extract and jsonOptions are options of one format; send one of them";
    context.addIssue({ code: "custom", message, path: ["jsonOptions"], input: options });
  }
  const hasFormat = JSON_NAMES.some((label) => formats.includes(label));
  const hasOptions = options.extract !== undefined || options.jsonOptions !== undefined;
  if (hasFormat === hasOptions) return;
  const message =
    "When 'extract' or 'json' format is specified, corresponding options must be provided, and vice versa";
  context.addIssue({ code: "custom", message, path: [hasFormat ? "jsonOptions" : "formats"], input: options });
}

/** The same options as a separate object, inside a crawl's body. */
export const V1ScrapeOptions = z.strictObject(V1_OPTION_FIELDS).superRefine(checkV1Options);
export type V1ScrapeOptions = z.infer<typeof V1ScrapeOptions>;

export const V1ScrapeBody = z
  .strictObject({
    url: UrlValue.describe("URL of the page. Without a scheme, http is assumed."),
    ...V1_OPTION_FIELDS,
    zeroDataRetention: z
      .boolean()
      .optional()
      .describe(
        "Keeps neither the page nor the result. It is refused unless the deployment allows it. Default: false.",
      ),
    ...CallerFields,
  })
  .superRefine(checkV1Options)
  .openapi("V1ScrapeRequest", { example: { url: "https://example.com", formats: ["markdown"] } });
export type V1ScrapeBody = z.infer<typeof V1ScrapeBody>;

/** Converts the options to v2's names. */
export function toV2Options(body: V1ScrapeBody): ScrapeOptions {
  const { url: _url, origin: _origin, integration: _integration, zeroDataRetention: _zdr, ...options } = body;
  return translateOptions(options);
}

export function translateOptions(options: V1ScrapeOptions): ScrapeOptions {
  const {
    formats, parsePDF, geolocation, extract, jsonOptions, changeTrackingOptions,
    agent: _agent, location, ...shared
  } = options; // prettier-ignore
  const place = location ?? geolocation;
  return {
    ...shared,
    ...(formats === undefined
      ? {}
      : {
          formats: toV2Formats(formats as V1Format[], {
            json: extract ?? jsonOptions,
            tracking: changeTrackingOptions,
          }),
        }),
    ...(parsePDF === undefined ? {} : { parsers: parsePDF ? [{ type: "pdf", mode: "auto" }] : [] }),
    ...(place === undefined ? {} : { location: place }),
  };
}

/** Converts formats. `extract` and `json` are one format, whose result has the requested name; never both. */
function toV2Formats(
  names: V1Format[],
  {
    json = {},
    tracking = {},
  }: { json?: z.infer<typeof JsonOptions> | undefined; tracking?: z.infer<typeof ChangeTrackingOptions> | undefined },
): NonNullable<ScrapeOptions["formats"]> {
  const { mode: _mode, agent: _agent, ...requested } = json;
  const field = names.includes("extract") ? ("extract" as const) : ("json" as const);
  const others = names.flatMap((label) =>
    label === "extract" || label === "json"
      ? []
      : [label === "changeTracking" ? { type: label, ...tracking } : toV2Format(label)],
  );
  const hasJson = names.some((label) => label === "extract" || label === "json");
  return hasJson ? [...others, { type: "json", ...requested, field }] : others;
}

function toV2Format(
  name: Exclude<V1Format, "extract" | "json" | "changeTracking">,
): NonNullable<ScrapeOptions["formats"]>[number] {
  if (name === FULL_PAGE) return { type: "screenshot", fullPage: true };
  return name === "screenshot" ? { type: "screenshot", fullPage: false } : { type: name };
}

/** Converts options to v1's names, for a request that does the same again. */
export function toV1Options({
  formats,
  parsers,
  redactPII: _redactPII,
  ...shared
}: ScrapeOptions): Record<string, unknown> {
  return {
    ...shared,
    ...(formats === undefined
      ? {}
      : { formats: formats.map(toV1Name), ...Object.assign({}, ...formats.map(toV1Fields)) }),
    ...(parsers === undefined ? {} : { parsePDF: parsers.length > 0 }),
  };
}

type V2Format = NonNullable<ScrapeOptions["formats"]>[number];

function toV1Name(format: V2Format): string {
  if (format.type === "json") return format.field ?? "json";
  return format.type === "screenshot" && format.fullPage === true ? FULL_PAGE : format.type;
}

/** Returns the options of a format, which are fields of their own in v1. */
function toV1Fields(format: V2Format): Record<string, unknown> {
  if (format.type === "json") {
    const { type: _type, field, ...options } = format;
    return { [field === "extract" ? "extract" : "jsonOptions"]: options };
  }
  if (format.type !== "changeTracking") return {};
  const { type: _type, ...options } = format;
  return Object.keys(options).length === 0 ? {} : { changeTrackingOptions: options };
}
