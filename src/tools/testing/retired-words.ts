import { lineOf, syntaxNodes } from "./syntax-tree.ts";

/** A word that the glossary retired, and the place where a text still has it. */
export interface RetiredWordUse {
  /** Counted from 1. */
  line: number;
  word: string;
  /** The glossary's term for it. */
  instead: string;
}

/** One row of the glossary: a retired word and the term that replaced it. */
export interface RetiredWord {
  word: string;
  term: string;
  /** True for a word of plain English that is retired as a part of names only. */
  inNames: boolean;
}

const ROW = /^\|(?<term>[^|]+)\|[^|]+\|(?<retired>[^|]*)\|\s*$/;
/** A retired word; `in names` behind it retires it as a part of identifiers only. */
const QUOTED_WORD = /`([^`]+)`(?<inNames> in names)?/g;
/** The first word of a comment: of a line comment, of a block comment, or of a line that continues one. */
const QUESTION_START = /^\s*(?:\/\*\*?|\*|\/\/)\s+(?:What|Whether|Who)\b/;

/** Reads the words of the "do not use" column of every table in `glossary`, a Markdown text. */
export function retiredWordsOf(glossary: string): RetiredWord[] {
  return glossary.split("\n").flatMap((line) => {
    const { term = "", retired = "" } = ROW.exec(line)?.groups ?? {};
    return [...retired.matchAll(QUOTED_WORD)].map(({ 1: word = "", groups }) => ({
      word,
      term: term.trim(),
      inNames: groups?.["inNames"] !== undefined,
    }));
  });
}

/**
 * Finds retired words in a text. A word in lower case matches in any case, one with a capital letter only as it is
 * written; neither matches inside a longer word.
 */
export function findRetiredWords(text: string, words: readonly RetiredWord[]): RetiredWordUse[] {
  const patterns = words
    .filter(({ inNames }) => !inNames)
    .map(({ word, term }) => ({ pattern: patternOf(word), term }));
  return text.split("\n").flatMap((content, index) => {
    const line = index + 1;
    return patterns.flatMap(({ pattern, term }) => {
      const found = pattern.exec(content);
      return found === null ? [] : [{ line, word: found[0], instead: term }];
    });
  });
}

/**
 * Finds names in a text of TypeScript that contain a word which is retired in names: `turn` in `turnId` and `lastTurn`,
 * but not in `returned`.
 */
export function findRetiredNames(path: string, text: string, words: readonly RetiredWord[]): RetiredWordUse[] {
  const terms = new Map(words.flatMap(({ word, term, inNames }) => (inNames ? [[word, term]] : [])));
  // Parsing takes long; most files contain none of the words as a part of anything.
  const mayOccur = [...terms.keys()].some((word) => new RegExp(String.raw`(?<![a-z])${word}(?![a-z])`, "i").test(text));
  const mayBeInside = [...terms.keys()].some((word) => text.includes(word.charAt(0).toUpperCase() + word.slice(1)));
  if (!mayOccur && !mayBeInside) return [];
  return syntaxNodes(path, text).flatMap(({ type, start, name }) => {
    if ((type !== "Identifier" && type !== "PrivateIdentifier") || typeof name !== "string") return [];
    const retired = wordsOfName(name).find((word) => terms.has(word));
    return retired === undefined ? [] : [{ line: lineOf(text, start), word: name, instead: terms.get(retired) ?? "" }];
  });
}

/** Splits a name in camel case or with underscores into its words, in lower case. */
function wordsOfName(name: string): string[] {
  const words = name.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/);
  return words.map((word) => word.toLowerCase());
}

/** Returns the lines, counted from 1, of comments that begin with a question word instead of a verb or a noun phrase. */
export function questionStarts(text: string): number[] {
  return text.split("\n").flatMap((line, index) => (QUESTION_START.test(line) ? [index + 1] : []));
}

function patternOf(word: string): RegExp {
  const escaped = word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
  const flags = word === word.toLowerCase() ? "iu" : "u";
  return new RegExp(String.raw`(?<![\w-])${escaped}(?![\w-])`, flags);
}
