import type { AnswerKind } from "../../content/answers/answer-kind.ts";
import { readQuestion } from "../../content/answers/read-question.ts";
import { decodePercent } from "../../core/url/decode-percent.ts";
import type { JsonSchema } from "../../core/schema/json-schema.ts";
import { rankUrlsInPieces } from "../../core/crawl/rank-urls.ts";
import { inPieces } from "../../core/in-pieces.ts";
import { isSameSite } from "../../core/url/registrable-domain.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { toAbsoluteUrl } from "../../core/url/url.ts";
import { similarUrlKey } from "../../core/url/url-key.ts";
import { wordsOf } from "../../core/search/words.ts";
import { inParallel } from "../in-parallel.ts";
import type { FoundPage, StepTools } from "../step-kind.ts";
import { firstWords } from "./first-words.ts";
import { GivenSites } from "./given-sites.ts";
import { keyOfRead, PagesBudget, readPage, type ReadPage } from "./read-page.ts";

/** Query and limits of an exploration. */
export interface Exploration {
  query: string;
  /** Start pages, in this order; one that ends with `/*` selects the site below it. */
  urls: readonly string[];
  /** True when only `urls` may be read. */
  only: boolean;
  schema: JsonSchema | undefined;
  maxPages: number;
  /** Maximum number of links from a start page. */
  maxDepth: number;
}

/** Receives each action; the exploration waits for it before it continues. */
export interface Watcher {
  /** Called after each round; true ends the exploration. Must return the same result on a repeated run. */
  isEnough?(pages: readonly ReadPage[]): boolean | Promise<boolean>;
  searched?(query: string, found: readonly FoundPage[]): Promise<void>;
  read?(page: ReadPage): Promise<void>;
  failed?(url: string, message: string): Promise<void>;
}

export interface Explored {
  pages: ReadPage[];
  /** Why the exploration ended; `done` when nothing promising was left, or enough was read. */
  end: "done" | "max_pages" | "max_credits" | "time_limit";
  /** Error messages for the caller. */
  troubles: string[];
}

interface Candidate extends FoundPage {
  depth: number;
}

const AT_A_TIME = 4;
const SEARCH_RESULTS = 8;
const MAX_LINKS = 30;
/** Links of a given page that are followed although no word of the query is in them. */
const OTHER_LINKS = 12;
const MAX_MAPPED = 500;
/** Links that are judged in a few milliseconds. */
const LINKS_A_PIECE = 100;
/** Share of the pages that are read of given sites before the web is searched. */
const SITE_SHARE = 0.5;

/**
 * Searches, reads the most promising pages first, and follows links that match the query, by rules alone. Performs the
 * same steps on each run with the same results.
 */
export async function explore(requested: Exploration, tools: StepTools, watcher: Watcher = {}): Promise<Explored> {
  const pages: ReadPage[] = [];
  const troubles: string[] = [];
  const budget = new PagesBudget(await tools.roomForPages());
  const known = new Set<string>();
  /** Keys of the pages that were read, after redirects. */
  const read = new Set<string>();
  /** Number of pages that were loaded, also of those that were read before by another address: each is paid. */
  let loaded = 0;
  let waiting: Candidate[] = [];
  const add = (found: readonly FoundPage[], depth: number): void => {
    for (const page of found) {
      if (!URL.canParse(page.url)) continue;
      const key = pageKey(page.url);
      if (known.has(key)) continue;
      known.add(key);
      waiting.push({ ...page, depth });
    }
  };

  add(await named(requested, tools, troubles), 0);
  let hasSearched = requested.only;
  let end: Explored["end"] = "done";
  for (let round = 0; ; round++) {
    if (loaded >= requested.maxPages) {
      if (waiting.length > 0) end = "max_pages";
      if (loaded > pages.length) troubles.push(`${loaded - pages.length} addresses led to pages that had been read.`);
      break;
    }
    if (await tools.isLate(`late ${round}`)) {
      end = "time_limit";
      troubles.push("The time limit was reached before everything was read.");
      break;
    }
    // The given pages and their sites are read before the web is searched.
    if (!hasSearched && !isBusyWithSites(requested, { waiting, pages })) {
      hasSearched = true;
      add(await searched(requested, tools, { troubles, watcher }), 0);
    }
    if (waiting.length === 0) break;
    const best = await nextPages(requested, waiting);
    const batch = best.slice(0, Math.min(AT_A_TIME, requested.maxPages - loaded));
    waiting = waiting.filter((candidate) => !batch.includes(candidate));
    const outcomes = await inParallel(batch, AT_A_TIME, ({ url }) => readPage(tools, url, requested.schema));
    for (const [index, outcome] of outcomes.entries()) {
      const { url = "", depth = 0 } = batch[index] ?? {};
      if (outcome.kind === "failed") {
        troubles.push(`${url}: ${outcome.message.replace(/\.$/, "")}.`);
        await watcher.failed?.(url, outcome.message);
        if (outcome.code === "INSUFFICIENT_CREDITS") end = "max_credits";
        continue;
      }
      loaded++;
      const key = keyOfRead(outcome.value);
      if (read.has(key)) continue;
      read.add(key);
      known.add(key);
      waiting = waiting.filter((candidate) => pageKey(candidate.url) !== key);
      const page = budget.fit(outcome.value);
      pages.push(page);
      if (page.note !== undefined) troubles.push(page.note);
      await watcher.read?.(page);
      if (!requested.only && depth < requested.maxDepth) {
        add(await relevantLinks(page, requested.query), depth + 1);
        // Small sites name their pages by other words than the question.
        if (depth === 0 && requested.urls.length > 0) add((await siteLinks(page)).slice(0, OTHER_LINKS), depth + 1);
      }
    }
    if (end === "max_credits" || (await watcher.isEnough?.(pages)) === true) break;
  }
  return { pages, troubles, end };
}

/** Reports whether given pages, or pages that they link to, are read before the first search. */
function isBusyWithSites(
  { urls, maxPages }: Exploration,
  { waiting, pages }: { waiting: readonly Candidate[]; pages: readonly ReadPage[] },
): boolean {
  if (urls.length === 0 || waiting.length === 0) return false;
  return (
    pages.length < Math.ceil(maxPages * SITE_SHARE) ||
    waiting.some(({ url }) => urls.some((given) => isGiven(given, url)))
  );
}

/** Returns the given pages first, in the caller's order; the others by rank. */
async function nextPages({ query, urls }: Exploration, waiting: readonly Candidate[]): Promise<Candidate[]> {
  const first = new Set(waiting.filter(({ url, depth }) => depth === 0 && urls.some((given) => isGiven(given, url))));
  const others = waiting.filter((candidate) => !first.has(candidate));
  return [...first, ...(await rankUrlsInPieces(withPlaces(query), others))];
}

/** Returns the key by which pages are told apart. */
function pageKey(url: string): string {
  return similarUrlKey(new URL(url));
}

function isGiven(given: string, url: string): boolean {
  return given.endsWith("/*") || toAbsoluteUrl(given) === url;
}

async function named({ urls, query, only }: Exploration, tools: StepTools, troubles: string[]): Promise<FoundPage[]> {
  const found: FoundPage[] = [];
  let maps = 0;
  for (const url of urls) {
    if (!url.endsWith("/*")) {
      found.push({ url: toAbsoluteUrl(url) });
      continue;
    }
    // The loop of the exploration says that the time is over.
    if (await tools.isLate(`late map ${maps++}`)) break;
    const site = toAbsoluteUrl(url.slice(0, -1));
    const requested = { url: site, search: query, limit: MAX_MAPPED, includeSubdomains: false, ignoreSitemap: false };
    const mapped = await tools.map(`map ${site}`, requested);
    if (mapped.kind === "failed") troubles.push(`${url}: ${mapped.message}`);
    const below = new GivenSites([url]);
    const listed = mapped.kind === "done" ? mapped.value : [];
    const pages = listed.filter((page) => !only || below.include(page.url));
    if (pages.length === 0 && listed.length > 0)
      troubles.push(`${url}: no page that was found is below it, so none of them was read.`);
    found.push(...(pages.length > 0 ? pages : [{ url: site }]));
  }
  return found;
}

async function searched(
  { query }: Exploration,
  tools: StepTools,
  { troubles, watcher }: { troubles: string[]; watcher: Watcher },
): Promise<FoundPage[]> {
  const words = query.slice(0, 300);
  const answer = await tools.search(`search ${words}`, { query: words, limit: SEARCH_RESULTS });
  if (answer.kind === "failed") {
    troubles.push(`The search failed: ${answer.message}`);
    return [];
  }
  await watcher.searched?.(words, answer.value);
  return answer.value;
}

/** Returns links to pages of the same site whose URLs contain a word of the query, or of pages that hold such values. */
export async function relevantLinks(page: ReadPage, query: string): Promise<FoundPage[]> {
  const terms = new Set([...withoutStopWords(wordsOf(query)), ...placesOf(query)]);
  const near: FoundPage[] = [];
  await inPieces(await siteLinks(page), LINKS_A_PIECE, (link) => {
    const words = wordsOf(decodePercent(new URL(link.url).pathname).replaceAll(/[-_/.]/g, " "));
    if (words.some((word) => terms.has(word))) near.push(link);
  });
  return (await rankUrlsInPieces(withPlaces(query), near)).slice(0, MAX_LINKS);
}

/** Returns the links of a page to other pages of its site. */
async function siteLinks({ url, links }: ReadPage): Promise<FoundPage[]> {
  const page = new URL(url);
  const near = new Set<string>();
  await inPieces(links, LINKS_A_PIECE, (link) => {
    const target = URL.parse(link);
    if (target !== null && /^https?:$/.test(target.protocol) && isSameSite(page, target)) near.add(link);
  });
  return [...near].map((link) => ({ url: link }));
}

/** Names of pages that hold values of a kind. */
const PLACES: Partial<Record<AnswerKind, string>> = {
  price: "price prices pricing rates fees fares tickets tariff admission shop plans",
  date: "news events calendar history about releases dates hours",
  name: "team people staff about contact imprint leadership",
  number: "figures facts specifications about features",
  "yes-no": "faq questions help policy rules",
  phone: "contact imprint",
  email: "contact imprint",
  place: "contact location directions imprint",
};

function placesOf(query: string): string[] {
  return (PLACES[readQuestion(query).kind] ?? "").split(" ").filter(Boolean);
}

function withPlaces(query: string): string {
  return [firstWords(query), ...placesOf(query)].join(" ");
}
