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
}

const ROW = /^\|(?<term>[^|]+)\|[^|]+\|(?<retired>[^|]*)\|\s*$/;
const QUOTED_WORD = /`([^`]+)`/g;
/** The first word of a comment: of a line comment, of a block comment, or of a line that continues one. */
const QUESTION_START = /^\s*(?:\/\*\*?|\*|\/\/)\s+(?:What|Whether|Who)\b/;

/** Reads the words of the "do not use" column of every table in `glossary`, a Markdown text. */
export function retiredWordsOf(glossary: string): RetiredWord[] {
  return glossary.split("\n").flatMap((line) => {
    const { term = "", retired = "" } = ROW.exec(line)?.groups ?? {};
    return [...retired.matchAll(QUOTED_WORD)].map(([, word = ""]) => ({ word, term: term.trim() }));
  });
}

/**
 * Finds retired words in a text. A word in lower case matches in any case, one with a capital letter only as it is
 * written; neither matches inside a longer word.
 */
export function findRetiredWords(text: string, words: readonly RetiredWord[]): RetiredWordUse[] {
  const patterns = words.map(({ word, term }) => ({ pattern: patternOf(word), term }));
  return text.split("\n").flatMap((content, index) => {
    const line = index + 1;
    return patterns.flatMap(({ pattern, term }) => {
      const found = pattern.exec(content);
      return found === null ? [] : [{ line, word: found[0], instead: term }];
    });
  });
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
