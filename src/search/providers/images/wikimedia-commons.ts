import { z } from "zod";
import { plainWords } from "../../../core/search/search-query.ts";
import { listOf, optionalNumber, optionalText, sizeOf } from "../../response-fields.ts";
import { askJson, failed, toOutcome, type ProviderWeb } from "../../ask.ts";
import type { SearchHit, SearchProvider } from "../../provider.ts";

const ImageInfo = z.object({
  url: z.string(),
  descriptionurl: optionalText,
  width: optionalNumber,
  height: optionalNumber,
});
const Page = z.object({ title: z.string(), index: z.number().default(0), imageinfo: z.array(ImageInfo).min(1) });
/** Without a match there is no `query`; errors come with status 200. */
const Answer = z.union([
  z.object({ error: z.object({ code: z.string(), info: optionalText }) }),
  z.object({ query: z.object({ pages: listOf(Page) }) }),
  z.object({ batchcomplete: z.boolean() }),
]);

const MAX_RESULTS = 50;
const LAG_PAUSE_MS = 10_000;

/** Pictures of Wikimedia Commons (commons.wikimedia.org/w/api.php). */
export function createWikimediaCommons(web: ProviderWeb, { baseUrl }: { baseUrl: string }): SearchProvider {
  return {
    name: "wikimedia-commons",
    places: new Set(["images"]),
    fulfils: new Set(),
    async search(query) {
      const parameters = new URLSearchParams({
        action: "query",
        format: "json",
        formatversion: "2",
        generator: "search",
        gsrsearch: `filetype:bitmap|drawing ${plainWords(query.terms)}`,
        gsrnamespace: "6",
        gsrlimit: String(Math.min(MAX_RESULTS, query.limit)),
        prop: "imageinfo",
        iiprop: "url|size|mime",
      });
      const asked = await askJson(web, query, { url: `${baseUrl}/w/api.php?${parameters}`, schema: Answer });
      if (asked.kind === "answered" && "error" in asked.value) {
        const { code, info } = asked.value.error;
        return /ratelimit|maxlag/.test(code)
          ? failed("rate_limited", "It is rate-limited", LAG_PAUSE_MS)
          : failed("refused", `It refuses the request (${info || code})`);
      }
      return toOutcome(asked, (answer) =>
        ("query" in answer ? answer.query.pages : []).toSorted(byIndex).flatMap(toHit),
      );
    },
  };
}

/** Pages come in the order of their ids, not of their rank. */
function byIndex(left: z.output<typeof Page>, right: z.output<typeof Page>): number {
  return left.index - right.index;
}

function toHit({ title, imageinfo }: z.output<typeof Page>): SearchHit[] {
  const [info] = imageinfo;
  if (info === undefined) return [];
  const { url: imageUrl, descriptionurl, width, height } = info;
  return [
    {
      url: descriptionurl === "" ? imageUrl : descriptionurl,
      title: title.replace(/^File:/, "").replace(/\.[a-z]{3,4}$/i, ""),
      description: "",
      imageUrl,
      ...sizeOf(width, height),
    },
  ];
}
