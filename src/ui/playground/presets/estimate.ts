import { isValues } from "../request/body.ts";
import type { Values } from "../request/body.ts";

/** Credits of formats by name, as `GET /v2/capabilities` returns them. */
export type FormatCredits = Readonly<Record<string, number | undefined>>;

/** The price of a request before it is sent. */
export interface Estimate {
  credits: number;
  /** True if it can be less: the number of pages or results is only limited. */
  isMaximum: boolean;
}

/** Paths of the operations that return an estimate on request. */
export const ESTIMATED: Readonly<Record<string, string | undefined>> = {
  "post /v2/crawl": "/v2/crawl",
  "post /v2/batch/scrape": "/v2/batch/scrape",
  "post /v2/agent": "/v2/agent",
  "post /v2/monitor": "/v2/monitor",
};

interface Range {
  low: number;
  expected: number;
  high: number;
}

/** Response to a request with `estimate`. */
export interface JobEstimated {
  estimate: { pages: Range; credits: Range; dollars: Range; browserSeconds: Range };
}

/** Returns an estimate as one line: “118–140 pages, 118–140 credits, about $0.0013”. */
export function wordsOf({ pages, credits, dollars, browserSeconds }: JobEstimated["estimate"]): string {
  const rendered = browserSeconds.expected > 0 ? [`about ${browserSeconds.expected} s of browser time`] : [];
  const price = `about $${Number(dollars.expected.toPrecision(2))}`;
  return [rangeOf(pages, "page"), rangeOf(credits, "credit"), ...rendered, price].join(", ");
}

function rangeOf({ low, high }: Range, noun: string): string {
  const [from, to] = [low.toLocaleString("en"), high.toLocaleString("en")];
  return `${from === to ? to : `${from}–${to}`} ${high === 1 ? noun : `${noun}s`}`;
}

const LIMITS_BY_EFFORT: Record<string, number | undefined> = { low: 500, medium: 2_500, high: 5_000 };
const CRAWL_LIMIT = 10_000;
const SEARCH_LIMIT = 10;
const RESULTS_OF_A_STEP = 10;

/**
 * Returns the price of a request (src/docs/endpoints, “Price”); undefined for operations without a price list. A PDF costs
 * one credit more for each page after the first.
 */
export function estimateCredits(operation: string, body: Values, formats: FormatCredits): Estimate | undefined {
  const scrapeOptions = isValues(body["scrapeOptions"]) ? body["scrapeOptions"] : {};
  switch (operation) {
    case "post /v2/scrape":
      return { credits: pageCredits(body, formats), isMaximum: false };
    case "post /v2/parse":
      return { credits: pageCredits(parseOptions(body), formats), isMaximum: false };
    case "post /v2/map":
      return { credits: 1, isMaximum: false };
    case "post /v2/batch/scrape":
      return { credits: countOf(body["urls"]) * pageCredits(body, formats), isMaximum: false };
    case "post /v2/crawl":
      return { credits: numberOf(body["limit"], CRAWL_LIMIT) * pageCredits(scrapeOptions, formats), isMaximum: true };
    case "post /v2/search":
      return { credits: searchCredits(body, scrapeOptions, formats), isMaximum: true };
    case "post /v2/agent":
      return {
        credits: numberOf(body["maxCredits"], LIMITS_BY_EFFORT[String(body["effort"] ?? "medium")] ?? 2_500),
        isMaximum: true,
      };
    default:
      return undefined;
  }
}

/** Returns the options of an upload: the field `options`, as JSON text or as an object; of a reference, the body. */
function parseOptions(body: Values): Values {
  const { options } = body;
  if (typeof options !== "string") return isValues(options) ? options : body;
  try {
    const parsed: unknown = JSON.parse(options);
    return isValues(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** Credits of a comparison of fields. */
const FIELDS_CREDITS = 4;

/** Credits of one page with its options. */
function pageCredits(options: Values, formats: FormatCredits): number {
  const requested = listOf(options["formats"]);
  const names = requested.map((format) => (isValues(format) ? String(format["type"]) : String(format)));
  const comparesFields = requested.some(
    (format) => isValues(format) && format["type"] === "changeTracking" && listOf(format["modes"]).includes("json"),
  );
  // Data by a schema is charged once.
  const ofFields = comparesFields && !names.includes("json") ? FIELDS_CREDITS : 0;
  const ofFormats = names.reduce((sum, name) => sum + (formats[name] ?? 0), ofFields);
  const surcharges = [
    options["lockdown"] === true ? 4 : 0,
    options["checkPromptInjection"] === true ? 4 : 0,
    options["zeroDataRetention"] === true ? 1 : 0,
    redactsAny(options["redactPII"]) ? 4 : 0,
  ];
  return surcharges.reduce((sum, credits) => sum + credits, 1 + ofFormats);
}

/** Reports whether anything is redacted: rules do not find names of people and places. */
function redactsAny(redactPII: unknown): boolean {
  if (redactPII === undefined || redactPII === false) return false;
  const entities = isValues(redactPII) ? listOf(redactPII["entities"]) : [];
  return entities.length === 0 || entities.some((entity) => entity !== "PERSON" && entity !== "LOCATION");
}

/** Two credits for every ten results, and the price of the pages that are scraped. */
function searchCredits(body: Values, scrapeOptions: Values, formats: FormatCredits): number {
  const results = numberOf(body["limit"], SEARCH_LIMIT) * Math.max(1, countOf(body["sources"]));
  const pages = countOf(scrapeOptions["formats"]) > 0 ? results * pageCredits(scrapeOptions, formats) : 0;
  return 2 * Math.ceil(results / RESULTS_OF_A_STEP) + pages;
}

function numberOf(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}

function countOf(value: unknown): number {
  return listOf(value).length;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
