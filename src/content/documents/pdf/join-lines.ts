import { escapeHtml, emphasize, link } from "../html/html-text.ts";
import type { TextRun } from "./text-run.ts";
import { needsSpace } from "./text-run.ts";
import { MAX_WORD_LENGTH, type Vocabulary } from "./vocabulary.ts";
import { inRaisedLetters, isRaised } from "./writing/raised-signs.ts";

const CJK = /[\u2E80-\u9FFF\uF900-\uFAFF\uFF00-\uFFEF\uAC00-\uD7AF]/;

/** Letters of Thai, Lao, Burmese and Khmer, which have no spaces between words either. */
const SOUTH_EAST_ASIAN = /[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF]/;

const HYPHEN_END = /[\p{L}\p{N}][-\u2010]$/u;
/** Marks of addresses, within which a hyphen is no division. */
const ADDRESS = /:\/\/|^www\.|@/;
/** A longer stretch without a space is looked at in part. */
const MAX_TOKEN_LENGTH = 200;
/** Words behind a hyphen that stands for the rest of a compound, as in `short- and long-term`; no word is divided before them. */
const AFTER_PART = /^(?:and|und|oder|bis|sowie|bzw|[yoe])(?![\p{L}-])/u;
/** Such words that are syllables too: they follow a part when the next word is a compound with a hyphen. */
const BEFORE_COMPOUND = /^(?:or|to|en|of|et|ou) +\p{L}+-\p{L}/u;

/** Leader dots from an entry to its page number, where white space is one space. */
const LEADERS = /(?: ?\.){5,} ?/g;

/** A word of a compound between two hyphens. */
const COMPOUND = /\p{L}-\p{L}+-$/u;

interface Piece {
  text: string;
  isBold: boolean;
  isItalic: boolean;
  href: string | undefined;
  /** Set for a raised sign without letters that are raised themselves. */
  isRaised?: boolean;
}

/**
 * Joins lines into running text: hyphenated words are joined, lines of scripts without spaces are put together without one, and signs of notes and
 * exponents are raised. Each line is processed alone, as a paragraph may run over hundreds of pages.
 */
export function joinLines(lines: readonly (readonly TextRun[])[], words: Vocabulary): Piece[] {
  const pieces: Piece[] = [];
  for (const runs of lines) {
    const last = pieces.at(-1);
    if (last !== undefined) last.text = joined(last.text, runs[0]?.text ?? "", words);
    let previous: TextRun | undefined;
    /** The last run that is not raised. */
    let before: TextRun | undefined;
    const own: Piece[] = [];
    for (const [at, run] of runs.entries()) {
      // A sign that begins a line is of the note behind it.
      const isBehindSign = previous !== undefined && before === undefined;
      const hasSpaceBefore = previous !== undefined && (isBehindSign || needsSpace(previous, run));
      const raised = isRaised(run, { before, after: runs[at + 1] });
      const letters = raised ? inRaisedLetters(run.text) : run.text;
      const { isBold, isItalic, href } = run;
      const piece: Piece = { text: letters ?? run.text, isBold, isItalic, href };
      if (letters === undefined) own.push({ ...piece, text: hasSpaceBefore ? " " : "" }, { ...piece, isRaised: true });
      else own.push({ ...piece, text: (hasSpaceBefore ? " " : "") + piece.text });
      previous = run;
      if (!raised) before = run;
    }
    // A hyphen may be a run of its own, so that the end of a line is looked at as a whole.
    for (const piece of mergeAlike(own)) pieces.push(piece);
  }
  return mergeAlike(pieces);
}

/** Returns pieces as HTML; `plain` leaves bold and italic out, as in headings. */
export function piecesToHtml(pieces: readonly Piece[], style: "plain" | "rich"): string {
  return pieces
    .map((piece) => {
      const text = escapeHtml(tidy(piece.text));
      const marked = style === "rich" ? emphasize(text, { bold: piece.isBold, italic: piece.isItalic }) : text;
      return link(piece.href, piece.isRaised === true ? `<sup>${marked.trim()}</sup>` : marked);
    })
    .join("")
    .trim();
}

export function piecesToText(pieces: readonly Piece[]): string {
  return tidy(pieces.map((piece) => piece.text).join("")).trim();
}

/** Returns text without soft hyphens, with single spaces, and with an ellipsis for leaders. */
function tidy(text: string): string {
  return text.replaceAll("\u00ad", "").replace(/\s+/g, " ").replace(LEADERS, " … ");
}

function mergeAlike(pieces: readonly Piece[]): Piece[] {
  const merged: { first: Piece; texts: string[] }[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (last !== undefined && isAlike(last.first, piece)) last.texts.push(piece.text);
    else merged.push({ first: piece, texts: [piece.text] });
  }
  return merged.map(({ first, texts }) => Object.assign(first, { text: texts.join("") }));
}

function isAlike(one: Piece, other: Piece): boolean {
  return (
    one.isBold === other.isBold &&
    one.isItalic === other.isItalic &&
    one.href === other.href &&
    one.isRaised === other.isRaised
  );
}

/** Returns the end of a line, ready for the start of the next one to be appended. */
function joined(end: string, start: string, words: Vocabulary): string {
  // Browsers write the soft hyphen, and the hyphen that shows it.
  const trimmed = end.trimEnd().replace(/\u00AD[-\u2010]?$/u, "\u00AD");
  if (trimmed.endsWith("\u00ad")) return trimmed.slice(0, -1);
  if (HYPHEN_END.test(trimmed.slice(-2)) && isInAddress(trimmed, start)) return trimmed;
  if (HYPHEN_END.test(trimmed.slice(-2)) && isPartOfCompound(trimmed, start, words)) return `${trimmed} `;
  const [, before, hyphen] = /(\p{L}+)([-\u2010])$/u.exec(trimmed.slice(-MAX_WORD_LENGTH)) ?? [];
  const after = /^\s*(\p{Ll}+)/u.exec(start)?.[1];
  const apart = /(\p{L}+) ([-\u2010])$/u.exec(trimmed.slice(-MAX_WORD_LENGTH))?.[1];
  if (apart !== undefined && after !== undefined && isOneWord(apart, after, words)) return trimmed.slice(0, -2);
  if (before !== undefined && after !== undefined) {
    const parts = [before.toLowerCase(), after.toLowerCase()] as const;
    // Authors type the plain hyphen; programs that divide words write the other one.
    const keepsHyphen = hyphen === "-" ? words.isCompound(...parts) : words.hasCompound(...parts);
    // The last part of a compound of three, as in `state-of-the-art`, may be divided itself.
    if (!keepsHyphen && COMPOUND.test(trimmed.slice(-MAX_WORD_LENGTH)) && words.has(parts[0])) return trimmed;
    return keepsHyphen ? trimmed : trimmed.slice(0, -1);
  }
  if (/[\p{L}\p{N}][-\u2010/]$/u.test(trimmed) && /^\s*[\p{L}\p{N}]/u.test(start)) return trimmed;
  if (isWordEnd(trimmed, start.trimStart(), words)) return `${trimmed} `;
  const isWithoutSpaces = [CJK, SOUTH_EAST_ASIAN].some(
    (letters) => letters.test(trimmed.at(-1) ?? "") && letters.test(start.trimStart()[0] ?? ""),
  );
  return isWithoutSpaces ? trimmed : `${trimmed} `;
}

/** Reports whether a web or mail address goes on over the end of a line. */
function isInAddress(end: string, start: string): boolean {
  const last = end.slice(-MAX_TOKEN_LENGTH).split(/\s/).at(-1) ?? "";
  const first = start.trimStart().slice(0, MAX_TOKEN_LENGTH).split(/\s/)[0] ?? "";
  return ADDRESS.test(last) || first.includes("@");
}

/** Reports whether the hyphen at the end of a line stands for the rest of a compound that is written further on. */
function isPartOfCompound(end: string, start: string, words: Vocabulary): boolean {
  const next = start.trimStart().slice(0, MAX_WORD_LENGTH);
  if (!AFTER_PART.test(next) && !BEFORE_COMPOUND.test(next)) return false;
  const before = /\p{L}+(?=.$)/u.exec(end.slice(-MAX_WORD_LENGTH))?.[0] ?? "";
  const after = /^\p{L}+/u.exec(next)?.[0] ?? "";
  return !words.has((before + after).toLowerCase());
}

/**
 * Reports whether a hyphen that stands apart divides a word, and is no dash: lines that are stretched to the width of their
 * column have gaps at their hyphens too.
 */
function isOneWord(before: string, after: string, words: Vocabulary): boolean {
  return words.has((before + after).toLowerCase()) || !words.has(before.toLowerCase());
}

/**
 * Reports whether a word of Korean ends with a line. Korean has spaces between words, and lines may end within them: a word that
 * is known from within other lines is a whole one, unless it is known together with the start of the next line.
 */
function isWordEnd(end: string, start: string, words: Vocabulary): boolean {
  const before = /\p{Script=Hangul}+$/u.exec(end.slice(-MAX_WORD_LENGTH))?.[0];
  const after = /^\p{Script=Hangul}+/u.exec(start.slice(0, MAX_WORD_LENGTH))?.[0];
  if (before === undefined || after === undefined || words.has(before + after)) return false;
  return before.length > 1 && words.has(before);
}
