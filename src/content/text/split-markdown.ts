import { WorkBudget } from "../../core/work-budget.ts";
import { countTokens, type Tokenizer } from "./count-tokens.ts";

/** A passage of a Markdown text. */
export interface Passage {
  /** Offsets in UTF-16 code units; `end` is the one after the last character. */
  start: number;
  end: number;
  /** Headings above the passage, the outermost first. */
  headings: string[];
  tokens: number;
}

export interface SplitOptions {
  /** Most tokens of a passage. A word that is longer becomes a passage of its own. */
  maxTokens: number;
  /** Tokens of the end of a passage that the next one of the same section repeats, at most. */
  overlapTokens: number;
  tokenizer: Tokenizer;
}

/** A block that is not divided unless it is too long: a paragraph, a list item, a table's row, a code block's line. */
interface Block {
  start: number;
  end: number;
  tokens: number;
}

interface Section {
  headings: string[];
  blocks: Block[];
}

const HEADING = /^#{1,6}(?=[ \t])/;
/** A fence can begin in a list item. */
const FENCE = /^[ \t]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}){0,8}(`{3,}|~{3,})/;
const MAX_HEADING = 300;
/** Characters of a line that are read in the time of a step. */
const CHARS_PER_STEP = 4;

/**
 * Splits Markdown into passages for retrieval: each belongs to one section, and ends at the end of a block, or of a line,
 * a sentence or a word where a block is longer than a passage may be. Together the passages hold every block of the text
 * in order. Linear in the length of the text. The text beyond the budget is left out, and named in it.
 */
export function splitMarkdown(markdown: string, options: SplitOptions, budget = new WorkBudget()): Passage[] {
  return sectionsOf(markdown, options, budget).flatMap((section) => passagesOf(markdown, section, options));
}

/** Divides the text at its headings. A heading without text of its own belongs to the section below it. */
function sectionsOf(markdown: string, { tokenizer }: SplitOptions, budget: WorkBudget): Section[] {
  const sections: Section[] = [];
  const levels: { level: number; title: string }[] = [];
  let current: Section = { headings: [], blocks: [] };
  let isOnlyHeadings = true;
  let block: { start: number; end: number } | undefined;
  let fence: string | undefined;
  const close = (): void => {
    if (block !== undefined) {
      current.blocks.push({ ...block, tokens: countTokens(markdown.slice(block.start, block.end), tokenizer) });
      block = undefined;
    }
  };
  for (const { start, end } of linesOf(markdown)) {
    if (!budget.take(1 + Math.ceil((end - start) / CHARS_PER_STEP))) {
      budget.cut("chunks");
      break;
    }
    const line = markdown.slice(start, end);
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) === true && isOnlyMark(line, mark)) fence = undefined;
    const hashes = fence === undefined && mark === undefined ? HEADING.exec(line)?.[0] : undefined;
    if (hashes !== undefined) {
      close();
      if (!isOnlyHeadings) {
        sections.push(current);
        current = { headings: [], blocks: [] };
        isOnlyHeadings = true;
      }
      const level = hashes.length;
      while ((levels.at(-1)?.level ?? 0) >= level) levels.pop();
      levels.push({ level, title: plain(line.slice(level)) });
      current.headings = levels.map(({ title }) => title);
      block = { start, end };
      close();
      continue;
    }
    if (fence === undefined && mark === undefined && !/\S/.test(line)) {
      close();
      continue;
    }
    isOnlyHeadings = false;
    block = { start: block?.start ?? start, end };
  }
  close();
  if (current.blocks.length > 0) sections.push(current);
  return sections;
}

function* linesOf(text: string): Generator<{ start: number; end: number }> {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const next = found === -1 ? text.length : found;
    yield { start, end: text[next - 1] === "\r" && next > start ? next - 1 : next };
    start = next + 1;
  }
}

/** True for a line of a fence alone, which can close a block of code. */
function isOnlyMark(line: string, mark: string): boolean {
  return line.slice(line.indexOf(mark) + mark.length).trim() === "";
}

/** The words of a heading, without the number signs at its end and the marks of links and emphasis. */
function plain(heading: string): string {
  let end = heading.trimEnd().length;
  while (heading[end - 1] === "#") end--;
  return heading
    .slice(0, end)
    .trim()
    .slice(0, MAX_HEADING)
    .replace(/!?\[([^\]]{0,300})\]\([^)]{0,300}\)/g, "$1")
    .replace(/[*`]|\\(?=[!-/:-@[-`{-~])/g, "")
    .trim();
}

/** Joins the blocks of a section into passages. */
function passagesOf(markdown: string, { headings, blocks }: Section, options: SplitOptions): Passage[] {
  const { maxTokens, overlapTokens } = options;
  const pieces = blocks.flatMap((block) => (block.tokens <= maxTokens ? [block] : divide(markdown, block, options)));
  const tokensFrom = tokenSums(markdown, pieces, options.tokenizer);
  const passages: Passage[] = [];
  let first = 0;
  for (const [last, { end }] of pieces.entries()) {
    const next = last + 1;
    if (next < pieces.length && tokensFrom(first, next) <= maxTokens) continue;
    passages.push({ start: pieces[first]?.start ?? 0, end, headings, tokens: Math.ceil(tokensFrom(first, last)) });
    // Pieces at the end of this passage are repeated where the next one has room for them.
    let start = next;
    const fits = (piece: number): boolean =>
      piece > first && tokensFrom(piece, last) <= overlapTokens && tokensFrom(piece, next) <= maxTokens;
    while (next < pieces.length && fits(start - 1)) start--;
    first = start;
  }
  return passages;
}

/** Returns a function for the tokens from the start of one piece to the end of another, white space between them included. */
function tokenSums(
  markdown: string,
  pieces: readonly Block[],
  tokenizer: Tokenizer,
): (first: number, last: number) => number {
  const untilEnd = new Float64Array(pieces.length);
  let sum = 0;
  let before = pieces[0]?.start ?? 0;
  for (const [index, { start, end, tokens }] of pieces.entries()) {
    sum += countTokens(markdown.slice(before, start), tokenizer) + tokens;
    untilEnd[index] = sum;
    before = end;
  }
  return (first, last) => (untilEnd[last] ?? 0) - (untilEnd[first] ?? 0) + (pieces[first]?.tokens ?? 0);
}

/** Divides a block that is too long: at line ends, else after sentences, else between words, else anywhere. */
function divide(markdown: string, block: Block, { maxTokens, tokenizer }: SplitOptions): Block[] {
  const pieces: Block[] = [];
  const text = markdown.slice(block.start, block.end);
  for (let start = 0; start < text.length;) {
    let tokens = 0;
    let line = 0;
    let sentence = 0;
    let word = 0;
    let end = start;
    for (; end < text.length; end++) {
      const more = countTokens(text.charAt(end), tokenizer);
      if (tokens + more > maxTokens && end > start) break;
      tokens += more;
      const char = text.charAt(end);
      if (char === "\n") line = end + 1;
      else if (char === " ") {
        word = end + 1;
        if (/[.!?…:;]/.test(text.charAt(end - 1))) sentence = end + 1;
      } else if (/[。！？]/.test(char)) sentence = end + 1;
    }
    // A break in the first half would make small pieces.
    const half = start + (end - start) / 2;
    const at = end >= text.length ? end : ([line, sentence, word].find((place) => place > half) ?? whole(text, end));
    const piece = trimmed(markdown, block.start + start, block.start + at);
    if (piece.end > piece.start) {
      pieces.push({ ...piece, tokens: countTokens(markdown.slice(piece.start, piece.end), tokenizer) });
    }
    start = at;
  }
  return pieces;
}

/** Returns an offset that does not divide a surrogate pair. */
function whole(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code < 0xe000 && offset > 1 ? offset - 1 : offset;
}

function trimmed(text: string, start: number, end: number): { start: number; end: number } {
  while (start < end && /\s/.test(text.charAt(start))) start++;
  while (end > start && /\s/.test(text.charAt(end - 1))) end--;
  return { start, end };
}
