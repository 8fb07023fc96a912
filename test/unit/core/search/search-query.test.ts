import { describe, expect, test } from "vitest";
import { isOnSite, parseSearchQuery, plainWords, toSite } from "../../../../src/core/search/search-query.ts";

describe("a query", () => {
  test.each([
    { query: "harbour bell", groups: [["harbour"], ["bell"]] },
    { query: '"harbour bell" ferry', groups: [["harbour bell"], ["ferry"]] },
    { query: "cats OR dogs food", groups: [["cats", "dogs"], ["food"]] },
    { query: "this AND that", groups: [["this"], ["that"]] },
    { query: "OR", groups: [] },
    { query: "or else", groups: [["or"], ["else"]] },
    { query: '"unfinished phrase', groups: [["unfinished phrase"]] },
    { query: "C++ well-known", groups: [["C++"], ["well-known"]] },
  ])("$query has its words in groups", ({ query, groups }) => {
    expect(parseSearchQuery(query).groups.map((group) => group.map(({ text }) => text))).toEqual(groups);
  });

  test("has its operators taken out", () => {
    const terms = parseSearchQuery(
      'tide -neap -"spring tide" site:https://www.Example.com/Docs/ -site:*.bad.example filetype:.PDF (site:a.example OR site:b.example)',
    );
    expect(terms).toEqual({
      groups: [[{ text: "tide", isPhrase: false }]],
      excluded: [
        { text: "neap", isPhrase: false },
        { text: "spring tide", isPhrase: true },
      ],
      sites: ["example.com/docs", "a.example", "b.example"],
      excludedSites: ["bad.example"],
      fileTypes: ["pdf"],
    });
    expect(plainWords(terms)).toBe("tide");
  });
});

test.each([
  { site: "example.com", url: "https://www.example.com/a", is: true },
  { site: "example.com", url: "https://docs.example.com/", is: true },
  { site: "example.com", url: "https://notexample.com/", is: false },
  { site: "docs.example.com", url: "https://example.com/", is: false },
  { site: "example.com/docs", url: "https://example.com/docs/a", is: true },
  { site: "example.com/docs", url: "https://example.com/docsify", is: false },
  { site: "127.0.0.1", url: "http://127.0.0.1:8787/a", is: true },
  { site: "München.de", url: "https://www.münchen.de/a", is: true },
  { site: "xn--mnchen-3ya.de", url: "https://münchen.de/a", is: true },
  { site: "ja.wikipedia.org/wiki/日本", url: "https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC", is: true },
  { site: "ja.wikipedia.org/wiki/%e6%97%a5%E6%9C%AC/", url: "https://ja.wikipedia.org/wiki/日本/a", is: true },
  { site: "ja.wikipedia.org/wiki/日本", url: "https://ja.wikipedia.org/wiki/日", is: false },
  { site: "example.com/Übersicht", url: "https://example.com/Übersicht/a", is: true },
  { site: "example.com/übersicht", url: "https://example.com/%C3%9Cbersicht", is: true },
  { site: "example.com/%C3%9Cbersicht", url: "https://example.com/%C3%BCbersicht", is: true },
  { site: "example.com/a%2Fb", url: "https://example.com/a/b", is: false },
  { site: "example.com/caf%E9", url: "https://example.com/Caf%e9/a", is: true },
  { site: "127.0.0.1:8787", url: "http://127.0.0.1:8787/a", is: true },
  { site: "127.0.0.1:1", url: "http://127.0.0.1:8787/a", is: false },
])("$url is on $site: $is", ({ site, url, is }) => {
  expect(isOnSite(url, [toSite(site)])).toBe(is);
});
