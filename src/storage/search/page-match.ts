import type { SearchTerm, SearchTerms } from "../../core/search/search-query.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import type { PageQuery } from "../../ports/search/page-index.ts";
import { fileTypeMark, languageMark, rangeMarks, siteMark } from "./page-marks.ts";

/** Strictness of matching: all words exactly, or any word, also as the beginning of longer ones. */
export type Strictness = "all" | "any";

const NO_LANGUAGE = languageMark("none");
const PREFIX_CHARS = 4;
/** Words and phrases that are matched, those of alternatives included; the later ones of a longer query are not. */
const MAX_WORDS = 32;
/** Maximum range for date markers; longer ranges are filtered by the row's date. */
const MAX_RANGE_MS = 12 * 366 * 86_400_000;

/**
 * Returns the MATCH expression of a query (SQLite FTS5 § 3). Words are quoted, so that no caller's text is parsed as
 * syntax.
 * @returns undefined when the query has no terms.
 */
export function matchExpression(query: PageQuery, strictness: Strictness): string | undefined {
  const words = wordExpression(query.terms, strictness);
  const marks = markExpressions(query);
  const wanted = [...(words === undefined ? [] : [`{title address body} : (${words})`]), ...marks.wanted];
  if (wanted.length === 0) return undefined;
  const excludedWords = query.terms.excluded.flatMap((term) => quoted(term));
  const excluded = [
    ...(excludedWords.length === 0 ? [] : [`{title address body} : (${excludedWords.join(" OR ")})`]),
    ...marks.excluded,
  ];
  const all = wanted.map((part) => `(${part})`).join(" AND ");
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.map((part) => `(${part})`).join(" OR ")})`;
}

/** Returns the words and phrases by which matches are ranked, in the syntax of FTS5. */
export function rankedPhrases({ terms }: Pick<PageQuery, "terms">, strictness: Strictness): string[] {
  const all = terms.groups.flat();
  const words = withoutStopWords(all.filter(({ isPhrase }) => !isPhrase).flatMap(({ text }) => wordsOf(text)));
  const phrases = all.filter(({ isPhrase }) => isPhrase).flatMap(quoted);
  return [...phrases, ...[...new Set(words)].map(strictness === "all" ? quote : beginning)];
}

function wordExpression({ groups }: SearchTerms, strictness: Strictness): string | undefined {
  if (strictness === "any") return anyOf(groups.flat());
  const alternatives = groups.filter((group) => group.length > 1 || group.some(({ isPhrase }) => isPhrase));
  const single = groups.filter((group) => !alternatives.includes(group)).flat();
  const words = withoutStopWords(single.flatMap(({ text }) => wordsOf(text)));
  let left = MAX_WORDS;
  // Stop words are dropped beside a phrase or another word.
  const parts = [
    ...alternatives.flatMap((group) => {
      const terms = group.flatMap(quoted).slice(0, left);
      left -= terms.length;
      return terms.length < 2 ? terms : [`(${terms.join(" OR ")})`];
    }),
    ...[...new Set(words)].map(quote),
  ].slice(0, MAX_WORDS);
  return parts.length === 0 ? undefined : parts.join(" AND ");
}

/** Returns an expression that matches any term; quoted phrases are matched exactly. */
function anyOf(terms: readonly SearchTerm[]): string | undefined {
  const phrases = terms
    .filter(({ isPhrase }) => isPhrase)
    .flatMap(quoted)
    .slice(0, MAX_WORDS);
  const words = terms.filter(({ isPhrase }) => !isPhrase).flatMap(({ text }) => wordsOf(text));
  const loose = [...new Set(withoutStopWords(words))].slice(0, MAX_WORDS).map(beginning);
  if (phrases.length === 0) return loose.length === 0 ? undefined : loose.join(" OR ");
  return phrases.join(" AND ") + (loose.length === 0 ? "" : ` AND (${loose.join(" OR ")})`);
}

/** Returns a prefix expression of a word; English words also match without their plural or verb ending. */
function beginning(word: string): string {
  const stem = /^[a-z]{5,}$/.test(word) ? word.replace(/(?:ies|es|s|ing|ed|y)$/, "") : word;
  return stem.length >= PREFIX_CHARS && /^[\p{L}]+$/u.test(stem) ? `${quote(stem)} *` : quote(word);
}

/** Quotes a term for FTS5; several words form a phrase. */
function quoted({ text }: SearchTerm): string[] {
  const words = wordsOf(text);
  return words.length === 0 ? [] : [quote(words.join(" "))];
}

const quote = (text: string): string => `"${text.replaceAll('"', "")}"`;

function markExpressions(query: PageQuery): { wanted: string[]; excluded: string[] } {
  const { terms, language, fromMs, toMs } = query;
  const anyMark = (marks: string[]): string[] => (marks.length === 0 ? [] : [`marks : (${marks.join(" OR ")})`]);
  const hostOf = (site: string): string => siteMark(site.split("/", 1)[0] ?? site);
  const isRange = fromMs !== undefined && toMs !== undefined && toMs - fromMs <= MAX_RANGE_MS;
  return {
    wanted: [
      ...anyMark(terms.sites.map(hostOf)),
      ...anyMark(terms.fileTypes.map(fileTypeMark)),
      ...anyMark(language === undefined ? [] : [languageMark(language), NO_LANGUAGE]),
      ...anyMark(isRange ? rangeMarks(fromMs, toMs) : []),
    ],
    // A site with a path is excluded row by row: the marker of its host would exclude too much.
    excluded: anyMark(terms.excludedSites.filter((site) => !site.includes("/")).map(siteMark)),
  };
}
