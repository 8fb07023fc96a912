import type { SearchTerm, SearchTerms } from "../../core/search/search-query.ts";
import { withoutStopWords } from "../../core/search/stop-words.ts";
import { wordsOf } from "../../core/search/words.ts";
import type { PageQuery } from "../../ports/search/page-index.ts";
import { fileTypeMark, languageMark, rangeMarks, siteMark } from "./page-marks.ts";

/** How strictly words are matched: all of them as they are, or any of them, also as the beginning of longer ones. */
export type Strictness = "all" | "any";

const NO_LANGUAGE = languageMark("none");
const PREFIX_CHARS = 4;
const MAX_WORDS = 32;
/** Ranges that go further are left to the row's own date. */
const MAX_RANGE_MS = 12 * 366 * 86_400_000;

/**
 * The MATCH expression of a query (SQLite FTS5 § 3). Words are quoted, so that nothing of a caller's is read as syntax.
 * @returns undefined when nothing is looked for.
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

function wordExpression({ groups }: SearchTerms, strictness: Strictness): string | undefined {
  if (strictness === "any") return anyOf(groups.flat());
  const alternatives = groups.filter((group) => group.length > 1 || group.some(({ isPhrase }) => isPhrase));
  const single = groups.filter((group) => !alternatives.includes(group)).flat();
  const words = withoutStopWords(single.flatMap(({ text }) => wordsOf(text)));
  // A common word says nothing beside a phrase or another word.
  const parts = [
    ...alternatives.flatMap((group) => {
      const terms = group.flatMap(quoted);
      return terms.length < 2 ? terms : [`(${terms.join(" OR ")})`];
    }),
    ...[...new Set(words)].map(quote),
  ].slice(0, MAX_WORDS);
  return parts.length === 0 ? undefined : parts.join(" AND ");
}

/** Phrases stay as they are: whoever sets quotes wants just that. */
function anyOf(terms: readonly SearchTerm[]): string | undefined {
  const phrases = terms.filter(({ isPhrase }) => isPhrase).flatMap(quoted);
  const words = terms.filter(({ isPhrase }) => !isPhrase).flatMap(({ text }) => wordsOf(text));
  const loose = [...new Set(withoutStopWords(words))].slice(0, MAX_WORDS).map(beginning);
  if (phrases.length === 0) return loose.length === 0 ? undefined : loose.join(" OR ");
  return phrases.join(" AND ") + (loose.length === 0 ? "" : ` AND (${loose.join(" OR ")})`);
}

/** An English word is also looked for without the ending of its plural or verb. */
function beginning(word: string): string {
  const stem = /^[a-z]{5,}$/.test(word) ? word.replace(/(?:ies|es|s|ing|ed|y)$/, "") : word;
  return stem.length >= PREFIX_CHARS && /^[\p{L}]+$/u.test(stem) ? `${quote(stem)} *` : quote(word);
}

/** A term as FTS5 takes it; one of several words is a phrase. */
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
    // A site with a path is left out row by row: the mark of its host would take too much.
    excluded: anyMark(terms.excludedSites.filter((site) => !site.includes("/")).map(siteMark)),
  };
}
