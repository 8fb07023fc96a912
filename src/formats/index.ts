import { z } from "zod";
import { attributes } from "./page/attributes.ts";
import { audio } from "./media/audio.ts";
import { changeTracking } from "./change-tracking.ts";
import { chunks } from "./page/chunks.ts";
import { branding } from "./page/branding.ts";
import { deterministicJson } from "./deterministic-json.ts";
import type { Format } from "./format.ts";
import { highlights } from "./highlights.ts";
import { html } from "./page/html.ts";
import { images } from "./media/images.ts";
import { json } from "./json.ts";
import { links } from "./page/links.ts";
import { MARKDOWN, markdown } from "./page/markdown.ts";
import { menu } from "./page/menu.ts";
import { product } from "./page/product.ts";
import { query } from "./query.ts";
import { question } from "./question.ts";
import { rawBase64 } from "./media/raw-base64.ts";
import { rawHtml } from "./page/raw-html.ts";
import { screenshot } from "./media/screenshot.ts";
import { summary } from "./summary.ts";
import { video } from "./media/video.ts";

/** All formats, in the order of the documentation. src/docs/contributing.md lists the other places of a new one. */
export const FORMATS = [
  markdown, html, rawHtml, rawBase64, links, images, screenshot, attributes, json, deterministicJson, summary, question,
  highlights, query, chunks, branding, product, menu, changeTracking, audio, video,
] as const; // prettier-ignore

export type FormatType = (typeof FORMATS)[number]["type"];
export type FormatRequest = z.output<(typeof FORMATS)[number]["request"]>;

/** Formats without required options: a string `x` equals `{ type: x }`. */
const WITH_OPTIONS: readonly string[] = ["attributes", "question", "highlights", "query"];
const BARE_NAMES = FORMATS.map(({ type }) => type).filter((type) => !WITH_OPTIONS.includes(type));
const BareName = z.enum(BARE_NAMES as [FormatType, ...FormatType[]]);

const Known = z.union(FORMATS.map(({ request }) => request) as unknown as [(typeof FORMATS)[number]["request"]]);

const MAX_SCREENSHOTS = "You may only specify one screenshot format";
const ONE_JSON = "The json and deterministicJson formats answer in the same field; ask for one of them";
const RAW_BASE64_ALONE = "The rawBase64 format cannot be combined with other formats";

const NEEDS_MARKDOWN = "The changeTracking format requires the markdown format to be specified as well";
const ONE_TRACKING = "You may only specify one changeTracking format";

const isBareName = (value: unknown): value is FormatType => typeof value === "string";

const FormatList = z.array(z.union([BareName, Known])).transform((formats) => formats.map(toRequest));

/** The `formats` of a request: names or objects, normalised to objects. */
export const Formats = checked(FormatList);

/**
 * Like `Formats`, for searches, whose clients send changeTracking alone (api-contract.md, “Tolerated input”): markdown
 * is added to it.
 */
export const SearchFormats = checked(
  FormatList.transform((formats): FormatRequest[] =>
    hasType(formats, "changeTracking") && !hasType(formats, "markdown") ? [MARKDOWN, ...formats] : formats,
  ),
);

/** Returns the formats of a scrape: markdown when the request names none. */
export function formatsOf({ formats }: { formats?: FormatRequest[] | undefined }): FormatRequest[] {
  return formats ?? [MARKDOWN];
}

function checked<List extends z.ZodType<FormatRequest[], unknown>>(list: List) {
  return list
    .refine((formats) => formats.filter(({ type }) => type === "screenshot").length <= 1, { message: MAX_SCREENSHOTS })
    .refine((formats) => formats.length <= 1 || !formats.some(({ type }) => type === "rawBase64"), {
      message: RAW_BASE64_ALONE,
    })
    .refine((formats) => formats.filter(({ type }) => type === "json" || type === "deterministicJson").length <= 1, {
      message: ONE_JSON,
    })
    .refine((formats) => !hasType(formats, "changeTracking") || hasType(formats, "markdown"), {
      message: NEEDS_MARKDOWN,
    })
    .refine((formats) => formats.filter(({ type }) => type === "changeTracking").length <= 1, {
      message: ONE_TRACKING,
    });
}

function hasType(formats: readonly FormatRequest[], type: FormatType): boolean {
  return formats.some((format) => format.type === type);
}

function toRequest(format: unknown): FormatRequest {
  const asObject = isBareName(format) ? formatFor(format).request.parse({ type: format }) : format;
  return asObject as FormatRequest;
}

/** Returns the format of a type. The cast pairs a request with its format, which the type parameter cannot express. */
export function formatFor(type: FormatType): Format<FormatType, FormatRequest> {
  const found = FORMATS.find((format) => format.type === type);
  if (found === undefined) throw new Error(`No format is called ${type}`);
  return found as unknown as Format<FormatType, FormatRequest>;
}

/** Returns the credits of a page's formats in addition to the page; data by a schema is charged once. */
export function creditsOfFormats(formats: readonly FormatRequest[]): number {
  const hasJson = hasType(formats, "json");
  return formats.reduce((sum, request) => {
    if (request.type === "changeTracking" && hasJson) return sum;
    const format = formatFor(request.type);
    return sum + (format.creditsFor?.(request) ?? format.credits);
  }, 0);
}
