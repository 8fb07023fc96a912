import { z } from "zod";
import { listOf, optionalNumber, optionalText, plainSnippet, present, sizeOf } from "../../response-fields.ts";
import { askJson, askPages, toOutcome, type ProviderWeb } from "../../ask.ts";
import { engineText } from "../../engine-text.ts";
import type { ProviderOutcome, SearchProvider, SearchQuery } from "../../provider.ts";

const Page = z.object({ title: optionalText, link: z.string(), snippet: optionalText, date: optionalText });
const WebResponse = z.object({ organic: listOf(Page) });
const NewsResponse = z.object({ news: listOf(Page.extend({ imageUrl: optionalText })) });
const Picture = z.object({
  title: optionalText,
  imageUrl: z.string(),
  imageWidth: optionalNumber,
  imageHeight: optionalNumber,
  link: z.string(),
});
const ImageResponse = z.object({ images: listOf(Picture) });

const PATHS = { web: "search", images: "images", news: "news" };
const SIZE = 100;
const MAX_PAGES = 10;

/** Google's results by serper.dev, which takes Google's own `tbs`. */
export function createSerper(web: ProviderWeb, { baseUrl, key }: { baseUrl: string; key: string }): SearchProvider {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  async function askPage(query: SearchQuery, page: number): Promise<ProviderOutcome> {
    const { source } = query;
    const request = { url: `${baseUrl}/${PATHS[source]}`, method: "POST" as const, headers, body: bodyOf(query, page) };
    if (source === "images") {
      return toOutcome(await askJson(web, query, { ...request, schema: ImageResponse }), ({ images }) =>
        images.map(({ title, imageUrl, imageWidth, imageHeight, link }) => {
          return { url: link, title, description: "", imageUrl, ...sizeOf(imageWidth, imageHeight) };
        }),
      );
    }
    if (source === "news") {
      return toOutcome(await askJson(web, query, { ...request, schema: NewsResponse }), ({ news }) =>
        news.map((article) => ({ ...toHit(article), ...present("imageUrl", webAddress(article.imageUrl)) })),
      );
    }
    return toOutcome(await askJson(web, query, { ...request, schema: WebResponse }), ({ organic }) =>
      organic.map(toHit),
    );
  }
  return {
    name: "serper",
    places: new Set(["web", "images", "news", "github", "research", "pdf", "developer", "gov"]),
    fulfils: new Set(["tbs", "lang", "country", "location"]),
    search: (query) => askPages(query.limit, { size: 10, maxPages: MAX_PAGES }, (page) => askPage(query, page)),
  };
}

function bodyOf(query: SearchQuery, page: number): string {
  const { limit, country, language, location, tbs } = query;
  return JSON.stringify({
    q: engineText(query),
    num: Math.min(SIZE, limit),
    ...(page === 0 ? {} : { page: page + 1 }),
    ...(country === undefined ? {} : { gl: country }),
    ...(language === undefined ? {} : { hl: language }),
    ...(location === undefined ? {} : { location }),
    ...(tbs === undefined ? {} : { tbs }),
  });
}

function toHit({ title, link, snippet, date }: z.output<typeof Page>) {
  return { url: link, title, description: plainSnippet(snippet), ...present("date", date) };
}

/** Thumbnails often come as the picture itself, in Base64. */
function webAddress(url: string): string {
  return /^https?:/.test(url) ? url : "";
}
