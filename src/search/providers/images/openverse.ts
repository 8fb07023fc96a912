import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { listOf, optionalNumber, optionalText, sizeOf } from "../../response-fields.ts";
import { askJson, askPages, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { SearchProvider } from "../../provider.ts";

const Picture = z.object({
  title: optionalText,
  url: z.string(),
  foreign_landing_url: optionalText,
  width: optionalNumber,
  height: optionalNumber,
});
const Answer = z.object({ results: listOf(Picture) });

/** Results per request that Openverse allows without an account. */
const PAGE_SIZE = 20;
const MAX_PAGES = 3;

/** Openly licensed pictures of Openverse (api.openverse.org). Adult content is left out unless `safe` is off. */
export function createOpenverse(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "openverse",
    places: new Set(["images"]),
    fulfils: new Set(["safe"]),
    search: (query) =>
      askPages(query.limit, { size: PAGE_SIZE, maxPages: MAX_PAGES }, async (page) => {
        const parameters = new URLSearchParams({
          q: plainWords(query.terms),
          page: String(page + 1),
          page_size: String(Math.min(PAGE_SIZE, query.limit)),
          mature: String(query.safe === false),
        });
        const asked = await askJson(web, query, { url: `${baseUrl}/v1/images/?${parameters}`, schema: Answer });
        return toOutcome(asked, ({ results }) =>
          results.map(({ title, url, foreign_landing_url: landing, width, height }) => {
            return {
              url: landing === "" ? url : landing,
              title,
              description: "",
              imageUrl: url,
              ...sizeOf(width, height),
            };
          }),
        );
      }),
  };
}
