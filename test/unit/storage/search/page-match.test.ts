import { describe, expect, test } from "vitest";
import { parseSearchQuery } from "../../../../src/core/search/search-query.ts";
import { matchExpression, type Strictness } from "../../../../src/storage/search/page-match.ts";

const WORDS = Array.from({ length: 500 }, (_, index) => `w${index.toString(16)}x`);
const matched = (query: string, strictness: Strictness): string[] =>
  matchExpression({ terms: parseSearchQuery(query), limit: 10, indexedAfterMs: 0 }, strictness)?.match(/"[^"]*"/g) ??
  [];

describe.each(["all", "any"] as const)("matching %s of a query of 500 words", (strictness) => {
  test.each([
    { why: "words", query: WORDS.join(" ") },
    { why: "alternatives", query: WORDS.join(" OR ") },
    { why: "pairs of alternatives", query: WORDS.map((word, at) => (at % 2 === 0 ? word : `OR ${word}`)).join(" ") },
    { why: "phrases", query: WORDS.map((word) => `"${word} ${word}"`).join(" ") },
  ])("of $why takes the first 32", ({ query }) => {
    const terms = matched(query, strictness);
    expect(terms).toHaveLength(32);
    expect(terms[0]).toContain("w0x");
    expect(terms[31]).toContain("w1fx");
  });
});
