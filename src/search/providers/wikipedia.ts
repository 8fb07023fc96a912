import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalText, plainSnippet } from "../response-fields.ts";
import { askJson, toOutcome, type ProviderWeb } from "../ask.ts";
import type { SearchProvider } from "../provider.ts";

const Page = z.object({ key: z.string(), title: z.string(), excerpt: optionalText, description: optionalText });
const Answer = z.object({ pages: listOf(Page) });

const MAX_RESULTS = 50;

/** Wikipedia's REST search (api.wikimedia.org). `{lang}` in the address stands for the language. */
export function createWikipedia(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "wikipedia",
    places: new Set(["web"]),
    fulfils: new Set(["lang"]),
    hosts: ["wikipedia.org"],
    async search(query) {
      const language = /^[a-z]{2,3}$/.test(query.language ?? "") ? (query.language ?? "en") : "en";
      const base = baseUrl.replace("{lang}", language);
      const parameters = new URLSearchParams({
        q: plainWords(query.terms),
        limit: String(Math.min(MAX_RESULTS, query.limit)),
      });
      const url = `${base}/w/rest.php/v1/search/page?${parameters}`;
      return toOutcome(await askJson(web, query, { url, schema: Answer }), ({ pages }) =>
        pages.map(({ key, title, excerpt, description }) => ({
          url: `https://${language}.wikipedia.org/wiki/${encodeURIComponent(key).replaceAll("%2F", "/")}`,
          title,
          description: [description, plainSnippet(excerpt)].filter((text) => text !== "").join(". "),
        })),
      );
    },
  };
}
