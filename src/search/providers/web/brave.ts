import { z } from "zod";
import { isoDay } from "../../../core/search/time-range.ts";
import { listOf, optionalNumber, optionalText, plainSnippet, present, sizeOf } from "../../response-fields.ts";
import { askJson, askPages, toOutcome, type ProviderWeb } from "../../ask.ts";
import { engineText } from "../../engine-text.ts";
import type { ProviderOutcome, SearchFilter, SearchProvider, SearchQuery, SearchSource } from "../../provider.ts";
import { rangesOnly } from "../../time-support.ts";

const Page = z.object({ url: z.string(), title: optionalText, description: optionalText, page_age: optionalText });
const WebResponse = z.object({
  type: z.literal("search"),
  web: z.object({ results: listOf(Page) }).nullish(),
});
const Article = Page.extend({ thumbnail: z.object({ src: optionalText }).nullish() });
const NewsResponse = z.object({ type: z.literal("news"), results: listOf(Article) });
const Picture = z.object({
  title: optionalText,
  url: z.string(),
  properties: z.object({ url: z.string(), width: optionalNumber, height: optionalNumber }),
});
const ImageResponse = z.object({ type: z.literal("images"), results: listOf(Picture) });

/** Results of one request, and how many requests may follow one another. */
const PAGING: Record<SearchSource, { size: number; maxPages: number }> = {
  web: { size: 20, maxPages: 5 },
  news: { size: 50, maxPages: 2 },
  images: { size: 100, maxPages: 1 },
};
/** Countries and languages that it knows; it answers 422 to others. */
const COUNTRIES = new Set(
  `ar at au be br ca ch cl cn de dk es fi fr gb hk id in it jp kr mx my nl no nz ph pl pt ru sa se tr tw us za`.split(
    " ",
  ),
);
const LANGUAGES = new Set(
  `ar bg bn ca cs da de en en-gb es et eu fi fr gl gu he hi hr hu is it jp kn ko lt lv ml mr ms nb nl pa pl pt-br pt-pt ro ru sk sl sr sv ta
   te th tr uk vi zh-hans zh-hant`.split(/\s+/),
);
const TRADITIONAL_CHINESE = new Set(["hk", "mo", "tw"]);
const FRESHNESS = { hour: "pd", day: "pd", week: "pw", month: "pm", year: "py" };

/** Brave Search API, version 1 of its endpoints (api-dashboard.search.brave.com/app/documentation). */
export function createBrave(web: ProviderWeb, { baseUrl, key }: { baseUrl: string; key: string }): SearchProvider {
  const headers = { "x-subscription-token": key };
  async function askPage(query: SearchQuery, page: number): Promise<ProviderOutcome> {
    const url = `${baseUrl}/res/v1/${query.source}/search?${parameters(query, page)}`;
    if (query.source === "images") {
      return toOutcome(await askJson(web, query, { url, headers, schema: ImageResponse }), ({ results }) =>
        results.map(({ title, url: pageUrl, properties: { url: imageUrl, width, height } }) => {
          return { url: pageUrl, title, description: "", imageUrl, ...sizeOf(width, height) };
        }),
      );
    }
    if (query.source === "news") {
      return toOutcome(await askJson(web, query, { url, headers, schema: NewsResponse }), ({ results }) =>
        results.map((article) => ({ ...toHit(article), ...present("imageUrl", article.thumbnail?.src) })),
      );
    }
    const asked = await askJson(web, query, { url, headers, schema: WebResponse });
    return toOutcome(asked, (answer) => (answer.web?.results ?? []).map(toHit));
  }
  return {
    name: "brave",
    places: new Set(["web", "images", "news", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "lang", "country", "safe"]),
    leavesOut,
    search: (query) => askPages(query.limit, PAGING[query.source], (page) => askPage(query, page)),
  };
}

function parameters(query: SearchQuery, page: number): URLSearchParams {
  const { source, limit, safe, timeRange } = query;
  const [country, language] = [countryOf(query), languageOf(query)];
  const { size } = PAGING[source];
  const { fromMs, toMs, unit } = timeRange ?? {};
  const parameters = new URLSearchParams({ q: engineText(query), count: String(Math.min(size, limit)) });
  if (source !== "images" && page > 0) parameters.set("offset", String(page));
  if (country !== undefined) parameters.set("country", country);
  if (language !== undefined) parameters.set("search_lang", language);
  if (safe !== undefined) parameters.set("safesearch", safe ? "strict" : "off");
  if (source === "images") return parameters;
  if (unit !== undefined && toMs === undefined) parameters.set("freshness", FRESHNESS[unit]);
  else if (fromMs !== undefined || toMs !== undefined)
    parameters.set("freshness", `${isoDay(fromMs ?? 0)}to${isoDay(toMs ?? query.deadlineMs)}`);
  return parameters;
}

function leavesOut(query: SearchQuery): SearchFilter[] {
  return [
    ...(query.source === "images" ? (["tbs"] as const) : rangesOnly(query)),
    ...(countryOf(query) === undefined ? (["country"] as const) : []),
    ...(languageOf(query) === undefined ? (["lang"] as const) : []),
  ];
}

function countryOf({ country = "" }: SearchQuery): string | undefined {
  return COUNTRIES.has(country) ? country.toUpperCase() : undefined;
}

/** Its codes are those of ISO 639-1 but for a few, which may depend on the region of the language, or on the country. */
function languageOf({ language = "", languageTag = language, country = "" }: SearchQuery): string | undefined {
  if (LANGUAGES.has(languageTag)) return languageTag;
  const [, ...subtags] = languageTag.toLowerCase().split("-");
  const script = subtags.find((subtag) => subtag === "hant" || subtag === "hans");
  const region = subtags.findLast((subtag) => subtag.length === 2) ?? country;
  const codes: Record<string, string> = {
    ja: "jp",
    no: "nb",
    pt: region === "pt" ? "pt-pt" : "pt-br",
    zh: `zh-${script ?? (TRADITIONAL_CHINESE.has(region) ? "hant" : "hans")}`,
  };
  const code = Object.hasOwn(codes, language) ? codes[language] : language;
  return code !== undefined && LANGUAGES.has(code) ? code : undefined;
}

function toHit({ url, title, description, page_age }: z.output<typeof Page>) {
  return { url, title: plainSnippet(title), description: plainSnippet(description), ...present("date", page_age) };
}
