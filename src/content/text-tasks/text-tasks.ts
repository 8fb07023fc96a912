import type { TextDiff } from "../../core/scrape/change-tracking.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";
import type { Menu } from "../../core/scrape/menu.ts";
import { sha256Hex } from "../../core/text/hash.ts";
import { WorkBudget } from "../../core/work-budget.ts";
import { answerByRules, highlightByRules, type AskedPage, type RuledAnswer } from "../answers/answer-by-rules.ts";
import { findPassages, type PassageOptions } from "../answers/find-passages.ts";
import { readSitemap, type Sitemap } from "../crawling/sitemap.ts";
import { scanPage, type ScannedPage } from "../html/scan-page.ts";
import { QuotedText } from "../structured-data/evidence/locate-quote.ts";
import { checkProvenance, type Claim } from "../structured-data/evidence/provenance.ts";
import type { MenuSource } from "../structured-data/products/menu-source.ts";
import { readMenu } from "../structured-data/products/menus.ts";
import { decodeBody } from "../text/charset.ts";
import { chunkMarkdown } from "../text/chunk-markdown.ts";
import { bestPassages, type Passage } from "../text/passages.ts";
import { countPhoneDigits } from "../text/pii/find-contacts.ts";
import { redactPii, type RedactOptions } from "../text/pii/redact-pii.ts";
import { plainText } from "../text/plain-text.ts";
import { findPromptInjection } from "../text/prompt-injection.ts";
import { centralPassages } from "../text/summarise.ts";
import { compareTexts, diffTexts, mostComparisons, type ComparedTexts } from "../text/text-changes.ts";

interface Query {
  text: string;
  query: string;
}

interface Choice {
  count: number;
  maxChars: number;
}

/** A page whose texts are searched for quotes. */
export interface QuotedSource {
  url: string;
  markdown: string;
  /** HTML source; empty for documents that are not text. */
  source: string;
}

/**
 * Work on texts that takes time in proportion to their length. Arguments and results are plain data, so that a task on
 * a large text can run in another isolate.
 */
export const TEXT_TASKS = {
  /** @throws AppError `SCRAPE_WORK_LIMIT` when the budget is spent. */
  redact: ({ texts, options }: { texts: readonly string[]; options: RedactOptions }, budget: WorkBudget): string[] =>
    texts.map((text) => redactPii(text, options, budget)),

  compare: (input: { previous: string; current: string; withDiff: boolean }, budget: WorkBudget): ComparedTexts =>
    compareTexts(input, budget),

  diff: (
    { previous, current }: { previous: string; current: string },
    budget: WorkBudget,
  ): { diff: TextDiff; isCut: boolean } => diffTexts(previous, current, budget),

  passages: ({ text, query, ...choice }: Query & Choice, budget: WorkBudget): Passage[] =>
    bestPassages(text, query, { ...choice, budget }),

  /** Passages of the words of a markdown text. */
  plainPassages: ({ text, query, ...choice }: Query & Choice, budget: WorkBudget): Passage[] =>
    bestPassages(plainText(text), query, { ...choice, budget }),

  distinctPassages: (
    { text, query, ...choice }: Query & Omit<PassageOptions, "budget">,
    budget: WorkBudget,
  ): Passage[] => findPassages(text, query, { ...choice, budget }),

  centralPassages: (
    { text, title, ...choice }: { text: string; title: string } & Choice,
    budget: WorkBudget,
  ): Passage[] => centralPassages(text, title, { ...choice, budget }),

  highlights: ({ text, title, query }: { text: string; title: string; query: string }, budget: WorkBudget): Passage[] =>
    highlightByRules({ text, title }, query, budget),

  /** The pages are in the order in which they are searched. */
  evidence: async (
    { value, claims, pages }: { value: unknown; claims: readonly Claim[]; pages: readonly QuotedSource[] },
    budget: WorkBudget,
  ): Promise<Evidence[]> => checkProvenance(value, claims, await Promise.all(pages.map(toQuotedPage)), budget),

  answer: ({ question, ...page }: AskedPage & { question: string }, budget: WorkBudget): RuledAnswer =>
    answerByRules(page, question, budget),

  chunks: (
    { text, ...options }: { text: string } & Parameters<typeof chunkMarkdown>[1],
    budget: WorkBudget,
  ): ReturnType<typeof chunkMarkdown> => chunkMarkdown(text, options, budget),

  menu: (source: MenuSource, budget: WorkBudget): Menu => readMenu(source, budget),

  promptInjection: ({ text }: { text: string }): string[] => findPromptInjection(text),

  links: ({
    body,
    contentType,
    url,
  }: {
    body: Uint8Array;
    contentType: string | undefined;
    url: string;
  }): ScannedPage => scanPage(decodeBody(body, contentType).text, url),

  sitemap: (
    { body, ...options }: { body: Uint8Array; contentType: string | undefined; maxBytes: number; maxUrls?: number },
    budget: WorkBudget,
  ): Promise<Sitemap> => readSitemap(body, { ...options, budget }),
};

export type TextTask = keyof typeof TEXT_TASKS;
export type TextTaskInput<Name extends TextTask> = Parameters<(typeof TEXT_TASKS)[Name]>[0];
export type TextTaskOutput<Name extends TextTask> = Awaited<ReturnType<(typeof TEXT_TASKS)[Name]>>;

/** Runs a task, in this isolate or in another one. @throws AppError as the task does */
export type RunTextTask = <Name extends TextTask>(
  name: Name,
  input: TextTaskInput<Name>,
  budget?: WorkBudget,
) => Promise<TextTaskOutput<Name>>;

/** Runs a task in this isolate. */
export async function runTextTaskHere<Name extends TextTask>(
  name: Name,
  input: TextTaskInput<Name>,
  budget = new WorkBudget(),
): Promise<TextTaskOutput<Name>> {
  const run = TEXT_TASKS[name] as (input: TextTaskInput<Name>, budget: WorkBudget) => unknown;
  return (await run(input, budget)) as TextTaskOutput<Name>;
}

async function toQuotedPage({
  url,
  markdown,
  source,
}: QuotedSource): Promise<Parameters<typeof checkProvenance>[2][0]> {
  const [markdownHash, sourceHash] = await Promise.all([sha256Hex(markdown), sha256Hex(source)]);
  return { url, markdown: new QuotedText(markdown), markdownHash, source: new QuotedText(source), sourceHash };
}

/** Work of a task relative to its bytes: scanning for links takes half of the work on text. */
const LINKS_SHARE = 0.5;
/** Times by which a packed file grows at most when it is unpacked: one of 100 bytes counts as large. */
const UNPACKED_SHARE = 1_030;
/** A comparison of two lines: two texts of 700 lines of which all differ count as large. */
const COMPARISON_SHARE = 0.2;
/** Work on a digit that may belong to a telephone number, as long as it is checked. */
const PHONE_DIGIT_SHARE = 30;

/** Returns the length of the texts of a task, weighted by their work; counts no further than `enough`. */
export function weightOf<Name extends TextTask>(name: Name, input: TextTaskInput<Name>, enough: number): number {
  if (!("body" in input)) {
    const length = lengthOf(input, enough);
    if (length >= enough) return length;
    if ("texts" in input) return length + weightOfDigits(input);
    if (!("previous" in input) || ("withDiff" in input && !input.withDiff)) return length;
    return length + mostComparisons(input.previous, input.current) * COMPARISON_SHARE;
  }
  const { body } = input;
  const isPacked = body[0] === 0x1f && body[1] === 0x8b;
  return body.byteLength * (name === "links" ? LINKS_SHARE : isPacked ? UNPACKED_SHARE : 1);
}

function weightOfDigits({ texts, options }: TextTaskInput<"redact">): number {
  if (!options.entities.includes("PHONE")) return 0;
  return texts.reduce((weight, text) => weight + countPhoneDigits(text) * PHONE_DIGIT_SHARE, 0);
}

function lengthOf(root: unknown, enough: number): number {
  const open: unknown[] = [root];
  let length = 0;
  while (open.length > 0 && length < enough) {
    const value = open.pop();
    if (typeof value === "string") length += value.length;
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) open.push(inner);
    else length++;
  }
  return length;
}
