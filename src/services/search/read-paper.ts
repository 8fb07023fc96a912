import { plainText } from "../../content/text/plain-text.ts";
import { ownerOf } from "../../core/fair-order.ts";
import { isAppError } from "../../core/errors.ts";
import type { Paper } from "../../search/papers/paper.ts";
import type { Payer } from "../deps.ts";
import { pageText, type PageTextDeps } from "./page-text.ts";
import { findPaper, sourcesOf, toPaperFields, warningOf, type PaperDeps, type PaperFields } from "./papers.ts";
import type { SourceRound } from "./source-round.ts";

/** Credits of one paper, with or without passages. */
export const PAPER_CREDITS = 1;

export interface PaperResponse {
  paper: PaperFields;
  /** With a question: passages of the paper's text, best first. */
  passages?: { text: string; score: number }[];
  warning?: string;
}

const PASSAGE_CHARS = 1_200;
/** Addresses of a paper's text that are tried. */
const MAX_ADDRESSES = 3;
const READ_TIMEOUT_MS = 25_000;
/** Time for the passages of a text that was read, with the wait for a process that finds them. */
const PASSAGES_TIMEOUT_MS = 25_000;

/**
 * Returns what the sources say of a paper, and with a question the passages of its text that answer it best.
 * @throws AppError as `findPaper` does. A text that cannot be read, or not in time, is no error: `passages` is then empty, and
 * `warning` says so.
 */
export async function readPaper(
  deps: PaperDeps & PageTextDeps,
  caller: Payer,
  { id, query, k }: { id: string; query?: string | undefined; k: number },
): Promise<PaperResponse> {
  const deadlineMs = deps.clock.now() + READ_TIMEOUT_MS;
  const { paper, round } = await findPaper(deps, id);
  // A paper that was found has the id that it was found by.
  const fields = toPaperFields(paper) ?? { paperId: id, ids: {}, title: paper.title, abstract: paper.abstract };
  if (query === undefined) return { paper: fields, ...warningOf(round.gaps()) };
  const text = await readText(deps, { caller, paper, round, deadlineMs });
  if (text === undefined) {
    const why = "The full text of this paper could not be read at any of the addresses that the sources name.";
    return { paper: fields, passages: [], ...warningOf(round.gaps(), why) };
  }
  const waitLimit = { deadlineMs: deps.clock.now() + PASSAGES_TIMEOUT_MS, left: deps.clientLeft };
  const wanted = { text, query, count: k, maxChars: PASSAGE_CHARS };
  const passages = await deps.textTasks(ownerOf(caller.key), waitLimit)("passages", wanted).catch(unlessLate);
  if (passages === undefined) {
    const why = "The full text of this paper could not be searched in time.";
    return { paper: fields, passages: [], ...warningOf(round.gaps(), why) };
  }
  const nothing = passages.length === 0 ? "No passage of this paper has any word of the question." : undefined;
  return {
    paper: fields,
    passages: passages.map(({ text: passage, score }) => ({ text: passage, score })),
    ...warningOf(round.gaps(), nothing),
  };
}

/** Returns undefined for work that was not done in time. @throws every other error */
function unlessLate(error: unknown): undefined {
  if (!isAppError(error) || error.code !== "SCRAPE_TIMEOUT") throw error;
}

interface Reading {
  caller: Payer;
  paper: Paper;
  round: SourceRound;
  deadlineMs: number;
}

/** Reads the text from a source that has it itself, otherwise from the addresses that the sources name. */
async function readText(
  deps: PaperDeps & PageTextDeps,
  { caller, paper, round, deadlineMs }: Reading,
): Promise<string | undefined> {
  for (const { name, readText: read } of sourcesOf(deps)) {
    if (read === undefined) continue;
    const text = await round.ask(name, (sourceDeadlineMs) => read(paper, sourceDeadlineMs));
    if (text !== undefined && text !== "") return text;
  }
  for (const url of paper.fullTextUrls.slice(0, MAX_ADDRESSES)) {
    if (deps.clock.now() >= deadlineMs) return undefined;
    const markdown = await pageText(deps, url, { deadlineMs, keep: true, owner: ownerOf(caller.key) });
    if (markdown !== undefined && markdown.trim() !== "") return plainText(markdown);
  }
  return undefined;
}
