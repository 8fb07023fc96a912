import { bestPassages } from "../../../content/text/passages.ts";
import { snippetText } from "../../../content/text/snippet-text.ts";
import { isAppError, stackOf } from "../../../core/errors.ts";
import { inPieces } from "../../../core/in-pieces.ts";
import type { LogEvent } from "../../../core/text/redact.ts";
import { plainWords } from "../../../core/search/search-query.ts";
import type { FoundPage, PageIndex, PageQuery } from "../../../ports/search/page-index.ts";
import type { Clock } from "../../../ports/system.ts";
import { allSitesOfCategory } from "../../categories.ts";
import { includedSites } from "../../included-sites.ts";
import type { SearchHit, SearchPlace, SearchProvider, SearchQuery } from "../../provider.ts";

/** Pictures are not indexed. */
const PLACES_WITH_PAGES: SearchPlace[] = ["web", "news", "github", "research", "pdf", "developer", "gov"];
const SNIPPET_CHARS = 240;
/** A snippet is looked for in so much of a page. */
const SNIPPET_SCOPE_CHARS = 20_000;
/** Pages whose snippets are looked for before other requests run: some 10 ms. */
const PAGES_A_TURN = 4;

/**
 * Runs a search of a team when it is admitted.
 * @throws AppError when that is not before the deadline: `RATE_LIMITED` for searches of the team itself, `SERVICE_UNAVAILABLE` for those
 * of other teams, which came first
 */
export type Admit = <T>(owner: { teamId: string }, work: () => Promise<T>, deadlineMs: number) => Promise<T>;

const LATE = { kind: "failed", reason: "timed_out", message: "Other searches came first" } as const;

interface Options {
  pages: PageIndex;
  clock: Clock;
  retentionMs: number;
  /** Default: at once. */
  admit?: Admit | undefined;
  log?: ((event: LogEvent) => void) | undefined;
}

/** Everything that the caller's team has scraped and crawled, in this deployment's own full-text index. */
export function createOwnIndex({
  pages,
  clock,
  retentionMs,
  admit = (_, work) => work(),
  log,
}: Options): SearchProvider {
  const search = async (query: SearchQuery): Promise<SearchHit[]> => {
    const sites = includedSites(query, allSitesOfCategory(query.category));
    if (sites?.length === 0) return [];
    const found = await pages.search(query.teamId, toPageQuery(query, { sites, nowMs: clock.now(), retentionMs }));
    const hits: SearchHit[] = [];
    await inPieces(found, PAGES_A_TURN, (page) => void hits.push(toHit(page, query)));
    return hits;
  };
  return {
    name: "own-index",
    places: new Set(PLACES_WITH_PAGES),
    fulfils: new Set(["tbs", "lang"]),
    async search(query) {
      let isBegun = false;
      const begin = async (): Promise<SearchHit[]> => {
        isBegun = true;
        return await search(query);
      };
      try {
        return { kind: "answered", hits: await admit(query, begin, query.deadlineMs) };
      } catch (error) {
        if (isAppError(error) && !isBegun) return { ...LATE, refusal: error };
        if (isAppError(error) && error.code === "SCRAPE_TIMEOUT") return LATE;
        log?.({ event: "own_index_failed", message: stackOf(error) });
        return { kind: "failed", reason: "server_error", message: "The index could not be read" };
      }
    },
  };
}

function toPageQuery(
  query: SearchQuery,
  { sites = [], nowMs, retentionMs }: { sites: readonly string[] | undefined; nowMs: number; retentionMs: number },
): PageQuery {
  const { terms, category, timeRange, language } = query;
  const { fromMs, toMs, newestFirst } = timeRange ?? {};
  const isRange = fromMs !== undefined || toMs !== undefined;
  return {
    terms: {
      ...terms,
      sites: [...sites],
      excludedSites: [...terms.excludedSites, ...query.excludeDomains],
      fileTypes: category === "pdf" ? ["pdf"] : terms.fileTypes,
    },
    limit: query.limit,
    indexedAfterMs: nowMs - retentionMs,
    ...(language === undefined ? {} : { language }),
    ...(isRange ? { fromMs: fromMs ?? 0, toMs: toMs ?? nowMs } : {}),
    ...(newestFirst === undefined ? {} : { newestFirst }),
  };
}

function toHit({ url, title, description, body, datedAtMs, scrapeId }: FoundPage, { terms }: SearchQuery): SearchHit {
  const scope = body.slice(0, SNIPPET_SCOPE_CHARS);
  const [passage] = bestPassages(scope, plainWords(terms), { count: 1, maxChars: SNIPPET_CHARS });
  const lead = description === "" ? scope.slice(0, SNIPPET_CHARS) : description;
  const snippet = snippetText(passage?.text ?? lead);
  return {
    url,
    title: title === "" ? url : title,
    description: snippet,
    date: new Date(datedAtMs).toISOString(),
    ...(scrapeId === null ? {} : { scrapeId }),
  };
}
