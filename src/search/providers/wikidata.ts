import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { listOf, optionalText } from "../response-fields.ts";
import { askJson, failed, toOutcome, type ProviderWeb } from "../ask.ts";
import type { SearchProvider } from "../provider.ts";

const Entity = z.object({ id: z.string(), label: optionalText, description: optionalText });
/** Errors come with status 200. */
const Answer = z.union([
  z.object({ error: z.object({ code: z.string(), info: optionalText }) }),
  z.object({ search: listOf(Entity) }),
]);

const MAX_RESULTS = 50;

/** Wikidata's entities by label (www.wikidata.org/w/api.php, wbsearchentities). */
export function createWikidata(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "wikidata",
    places: new Set(["web"]),
    fulfils: new Set(["lang"]),
    hosts: ["wikidata.org"],
    async search(query) {
      const language = query.language ?? "en";
      const parameters = new URLSearchParams({
        action: "wbsearchentities",
        format: "json",
        search: plainWords(query.terms),
        language,
        uselang: language,
        limit: String(Math.min(MAX_RESULTS, query.limit)),
      });
      const asked = await askJson(web, query, { url: `${baseUrl}/w/api.php?${parameters}`, schema: Answer });
      if (asked.kind === "answered" && "error" in asked.value) {
        const { code, info } = asked.value.error;
        return /ratelimit|maxlag/.test(code)
          ? failed("rate_limited", "It is rate-limited", LAG_PAUSE_MS)
          : failed("refused", `It refuses the request (${info || code})`);
      }
      return toOutcome(asked, (answer) =>
        ("search" in answer ? answer.search : []).map(({ id, label, description }) => ({
          url: `https://www.wikidata.org/wiki/${id}`,
          title: label === "" ? id : label,
          description,
        })),
      );
    },
  };
}

const LAG_PAUSE_MS = 10_000;
