import { isValues } from "../request/body.ts";
import type { Values } from "../request/body.ts";
import { indent, pythonValue } from "./literals.ts";
import { JAVASCRIPT_FIELDS, PYTHON_FIELDS, PYTHON_SCRAPE_FIELDS } from "./sdk-fields.ts";
import type { SnippetParts } from "./snippet-parts.ts";

interface SdkCall {
  javaScript: string;
  python: string;
  /** Field that the methods take as their first argument. */
  first: string | undefined;
  /** True if the JavaScript method takes scrape options in `options` (batch scrape). */
  wrapsOptions?: boolean;
}

/** Methods of the packages `firecrawl` (JavaScript, 4) and `firecrawl-py` (4). Those of jobs wait for the result. */
const CALLS: Record<string, SdkCall | undefined> = {
  "post /v2/scrape": { javaScript: "scrape", python: "scrape", first: "url" },
  "post /v2/crawl": { javaScript: "crawl", python: "crawl", first: "url" },
  "post /v2/map": { javaScript: "map", python: "map", first: "url" },
  "post /v2/search": { javaScript: "search", python: "search", first: "query" },
  "post /v2/batch/scrape": { javaScript: "batchScrape", python: "batch_scrape", first: "urls", wrapsOptions: true },
  "post /v2/extract": { javaScript: "extract", python: "extract", first: undefined },
  "post /v2/agent": { javaScript: "agent", python: "agent", first: undefined },
};
/** Options of a batch that are no scrape options. */
const BATCH_OPTIONS = new Set(["webhook", "appendToId", "ignoreInvalidURLs", "maxConcurrency", "zeroDataRetention"]);

export function hasSdkCall(operation: string): boolean {
  return CALLS[operation] !== undefined;
}

/** Returns the request with the official JavaScript SDK. A comment names the options that it does not send. */
export function toJavaScriptSdk({ operation, origin, json = {} }: SnippetParts): string {
  const call = CALLS[operation];
  if (call === undefined) return "";
  const { sent, left } = splitSent(json, JAVASCRIPT_FIELDS[operation]);
  const { first, options } = splitFirst(sent, call);
  const shaped = call.wrapsOptions === true ? wrapped(options) : options;
  const hasOptions = Object.keys(shaped).length > 0 || first === undefined;
  const given = [
    ...(first === undefined ? [] : [JSON.stringify(first)]),
    ...(hasOptions ? [JSON.stringify(shaped, undefined, 2)] : []),
  ];
  return [
    ...commentOf(left, { mark: "//", instead: "JavaScript" }),
    'import Firecrawl from "firecrawl";',
    "",
    "const firecrawl = new Firecrawl({",
    "  apiKey: process.env.ORBWEAVER_API_KEY,",
    `  apiUrl: ${JSON.stringify(origin)},`,
    "});",
    `console.log(await firecrawl.${call.javaScript}(${given.join(", ")}));`,
  ].join("\n");
}

/** Returns the request with the official Python SDK. A comment names the options that it does not send. */
export function toPythonSdk({ operation, origin, json = {} }: SnippetParts): string {
  const call = CALLS[operation];
  if (call === undefined) return "";
  const { sent, left } = splitSent(json, PYTHON_FIELDS[operation]);
  const { first, options } = splitFirst(sent, call);
  const scrapeOptions = options["scrapeOptions"];
  const scrape = splitSent(isValues(scrapeOptions) ? scrapeOptions : {}, PYTHON_SCRAPE_FIELDS);
  const allLeft = [...left, ...scrape.left.map((name) => `scrapeOptions.${name}`)];
  const named = Object.entries(options).map(([name, value]) => {
    const text = name === "scrapeOptions" && isValues(value) ? toScrapeOptions(scrape.sent) : pythonValue(value);
    return `    ${toSnakeCase(name)}=${indent(text, 4)},`;
  });
  return [
    ...commentOf(allLeft, { mark: "#", instead: "Python" }),
    "import os",
    "",
    "from firecrawl import Firecrawl",
    ...(scrapeOptions === undefined ? [] : ["from firecrawl.types import ScrapeOptions"]),
    "",
    `firecrawl = Firecrawl(api_key=os.environ["ORBWEAVER_API_KEY"], api_url=${JSON.stringify(origin)})`,
    `result = firecrawl.${call.python}(`,
    ...(first === undefined ? [] : [`    ${indent(pythonValue(first), 4)},`]),
    ...named,
    ")",
    "print(result)",
  ].join("\n");
}

/** Splits fields into those that a method sends, and the names of the others. @param known all fields when undefined */
function splitSent(json: Values, known: readonly string[] | undefined): { sent: Values; left: string[] } {
  const isSent = (name: string): boolean => known?.includes(name) ?? true;
  const sent = Object.fromEntries(Object.entries(json).filter(([name]) => isSent(name)));
  return { sent, left: Object.keys(json).filter((name) => !isSent(name)) };
}

function commentOf(left: readonly string[], { mark, instead }: { mark: string; instead: string }): string[] {
  if (left.length === 0) return [];
  return [
    `${mark} The SDK does not send these options: ${left.join(", ")}.`,
    `${mark} The code under ${instead} sends all of them.`,
    "",
  ];
}

function splitFirst(json: Values, { first }: SdkCall): { first: unknown; options: Values } {
  if (first === undefined) return { first: undefined, options: json };
  const { [first]: value = "", ...options } = json;
  return { first: value, options };
}

function wrapped(options: Values): Values {
  const entries = Object.entries(options);
  const own = entries.filter(([name]) => BATCH_OPTIONS.has(name));
  const scrape = entries.filter(([name]) => !BATCH_OPTIONS.has(name));
  return { ...(scrape.length === 0 ? {} : { options: Object.fromEntries(scrape) }), ...Object.fromEntries(own) };
}

function toScrapeOptions(options: Values): string {
  const named = Object.entries(options).map(
    ([name, value]) => `    ${toSnakeCase(name)}=${indent(pythonValue(value), 4)},`,
  );
  return ["ScrapeOptions(", ...named, ")"].join("\n");
}

/** `onlyMainContent` as `only_main_content`, `ignoreInvalidURLs` as `ignore_invalid_urls`. */
function toSnakeCase(name: string): string {
  return name.replaceAll(
    /([a-z0-9])([A-Z]+)/g,
    (_, before: string, after: string) => `${before}_${after.toLowerCase()}`,
  );
}
