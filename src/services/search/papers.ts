import { AppError } from "../../core/errors.ts";
import { searchCredits } from "../../core/account/pricing.ts";
import { parseSearchQuery } from "../../core/search/search-query.ts";
import { wordsOf } from "../../core/search/words.ts";
import { fusePapers, joinPapers } from "../../search/papers/fuse-papers.ts";
import { primaryIdOf, type Paper, type PaperQuery, type PaperSource } from "../../search/papers/paper.ts";
import { ID_NAMESPACES, parsePaperId, writePaperId, type PaperId } from "../../search/papers/paper-id.ts";
import { orderFor } from "../../search/provider-order.ts";
import { openAccount, withRefund, type Account } from "../account/account.ts";
import type { Deps, Payer } from "../deps.ts";
import { SourceRound, type SourceDeps } from "./source-round.ts";

export type PaperDeps = SourceDeps & Pick<Deps, "paperSources" | "settings" | "keyLedger" | "meter">;

/** A search for papers. */
export interface PaperSearchRequest {
  query: string;
  /** Maximum number of papers. */
  k: number;
  authors: readonly string[];
  categories: readonly string[];
  from?: string | undefined;
  to?: string | undefined;
}

/** A paper of a list, under the names of the wire. */
export interface PaperResult {
  paperId: string;
  primaryId: string;
  ids: Record<string, string[]>;
  title: string;
  abstract: string;
  authors?: string;
  categories?: string[];
  createdDate?: string;
  updateDate?: string;
  score: number;
  sources: string[];
}

export interface PaperSearchResponse {
  results: PaperResult[];
  warning?: string;
  creditsUsed: number;
}

const SEARCH_TIMEOUT_MS = 25_000;
const LOOKUP_TIMEOUT_MS = 15_000;
/** Sources return some papers twice, and filters leave some out. */
const SPARE_PAPERS = 10;
const SCORE_DECIMALS = 1e6;

/**
 * Searches all sources of papers and merges their lists.
 * @throws AppError SEARCH_FAILED when no source outside this deployment answered and nothing was found.
 */
export async function searchPapers(
  deps: PaperDeps,
  caller: Payer,
  request: PaperSearchRequest,
): Promise<PaperSearchResponse> {
  const account = openAccount(deps, caller, searchCredits(request.k));
  return await withRefund(deps, account, async () => await searchFor(deps, caller, { request, account }));
}

async function searchFor(
  deps: PaperDeps,
  caller: Payer,
  { request, account }: { request: PaperSearchRequest; account: Account },
): Promise<PaperSearchResponse> {
  const round = await SourceRound.open(deps, SEARCH_TIMEOUT_MS);
  const able = sourcesOf(deps).filter((source) => appliesFilters(source, request));
  const lists = await Promise.all(
    able.map(async (source) => {
      const ask = (deadlineMs: number) => source.search(toPaperQuery(request, caller.key.teamId, deadlineMs));
      const papers = (await round.ask(source.name, ask)) ?? [];
      return { source: source.name, papers: papers.filter((paper) => isWanted(paper, request)) };
    }),
  );
  const fused = fusePapers(lists).slice(0, request.k);
  if (fused.length === 0 && !round.isAnswered) throw round.failure();
  const creditsUsed = searchCredits(fused.length);
  deps.defer(account.settle(creditsUsed));
  const results = fused.flatMap(({ paper, score, sources }) => toPaperResult(paper, { score, sources }));
  return { results, creditsUsed, ...warningOf(round.gaps(), unasked(deps, able)) };
}

function toPaperQuery(request: PaperSearchRequest, teamId: string, deadlineMs: number): PaperQuery {
  const { query, k, authors, categories, from, to } = request;
  return {
    text: query,
    terms: parseSearchQuery(query),
    limit: k + SPARE_PAPERS,
    authors,
    categories,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    teamId,
    deadlineMs,
  };
}

/** Returns the sources of papers that the settings name for research. */
export function sourcesOf({ paperSources, settings }: Pick<PaperDeps, "paperSources" | "settings">): PaperSource[] {
  const names = paperSources.map(({ name }) => name);
  const chosen = orderFor("research", settings.searchOrder, names).flatMap(({ providers }) => providers);
  return paperSources.filter(({ name }) => chosen.includes(name));
}

function appliesFilters({ filters }: PaperSource, { authors, categories }: PaperSearchRequest): boolean {
  return (authors.length === 0 || filters.has("authors")) && (categories.length === 0 || filters.has("categories"));
}

/** Sources match authors loosely and count a paper's later versions; the response does not. */
function isWanted({ authors, categories, createdDate, updateDate }: Paper, request: PaperSearchRequest): boolean {
  const names = authors.map((name) => wordsOf(name).join(" "));
  const hasAuthors = request.authors.every((wanted) =>
    names.some((name) => wordsOf(wanted).every((word) => name.includes(word))),
  );
  const folded = categories.map((category) => category.toLowerCase());
  const hasCategories = request.categories.every((category) => folded.includes(category.toLowerCase()));
  const dates = [createdDate, updateDate].flatMap((date) => date?.slice(0, 10) ?? []);
  const isInRange = dates.length === 0 || dates.some((date) => isBetween(date, request));
  return hasAuthors && hasCategories && isInRange;
}

/** Compares as texts, as far as the shorter one goes: `2024` is within a range of days of 2024. */
function isBetween(date: string, { from, to }: Pick<PaperSearchRequest, "from" | "to">): boolean {
  const isAfter = from === undefined || date >= from.slice(0, date.length);
  return isAfter && (to === undefined || date <= to.slice(0, date.length));
}

/** Returns the warning about sources that were left out since they do not have a filter. */
function unasked(deps: PaperDeps, able: readonly PaperSource[]): string | undefined {
  const names = sourcesOf(deps).flatMap((source) => (able.includes(source) ? [] : [source.name]));
  return names.length === 0 ? undefined : `Not requested, since they do not have these filters: ${names.join(", ")}.`;
}

export function warningOf(...warnings: readonly (string | undefined)[]): { warning?: string } {
  const known = warnings.filter((warning) => warning !== undefined);
  return known.length === 0 ? {} : { warning: known.join(" ") };
}

/** Converts a paper to its form in a list; a paper without an id is left out. */
export function toPaperResult(paper: Paper, { score, sources }: { score: number; sources: string[] }): PaperResult[] {
  const fields = toPaperFields(paper);
  return fields === undefined
    ? []
    : [{ ...fields, primaryId: fields.paperId, score: Math.round(score * SCORE_DECIMALS) / SCORE_DECIMALS, sources }];
}

export type PaperFields = Omit<PaperResult, "primaryId" | "score" | "sources">;

/** Converts a paper to the fields that lists and single papers share; undefined without an id. */
export function toPaperFields(paper: Paper): PaperFields | undefined {
  const primary = primaryIdOf(paper);
  if (primary === undefined) return undefined;
  const { title, abstract, authors, categories, createdDate, updateDate } = paper;
  const ids = Object.fromEntries(
    ID_NAMESPACES.flatMap((namespace) => {
      const values = paper.ids.flatMap((id) => (id.namespace === namespace ? [id.value] : []));
      return values.length === 0 ? [] : [[namespace, values] as const];
    }),
  );
  return {
    paperId: writePaperId(primary),
    ids,
    title,
    abstract,
    ...(authors.length === 0 ? {} : { authors: authors.join(", ") }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(createdDate === undefined ? {} : { createdDate }),
    ...(updateDate === undefined ? {} : { updateDate }),
  };
}

/** A paper that was looked up, with the sources that could not be asked. */
export interface FoundPaper {
  paper: Paper;
  round: SourceRound;
}

/**
 * Looks a paper up at the sources that know its registry, and merges what they say.
 * @throws AppError BAD_REQUEST for a text that is no paper's id, NOT_FOUND when no source has the paper, SEARCH_FAILED
 * when one could not be asked and the others do not have it.
 */
export async function findPaper(deps: PaperDeps, text: string): Promise<FoundPaper> {
  const id = parsePaperId(text);
  if (id === undefined) throw unknownForm(text);
  const round = await SourceRound.open(deps, LOOKUP_TIMEOUT_MS);
  const paper = await lookUp(deps, id, round);
  if (paper !== undefined) return { paper, round };
  if (round.gaps() !== undefined || !round.isAnswered) throw round.failure();
  throw new AppError("NOT_FOUND", `No source has a paper with the id ${writePaperId(id)}.`);
}

/** Looks a paper up within a round. @returns undefined when no source that answered has it. */
export async function lookUp(deps: PaperDeps, id: PaperId, round: SourceRound): Promise<Paper | undefined> {
  const able = sourcesOf(deps).flatMap(({ name, finds, find }) =>
    find !== undefined && finds.has(id.namespace) ? [{ name, find }] : [],
  );
  const found = await Promise.all(able.map(({ name, find }) => round.ask(name, (deadlineMs) => find(id, deadlineMs))));
  const papers = found.filter((paper) => paper !== undefined);
  const [first, ...others] = papers;
  return first === undefined ? undefined : others.reduce(joinPapers, first);
}

export function unknownForm(text: string): AppError {
  const forms = "arxiv:2105.05233, doi:10.1000/182, pmid:40953549, pmcid:PMC12530322 or openalex:W2741809807";
  return new AppError("BAD_REQUEST", `“${text.slice(0, 100)}” is not the id of a paper. Use one like ${forms}.`);
}
