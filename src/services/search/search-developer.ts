import { bestPassagesInTurns } from "../../content/text/passages.ts";
import { plainText } from "../../content/text/plain-text.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { isOnSite, parseSearchQuery, plainWords, toSite } from "../../core/search/search-query.ts";
import type { Asked } from "../../search/ask.ts";
import type { GithubQuery, GithubRepository, RepositoryFilters } from "../../search/developer/github-index.ts";
import { orderFor } from "../../search/provider-order.ts";
import type { SearchHit } from "../../search/provider.ts";
import { inParallel } from "../../jobs/in-parallel.ts";
import { openAccount, withRefund, type Account } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { warningOf } from "./papers.ts";
import { SourceRound, type SourceDeps } from "./source-round.ts";

export const DEVELOPER_TYPES = ["doc", "issue", "pull_request", "readme"] as const;
export type DeveloperType = (typeof DEVELOPER_TYPES)[number];

/** A search for developers. */
export interface DeveloperRequest extends RepositoryFilters {
  query: string;
  /** Maximum number of results. */
  k: number;
  /** Passages of each result. */
  passages: number;
  types: readonly DeveloperType[];
  /** `owner/name`; empty for all. */
  repos: readonly string[];
  /** Hosts of documentation; empty for all. */
  sources: readonly string[];
  /** Restricts the search to repositories of skills for agents. */
  onlySkills: boolean;
}

/** Something that was found, with its text. */
export interface DeveloperItem {
  type: DeveloperType;
  /** `owner/name`; undefined for documentation. */
  repo?: string;
  number?: number;
  url: string;
  title: string;
  /** Markdown or plain text. */
  text: string;
  passages: string[];
  license?: string;
  score: number;
}

export interface DeveloperResponse {
  items: DeveloperItem[];
  /** For each requested repository: whether GitHub has it. */
  repos: { repo: string; indexed: boolean }[];
  /** For each requested source: whether a page of it was found. */
  sources: { source: string; indexed: boolean }[];
  warning?: string;
  creditsUsed: number;
}

export type DeveloperDeps = SourceDeps &
  Pick<Deps, "githubIndex" | "searchProviders" | "settings" | "keyLedger" | "meter">;

const TIMEOUT_MS = 25_000;
/** Readmes that are read for one response: without a token, GitHub allows 60 requests an hour. */
const MAX_READMES = 5;
const READMES_AT_A_TIME = 5;
/** Repositories that issues are restricted to, when filters of repositories are set and no repositories are named. */
const MAX_SCOPE = 8;
const PASSAGE_CHARS = 700;
const RANK_OFFSET = 60;
const SKILL_TOPIC = "agent-skills";

/**
 * Searches GitHub's issues, merged pull requests and readmes, and the documentation among the pages that the team has
 * read.
 * @throws AppError SEARCH_FAILED when GitHub did not answer and nothing was found.
 */
export async function searchDeveloper(
  deps: DeveloperDeps,
  caller: Payer,
  request: DeveloperRequest,
): Promise<DeveloperResponse> {
  const account = openAccount(deps, caller, searchCredits(request.k));
  return await withRefund(deps, account, async () => await searchFor(deps, caller, { request, account }));
}

async function searchFor(
  deps: DeveloperDeps,
  caller: Payer,
  { request, account }: { request: DeveloperRequest; account: Account },
): Promise<DeveloperResponse> {
  const search: DeveloperSearch = {
    deps,
    request,
    round: await SourceRound.open(deps, TIMEOUT_MS),
    names: namesOf(deps),
  };
  const [{ repositories, lists }, docs] = await Promise.all([searchGithub(search), searchDocs(search, caller)]);
  const items = merge([...lists, docs]).slice(0, request.k);
  if (items.length === 0 && !search.round.isAnswered) throw search.round.failure();
  await addReadmes(search, items);
  const words = plainWords(parseSearchQuery(request.query));
  const licenses = new Map(repositories.map(({ repo, license }) => [repo.toLowerCase(), license]));
  const full: DeveloperItem[] = [];
  for (const item of items) full.push(await withPassages(item, { words, count: request.passages, licenses }));
  const creditsUsed = searchCredits(full.length);
  deps.defer(account.settle(creditsUsed));
  const known = new Set(repositories.map(({ repo }) => repo.toLowerCase()));
  return {
    items: full,
    repos: request.repos.map((repo) => ({ repo, indexed: known.has(repo.toLowerCase()) })),
    sources: request.sources.map((source) => ({
      source,
      indexed: docs.some(({ url }) => isOnSite(url, [toSite(source)])),
    })),
    creditsUsed,
    ...warningOf(search.round.gaps(), ...notesOf(search)),
  };
}

interface DeveloperSearch {
  deps: DeveloperDeps;
  request: DeveloperRequest;
  round: SourceRound;
  /** Names of the sources that the settings allow. */
  names: readonly string[];
}

type Found = Omit<DeveloperItem, "passages" | "score">;

function namesOf({ searchProviders, githubIndex, settings }: DeveloperDeps): string[] {
  const names = [githubIndex.name, ...searchProviders.map(({ name }) => name)];
  return orderFor("developer", settings.searchOrder, names).flatMap(({ providers }) => providers);
}

function notesOf({ request, names }: DeveloperSearch): string[] {
  const hasDocs = names.includes("own-index");
  return [
    ...(request.onlySkills ? [`skills: repositories with the topic ${SKILL_TOPIC} are searched.`] : []),
    ...(request.sources.length > 0 && !hasDocs ? ["sources: this deployment has no index of pages."] : []),
    ...notesOfTypes(request),
  ];
}

/** Returns the warnings about types, sources and filters that have no effect beside each other. */
function notesOfTypes(request: DeveloperRequest): string[] {
  const { types, sources, repos, language, archived } = request;
  const hasDocs = types.includes("doc");
  const isNamed = hasDocs && types.length < DEVELOPER_TYPES.length;
  const hasFilters =
    repos.length > 0 || hasRepositoryFilters(request) || language !== undefined || archived !== undefined;
  const notices: [boolean, string][] = [
    [sources.length > 0 && !hasDocs, "sources: they are hosts of documentation, and types leaves doc out."],
    [
      isNamed && !searchesDocs(request),
      "types: doc was not searched, since the request is restricted to repositories; sources names hosts to search as well.",
    ],
    [
      types.every((type) => type === "doc") && searchesDocs(request) && hasFilters,
      "types: doc alone is searched, on which repos and the filters of repositories have no effect.",
    ],
  ];
  return notices.flatMap(([applies, words]) => (applies ? [words] : []));
}

/** Reports whether documentation is searched: with restrictions to repositories, only on hosts that are named. */
function searchesDocs(request: DeveloperRequest): boolean {
  const isRestricted = request.repos.length > 0 || hasRepositoryFilters(request);
  return request.types.includes("doc") && (request.sources.length > 0 || !isRestricted);
}

interface GithubFound {
  repositories: GithubRepository[];
  lists: Found[][];
}

async function searchGithub(search: DeveloperSearch): Promise<GithubFound> {
  const { request, names } = search;
  const { githubIndex: github } = search.deps;
  if (!names.includes(github.name)) return { repositories: [], lists: [] };
  const kinds = (["issue", "pull_request"] as const).filter((kind) => request.types.includes(kind));
  const wantsReadmes = request.types.includes("readme");
  const isScoped = hasRepositoryFilters(request);
  const needsRepositories = wantsReadmes || isScoped || request.repos.length > 0;
  const listing = needsRepositories ? askRepositories(search) : Promise.resolve([]);
  // Issues of GitHub's search have no stars, topics and licenses; the repositories that have them are found first.
  const scope = isScoped ? (await listing).slice(0, maxScope(request)).map(({ repo }) => repo) : request.repos;
  const hasNoScope = isScoped && scope.length === 0;
  const threads = await Promise.all(kinds.map((kind) => (hasNoScope ? [] : askThreads(search, kind, scope))));
  const repositories = await listing;
  const readmes = repositories.map(({ repo, url, description: text }): Found => ({
    type: "readme",
    repo,
    url,
    title: repo,
    text,
  }));
  return { repositories, lists: [...threads, ...(wantsReadmes ? [readmes] : [])] };
}

function maxScope({ repos }: DeveloperRequest): number {
  return repos.length > 0 ? repos.length : MAX_SCOPE;
}

function hasRepositoryFilters({
  topics = [],
  license,
  minStars,
  maxStars,
  fork,
  onlySkills,
}: DeveloperRequest): boolean {
  return topics.length > 0 || [license, minStars, maxStars, fork].some((filter) => filter !== undefined) || onlySkills;
}

async function askRepositories(search: DeveloperSearch): Promise<GithubRepository[]> {
  const { request, round, deps } = search;
  const { language, license, minStars, maxStars, archived, fork, onlySkills } = request;
  const topics = [...(request.topics ?? []), ...(onlySkills ? [SKILL_TOPIC] : [])];
  const filters = { language, topics, license, minStars, maxStars, archived, fork };
  // Named repositories are listed whatever their words are; their readmes are ranked by passages.
  const words = request.repos.length > 0 ? "" : wordsOfQuery(request);
  const limit = Math.max(request.k, maxScope(request));
  const ask = (deadlineMs: number): Promise<Asked<GithubRepository[]>> =>
    deps.githubIndex.findRepositories({ words, repos: request.repos, filters, limit, deadlineMs });
  return (await round.ask(deps.githubIndex.name, ask)) ?? [];
}

async function askThreads(
  { request, round, deps: { githubIndex } }: DeveloperSearch,
  kind: "issue" | "pull_request",
  repos: readonly string[],
): Promise<Found[]> {
  const { language, archived, k: limit } = request;
  const query: Omit<GithubQuery, "deadlineMs"> = {
    words: wordsOfQuery(request),
    repos,
    filters: { language, archived },
    limit,
  };
  const ask = (deadlineMs: number) => githubIndex.findThreads(kind, { ...query, deadlineMs });
  const threads = (await round.ask(githubIndex.name, ask)) ?? [];
  return threads.map(({ repo, number, url, title, body }) => ({ type: kind, repo, number, url, title, text: body }));
}

function wordsOfQuery({ query }: Pick<DeveloperRequest, "query">): string {
  return plainWords(parseSearchQuery(query));
}

/** Searches the pages that the team has read, on sites for developers or on the requested hosts. */
async function searchDocs({ deps, request, round, names }: DeveloperSearch, { key }: Payer): Promise<Found[]> {
  const ownIndex = deps.searchProviders.find(({ name }) => name === "own-index");
  if (ownIndex === undefined || !names.includes(ownIndex.name) || !searchesDocs(request)) return [];
  const ask = async (deadlineMs: number): Promise<Asked<SearchHit[]>> => {
    const outcome = await ownIndex.search({
      text: request.query,
      terms: parseSearchQuery(request.query),
      source: "web",
      ...(request.sources.length === 0 ? { category: "developer" as const } : {}),
      limit: request.k,
      includeDomains: request.sources.map(toSite),
      excludeDomains: [],
      teamId: key.teamId,
      deadlineMs,
    });
    return outcome.kind === "failed" ? outcome : { kind: "answered", value: outcome.hits };
  };
  const hits = (await round.ask(ownIndex.name, ask)) ?? [];
  return hits.map(({ url, title, description: text }) => ({ type: "doc", url, title, text }));
}

/** Merges lists by reciprocal ranks; each address once. */
function merge(lists: readonly Found[][]): DeveloperItem[] {
  const items = new Map<string, DeveloperItem>();
  for (const list of lists) {
    for (const [index, found] of list.entries()) {
      const gain = 1 / (RANK_OFFSET + index + 1);
      const known = items.get(found.url);
      if (known === undefined) items.set(found.url, { ...found, passages: [], score: gain });
      else known.score += gain;
    }
  }
  return [...items.values()].sort((left, right) => right.score - left.score);
}

/** Reads the readmes of the best repositories; the others keep their description. */
async function addReadmes(
  { deps: { githubIndex }, round }: DeveloperSearch,
  items: readonly DeveloperItem[],
): Promise<void> {
  const readmes = items.filter(({ type }) => type === "readme").slice(0, MAX_READMES);
  await inParallel(readmes, READMES_AT_A_TIME, async (item) => {
    // A limit of these requests is not one of GitHub's search.
    const name = `${githubIndex.name} readmes`;
    const text = await round.ask(name, (deadlineMs) => githubIndex.readReadme(item.repo ?? "", deadlineMs));
    if (text !== undefined && text.trim() !== "") item.text = `${item.text}\n\n${text}`;
  });
}

async function withPassages(
  item: DeveloperItem,
  { words, count, licenses }: { words: string; count: number; licenses: ReadonlyMap<string, string | undefined> },
): Promise<DeveloperItem> {
  const text = plainText(item.text);
  const found = await bestPassagesInTurns(text, words, { count, maxChars: PASSAGE_CHARS });
  const best = found.map((passage) => passage.text.trim());
  const lead = text.slice(0, PASSAGE_CHARS).trim();
  const passages = best.length > 0 ? best : lead === "" ? [] : [lead];
  const license = licenses.get(item.repo?.toLowerCase() ?? "");
  return { ...item, passages, ...(license === undefined ? {} : { license }) };
}
