import { z } from "zod";
import { listOf, optionalText, plainSnippet, present, sizeOf } from "../../response-fields.ts";
import { askJson, askPages, failed, type ProviderWeb } from "../../ask.ts";
import { engineText } from "../../engine-text.ts";
import type { ProviderOutcome, SearchHit, SearchProvider, SearchQuery } from "../../provider.ts";
import { unitsOnly } from "../../time-support.ts";

const Result = z.object({
  url: z.string(),
  title: optionalText,
  content: optionalText,
  publishedDate: optionalText,
  img_src: optionalText,
  /** `1920 x 1080`. */
  resolution: optionalText,
});
const Answer = z.object({
  results: listOf(Result),
  /** Engines that did not answer, each with the reason. */
  unresponsive_engines: z.array(z.array(z.unknown())).catch([]).default([]),
});

const CATEGORIES = { web: "general", images: "images", news: "news" };
const MAX_PAGES = 5;
/** SearXNG knows no hours. */
const TIME_RANGES = { hour: "day", day: "day", week: "week", month: "month", year: "year" };

/** A SearXNG, or its predecessor searx, with the JSON format switched on in its `settings.yml`. */
export function createSearxng(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  async function askPage(query: SearchQuery, page: number): Promise<ProviderOutcome> {
    const url = `${baseUrl}/search?${parameters(query, page)}`;
    const asked = await askJson(web, query, { url, schema: Answer });
    if (asked.kind === "failed") {
      const hint = "; if json is not among search.formats in its settings.yml, add it";
      return asked.reason === "unauthorized" ? failed("unauthorized", asked.message + hint) : asked;
    }
    const { results, unresponsive_engines: silent } = asked.value;
    // Without a single engine that answered, no result says nothing about the web.
    if (results.length === 0 && silent.length > 0) {
      const engines = silent.map(([engine, why]) => `${String(engine)}: ${String(why)}`).join(", ");
      return failed("server_error", `None of its engines found anything, and some did not answer (${engines})`);
    }
    return { kind: "answered", hits: results.flatMap((result) => toHit(result, query)) };
  }
  return {
    name: "searxng",
    places: new Set(["web", "images", "news", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "lang", "country", "safe"]),
    leavesOut: unitsOnly,
    search: (query) => askPages(query.limit, { size: 10, maxPages: MAX_PAGES }, (page) => askPage(query, page)),
  };
}

function parameters(query: SearchQuery, page: number): URLSearchParams {
  const { source, language, country, safe, timeRange } = query;
  const parameters = new URLSearchParams({
    q: engineText(query),
    format: "json",
    categories: CATEGORIES[source],
    pageno: String(page + 1),
  });
  // A region goes with a language, and English is what most of the web is in.
  const region = country === undefined ? "" : `-${country.toUpperCase()}`;
  if (language !== undefined || country !== undefined) parameters.set("language", `${language ?? "en"}${region}`);
  if (safe !== undefined) parameters.set("safesearch", safe ? "2" : "0");
  if (timeRange?.unit !== undefined) parameters.set("time_range", TIME_RANGES[timeRange.unit]);
  return parameters;
}

function toHit(result: z.output<typeof Result>, { source }: SearchQuery): SearchHit[] {
  const { url, title, content, publishedDate, img_src: picture, resolution } = result;
  const hit = {
    url,
    title: plainSnippet(title),
    description: plainSnippet(content),
    ...present("date", publishedDate),
  };
  const imageUrl = picture.startsWith("//") ? `https:${picture}` : picture;
  if (source !== "images") return [{ ...hit, ...(source === "news" ? present("imageUrl", imageUrl) : {}) }];
  const [, width, height] = /(\d+)\s*[x×]\s*(\d+)/.exec(resolution.slice(0, 100)) ?? [];
  const size = width === undefined ? {} : sizeOf(Number(width), Number(height));
  return imageUrl === "" ? [] : [{ ...hit, imageUrl, ...size }];
}
