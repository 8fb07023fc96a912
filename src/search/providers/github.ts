import { z } from "zod";
import { plainWords } from "../../core/search/search-query.ts";
import { isoDay } from "../../core/search/time-range.ts";
import { listOf, optionalNumber, optionalText, present } from "../response-fields.ts";
import { PUBLIC_ONLY, wordsOnly } from "../github-words.ts";
import { askJson, toOutcome, type ProviderWeb } from "../ask.ts";
import type { SearchProvider, SearchQuery } from "../provider.ts";
import { rangesOnly } from "../time-support.ts";

const Repository = z.object({
  full_name: z.string(),
  html_url: z.string(),
  description: optionalText,
  language: optionalText,
  stargazers_count: optionalNumber,
  pushed_at: optionalText,
});
const Answer = z.object({ items: listOf(Repository) });

const MAX_RESULTS = 100;

/** GitHub's repositories (docs.github.com, REST API version 2022-11-28). A token raises its limits and is not needed. */
export function createGithub(
  web: ProviderWeb,
  { baseUrl, token }: { baseUrl: string; token: string | undefined },
): SearchProvider {
  const headers = githubHeaders(token);
  return {
    name: "github",
    places: new Set(["github", "developer"]),
    fulfils: new Set(["tbs"]),
    leavesOut: rangesOnly,
    hosts: ["github.com"],
    async search(query) {
      const parameters = new URLSearchParams({
        q: textOf(query),
        per_page: String(Math.min(MAX_RESULTS, query.limit)),
      });
      const url = `${baseUrl}/search/repositories?${parameters}`;
      return toOutcome(await askJson(web, query, { url, headers, schema: Answer }), ({ items }) =>
        items.map(
          ({ full_name: title, html_url: address, description, language, stargazers_count: stars, pushed_at }) => ({
            url: address,
            title,
            description: [description, language, typeof stars === "number" ? `${stars} stars` : ""]
              .filter((text) => text !== "")
              .join(" · "),
            ...present("date", pushed_at),
          }),
        ),
      );
    },
  };
}

/** @param token Undefined for requests without a key. */
export function githubHeaders(token: string | undefined): Record<string, string> {
  return {
    accept: "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}

/** Words, and the time of the last push. */
function textOf({ terms, timeRange }: SearchQuery): string {
  const { fromMs, toMs } = timeRange ?? {};
  return [
    wordsOnly(plainWords(terms)),
    PUBLIC_ONLY,
    ...(fromMs === undefined ? [] : [`pushed:>=${isoDay(fromMs)}`]),
    ...(toMs === undefined ? [] : [`pushed:<=${isoDay(toMs)}`]),
  ].join(" ");
}
