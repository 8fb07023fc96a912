import { searchCredits } from "../../core/account/pricing.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import { AppError } from "../../core/errors.ts";
import { openalexIdOf, type Paper, type Relation } from "../../search/papers/paper.ts";
import { parsePaperId } from "../../search/papers/paper-id.ts";
import { openAccount } from "../account/account.ts";
import type { Payer } from "../deps.ts";
import {
  lookUp,
  sourcesOf,
  toPaperResult,
  unknownForm,
  warningOf,
  type PaperDeps,
  type PaperResult,
} from "./papers.ts";
import { SourceRound } from "./source-round.ts";

/** A search in the graph of citations. */
export interface SimilarPapersRequest {
  /** Ids of the papers to start from, 1 to 10. */
  seeds: readonly string[];
  /** Words that candidates are ranked by. */
  intent: string;
  mode: Relation;
  k: number;
  /** False leaves the candidates in the order of the graph. */
  rerank: boolean;
}

/** Signals of a candidate's rank. */
export interface PaperSignals {
  /** Number of seeds that the candidate is linked to by a citation that is known. */
  structural: number;
  /** Share of the words of the intent that its title and abstract have, from 0 to 1. */
  semantic: number;
  /** Logarithm of the number of papers that cite it. */
  articleRank: number;
  seedOverlap: number;
}

export interface SimilarPapersResponse {
  results: (PaperResult & { signals: PaperSignals })[];
  poolSize: number;
  truncated: boolean;
  note?: string;
  warning?: string;
  creditsUsed: number;
}

const TIMEOUT_MS = 25_000;
/** Candidates that are ranked by the intent. */
const MAX_POOL = 500;
const RANK_OFFSET = 60;

/**
 * Returns papers that the citations of OpenAlex relate to others: those that cite them, those that they cite, or those
 * with the same subjects.
 * @throws AppError BAD_REQUEST for a text that is no paper's id, NOT_FOUND when the first paper is not known,
 * SEARCH_FAILED when the graph could not be asked.
 */
export async function similarPapers(
  deps: PaperDeps,
  caller: Payer,
  request: SimilarPapersRequest,
): Promise<SimilarPapersResponse> {
  const account = openAccount(deps, caller, searchCredits(request.k));
  const found = await relatedTo(deps, request).catch((error: unknown) => {
    deps.defer(account.settle(0));
    throw error;
  });
  const { papers, total, seeds, round, missing } = found;
  const own = new Set(seeds.map(openalexIdOf));
  const candidates = papers.filter((paper) => !own.has(openalexIdOf(paper)));
  const ranked = rank(candidates, seeds, request).slice(0, request.k);
  const creditsUsed = searchCredits(ranked.length);
  deps.defer(account.settle(creditsUsed));
  return {
    results: ranked.flatMap(({ paper, score, signals }) =>
      toPaperResult(paper, { score, sources: ["openalex"] }).map((result) => ({ ...result, signals })),
    ),
    poolSize: candidates.length,
    truncated: candidates.length > ranked.length || total > papers.length,
    ...(candidates.length === 0 ? { note: `OpenAlex knows no ${NOTES[request.mode]}.` } : {}),
    ...warningOf(
      round.gaps(),
      missing.length === 0 ? undefined : `Not in the graph of citations: ${missing.join(", ")}.`,
    ),
    creditsUsed,
  };
}

const NOTES: Record<Relation, string> = {
  similar: "papers that are related to these",
  citers: "papers that cite these",
  references: "papers that these cite",
};

interface Related {
  papers: Paper[];
  total: number;
  seeds: Paper[];
  round: SourceRound;
  /** Seeds that the graph does not have. */
  missing: string[];
}

async function relatedTo(deps: PaperDeps, { seeds: texts, mode, k }: SimilarPapersRequest): Promise<Related> {
  const ids = texts.map((text) => {
    const id = parsePaperId(text);
    if (id === undefined) throw unknownForm(text);
    return id;
  });
  const source = sourcesOf(deps).find(({ related }) => related !== undefined);
  const round = await SourceRound.open(deps, TIMEOUT_MS);
  if (source?.related === undefined) throw round.failure();
  const { name, related } = source;
  const graph = { ...deps, paperSources: [source] };
  const seeds = await Promise.all(ids.map((id) => lookUp(graph, id, round)));
  const works = seeds.flatMap((seed) => (seed === undefined ? [] : (openalexIdOf(seed) ?? [])));
  const missing = texts.filter((_, index) => seeds[index] === undefined);
  if (works.length === 0 && round.gaps() !== undefined) throw round.failure();
  if (works.length === 0) throw new AppError("NOT_FOUND", `No source has a paper with the id ${texts.join(", ")}.`);
  const limit = Math.min(MAX_POOL, Math.max(k, 100));
  const ask = (deadlineMs: number) => related(works, { relation: mode, limit, deadlineMs });
  const answer = await round.ask(name, ask);
  if (answer === undefined) throw round.failure();
  return { ...answer, seeds: seeds.filter((seed) => seed !== undefined), round, missing };
}

interface Ranked {
  paper: Paper;
  score: number;
  signals: PaperSignals;
}

/** Merges the order of the graph and that of the intent by reciprocal ranks. */
function rank(papers: readonly Paper[], seeds: readonly Paper[], { intent, rerank }: SimilarPapersRequest): Ranked[] {
  const words = [...new Set(withoutStopWords(wordsOf(intent)))];
  const candidates = papers.map((paper) => ({ paper, signals: signalsOf(paper, seeds, words) }));
  const byIntent = candidates.toSorted((left, right) => right.signals.semantic - left.signals.semantic);
  const ranks = new Map(byIntent.map((candidate, index) => [candidate, index]));
  return candidates
    .map((candidate, index) => {
      const graphGain = 1 / (RANK_OFFSET + index + 1);
      // The intent counts double: the order of the graph does not know it.
      const intentGain = rerank ? 2 / (RANK_OFFSET + (ranks.get(candidate) ?? 0) + 1) : 0;
      return { ...candidate, score: graphGain + intentGain };
    })
    .toSorted((left, right) => right.score - left.score);
}

function signalsOf(paper: Paper, seeds: readonly Paper[], words: readonly string[]): PaperSignals {
  const text = new Set(wordsOf(`${paper.title} ${paper.abstract}`));
  const shared = words.filter((word) => text.has(word)).length;
  const id = openalexIdOf(paper) ?? "";
  const linked = seeds.filter(
    (seed) => paper.references?.includes(openalexIdOf(seed) ?? "") === true || seed.references?.includes(id) === true,
  ).length;
  return {
    structural: linked,
    semantic: words.length === 0 ? 0 : shared / words.length,
    articleRank: Math.log10(1 + (paper.citations ?? 0)),
    seedOverlap: linked,
  };
}
