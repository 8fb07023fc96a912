import type { Caller } from "../deps.ts";
import { toImageResult, toNewsResult, toWebResult } from "./search-results.ts";
import type { ImageResult, NewsResult, WebResult } from "./search-results.ts";
import { DEFAULT_TIMEOUT_MS, ProviderSearch } from "./provider-search.ts";
import type { Group, SearchAttempt, SearchDeps, WebSearchRequest } from "./provider-search.ts";

export { CATEGORIES } from "../../search/provider.ts";
export type { SearchCategory, SearchSource } from "../../search/provider.ts";
export type { ImageResult, NewsResult, WebResult } from "./search-results.ts";
export type { SearchAttempt, SearchFilters, WebSearchRequest } from "./provider-search.ts";

export interface WebSearchResponse {
  groups: { web: WebResult[]; images: ImageResult[]; news: NewsResult[] };
  attempts: SearchAttempt[];
  /** Names options without effect, and sources that failed. */
  warning?: string;
}

/**
 * Searches the web with the providers of this deployment, in the order of its settings. A list is empty only if a
 * provider answered without results; where others failed, `warning` names them. The team's own pages alone are no
 * answer without results when every provider outside the deployment failed.
 * @throws AppError SEARCH_FAILED with what each provider said when none answered, SCRAPE_TIMEOUT when the time was
 * over.
 */
export async function searchWeb(
  deps: SearchDeps,
  caller: Caller,
  request: WebSearchRequest,
): Promise<WebSearchResponse> {
  const deadlineMs = deps.clock.now() + (request.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const paused = await deps.providerPauses.list(deps.clock.now()).catch(() => NO_PAUSES);
  const search = new ProviderSearch(deps, { request, teamId: caller.key.teamId, deadlineMs, paused });
  const sources = request.sources ?? [{ type: "web" as const }];
  const groups = await Promise.all(sources.map((source) => search.run(source)));
  const nowMs = deps.clock.now();
  const failed = groups.filter(({ isAnswered }) => !isAnswered);
  if (failed.length > 0 && failed.length === groups.length) throw search.failure();
  const hasEmptyWeb = groups.some(({ source, hits }) => source === "web" && hits.length === 0);
  const warnings = [
    ...unappliedCategories(request.categories, groups),
    ...unaskedProviders(request.providers, search.attempts),
    ...(hasEmptyWeb ? search.nothingOfGovernments() : []),
    ...search.warnings(),
    ...groups.flatMap(({ source, isAnswered }) => (isAnswered ? search.gaps(source) : search.excuse(source))),
  ];
  return {
    groups: {
      web: groups.flatMap(({ source, hits }) => (source === "web" ? hits.map(toWebResult) : [])),
      images: groups.flatMap(({ source, hits }) => (source === "images" ? hits.flatMap(toImageResult) : [])),
      news: groups.flatMap(({ source, hits }) =>
        source === "news" ? hits.map((hit, index) => toNewsResult(hit, index, nowMs)) : [],
      ),
    },
    attempts: search.attempts,
    ...(warnings.length === 0 ? {} : { warning: warnings.join(" ") }),
  };
}

/** Returns the warning about categories that are sent with other sources than the web, which they do not narrow. */
function unappliedCategories(categories: readonly string[] = [], groups: readonly Group[]): string[] {
  const others = groups.flatMap(({ source }) => (source === "web" ? [] : [source]));
  if (categories.length === 0) return [];
  if (others.length === groups.length) return ["categories: they narrow web results only, which were not requested."];
  return others.length === 0
    ? []
    : [`categories: they narrow web results only; ${others.join(" and ")} were searched without them.`];
}

/** Returns the warning about requested providers that search for nothing of this request. */
function unaskedProviders(requested: readonly string[] = [], attempts: readonly SearchAttempt[]): string[] {
  const unasked = requested.filter((name) => attempts.every(({ provider }) => provider !== name));
  return unasked.length === 0 ? [] : [`providers: ${unasked.join(", ")} cannot search for this.`];
}

const NO_PAUSES: ReadonlyMap<string, number> = new Map();
