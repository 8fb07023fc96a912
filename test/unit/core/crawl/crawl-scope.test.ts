import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compileNewRules,
  compileRules,
  judgeUrl,
  pathDepth,
  type CrawlScopeOptions,
} from "../../../../src/core/crawl/crawl-scope.ts";

const START = "https://example.com/docs/";

/** How a link on the start page is judged: the URL that is taken, or the reason why none is. */
function judge(
  candidate: string,
  options: CrawlScopeOptions = {},
  { start = START, depth = 0, isExternal = false } = {},
) {
  const rules = compileRules(start, options);
  const judgement = judgeUrl(candidate, { from: { url: start, depth, isExternal }, rules });
  return judgement.kind === "in_scope" ? judgement.url : judgement.reason;
}

const SUBDOMAINS = { allowSubdomains: true };
const EXTERNAL = { allowExternalLinks: true };

describe("a crawl takes", () => {
  test.each<[why: string, candidate: string, taken: string, options?: CrawlScopeOptions, start?: string]>([
    ["what is relative to the page", "install?a=1", "https://example.com/docs/install?a=1"],
    ["the start page", START, START],
    ["the folder without its slash", "https://example.com/docs", "https://example.com/docs"],
    ["the host with www", "https://www.example.com/docs/a", "https://www.example.com/docs/a"],
    ["the other scheme", "http://example.com/docs/a", "http://example.com/docs/a"],
    ["a link into another page, without its fragment", "/docs/a#part", "https://example.com/docs/a"],
    ["a hash route", "#/a/b", "https://example.com/docs/#/a/b"],
    ["a hash route with a mark", "/docs/#!/a", "https://example.com/docs/#!/a"],
    ["a link without its credentials", "https://me:secret@example.com/docs/a", "https://example.com/docs/a"],
    ["a page beside a start file", "/docs/b", "https://example.com/docs/b", {}, "https://example.com/docs/a.html"],
    ["below a start path without slash", "/docs/b", "https://example.com/docs/b", {}, "https://example.com/docs"],
    ["any path of the domain on request", "/blog", "https://example.com/blog", { crawlEntireDomain: true }],
    [
      "a page without its query on request",
      "/docs/a?b=1",
      "https://example.com/docs/a",
      { ignoreQueryParameters: true },
    ],
    ["a document", "/docs/report.PDF", "https://example.com/docs/report.PDF"],
    [
      "a subdomain on request, whatever its path",
      "https://blog.example.com/x",
      "https://blog.example.com/x",
      SUBDOMAINS,
    ],
    [
      "the domain of a subdomain",
      "https://example.co.uk/",
      "https://example.co.uk/",
      SUBDOMAINS,
      "https://a.b.example.co.uk",
    ],
    ["other sites on request", "https://other.net/x", "https://other.net/x", EXTERNAL],
    ["what an include pattern is found in", "/docs/en/a", "https://example.com/docs/en/a", { includePaths: ["/en/"] }],
    [
      "what one of several is found in",
      "/docs/fr",
      "https://example.com/docs/fr",
      { includePaths: ["^/docs/en", "fr$"] },
    ],
    ["words of any script in patterns", "/docs/käse", "https://example.com/docs/k%C3%A4se", { includePaths: ["käse"] }],
    [
      "what matches with its query",
      "/docs?p=2",
      "https://example.com/docs?p=2",
      { includePaths: ["p=2$"], regexOnFullURL: true },
    ],
    ["path depth up to the bound", "/docs/a/index.html", "https://example.com/docs/a/index.html", { maxDepth: 2 }],
    ["its own pages although they are social", "/o/r", "https://github.com/o/r", {}, "https://github.com/o"],
    ["the same port", "http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a", {}, "http://127.0.0.1:8080"],
  ])("%s", (_why, candidate, taken, options, start) => {
    expect(judge(candidate, options, start === undefined ? {} : { start })).toBe(taken);
  });
});

describe("a crawl leaves out", () => {
  test.each<[why: string, candidate: string, reason: string, options?: CrawlScopeOptions, start?: string]>([
    ["what is no URL", "http://[", "URL_PARSE_ERROR"],
    ["endless URLs", `/docs/${"a/".repeat(1100)}`, "URL_PARSE_ERROR"],
    ["mail", "mailto:a@example.com", "NON_WEB_PROTOCOL"],
    ["scripts", "javascript:void(0)", "NON_WEB_PROTOCOL"],
    ["places in the page itself", "#part", "SECTION_LINK"],
    ["places in the page itself, by its URL", "https://example.com/docs/#part", "SECTION_LINK"],
    ["the first route of an app", "#/", "SECTION_LINK"],
    ["the first route of an app, as older ones write it", "#!/", "SECTION_LINK"],
    ["places whose name has a slash", "#note/1", "SECTION_LINK"],
    ["paths above the start", "/", "BACKWARD_CRAWLING"],
    ["paths that only begin alike", "/docs-old/a", "BACKWARD_CRAWLING"],
    ["pictures", "/docs/a.PNG", "FILE_TYPE"],
    ["archives with a query", "/docs/a.tar.gz?x=1", "FILE_TYPE"],
    ["other sites", "https://other.net/docs/", "EXTERNAL_LINK"],
    ["subdomains", "https://blog.example.com/docs/", "EXTERNAL_LINK"],
    ["other owners below a shared suffix", "https://b.github.io", "EXTERNAL_LINK", SUBDOMAINS, "https://a.github.io"],
    ["other domains below a public suffix", "https://b.co.uk", "EXTERNAL_LINK", SUBDOMAINS, "https://a.co.uk"],
    ["other addresses", "http://127.0.0.2/", "EXTERNAL_LINK", SUBDOMAINS, "http://127.0.0.1/"],
    ["other ports", "http://127.0.0.1:81/", "EXTERNAL_LINK", SUBDOMAINS, "http://127.0.0.1/"],
    ["social networks", "https://www.facebook.com/x", "SOCIAL_MEDIA", EXTERNAL],
    ["social networks of a country", "https://pinterest.co.uk/x", "SOCIAL_MEDIA", EXTERNAL],
    ["files of other sites", "https://other.net/a.zip", "FILE_TYPE", EXTERNAL],
    ["what no include pattern is found in", "/docs/fr", "INCLUDE_PATTERN", { includePaths: ["/en/"] }],
    [
      "what an exclude pattern is found in",
      "/docs/en/",
      "EXCLUDE_PATTERN",
      { includePaths: ["/en/"], excludePaths: ["en"] },
    ],
    ["what the query alone would let in", "/docs?p=2", "INCLUDE_PATTERN", { includePaths: ["p=2$"] }],
    ["deeper paths", "/docs/a/b", "DEPTH_LIMIT", { maxDepth: 2 }],
    ["pages that are too many links away", "/docs/a", "DEPTH_LIMIT", { maxDiscoveryDepth: 0 }],
  ])("%s", (_why, candidate, reason, options, start) => {
    expect(judge(candidate, options, start === undefined ? {} : { start })).toBe(reason);
  });

  test("a file in a link, and lists it by its beginning", () => {
    const rules = compileRules(START, {});
    const from = { url: START, depth: 0, isExternal: false };
    const verdict = judgeUrl(`data:image/png;base64,${"A".repeat(3_000_000)}`, { from, rules });
    expect(verdict).toMatchObject({ kind: "filtered", reason: "URL_PARSE_ERROR" });
    expect(verdict.kind === "filtered" && verdict.url).toMatch(/^data:image\/png;base64,A{2026}…$/);
  });

  test("what foreign pages link to, and says that others may lead there", () => {
    const rules = compileRules(START, EXTERNAL);
    const from = { url: "https://other.net/", depth: 1, isExternal: true };
    expect(judgeUrl("https://third.org/", { from, rules })).toMatchObject({
      reason: "EXTERNAL_LINK",
      key: "third.org",
    });
    expect(judgeUrl(`${START}a`, { from, rules })).toMatchObject({
      reason: "EXTERNAL_LINK",
      key: "example.com/docs/a",
    });
  });

  test("what is too deep, with the key that it may be let in by", () => {
    const rules = compileRules(START, { maxDiscoveryDepth: 2 });
    const found = (depth: number) => judgeUrl("/docs/a/", { from: { url: START, depth, isExternal: false }, rules });
    expect(found(2)).toMatchObject({ kind: "filtered", reason: "DEPTH_LIMIT", key: "example.com/docs/a" });
    expect(found(1)).toMatchObject({ kind: "in_scope", depth: 2, key: "example.com/docs/a" });
  });
});

test("the start page is found at depth -1, so that no bound on discovery leaves it out", () => {
  const rules = compileRules("example.com/docs", { maxDiscoveryDepth: 0 });
  const from = { url: rules.startUrl, depth: -1, isExternal: false };
  expect(judgeUrl(rules.startUrl, { from, rules })).toEqual({
    kind: "in_scope",
    url: "http://example.com/docs",
    key: "example.com/docs",
    depth: 0,
    isExternal: false,
  });
});

test.each([
  ["http://example.com/docs", "https://www.example.com/docs/"],
  ["https://example.com/docs/index.html", "https://example.com/docs/"],
  ["https://example.com/docs/index.php?a=1", "https://example.com/docs?a=1"],
  ["https://example.com/docs/a?", "https://example.com/docs/a#part"],
])("%s and %s are one page, unless similar URLs are told apart", (left, right) => {
  const keys = (options: CrawlScopeOptions) => {
    const rules = compileRules("https://example.com", options);
    const from = { url: rules.startUrl, depth: 0, isExternal: false };
    return [left, right].map((url) => {
      const judgement = judgeUrl(url, { from, rules });
      return judgement.kind === "in_scope" ? judgement.key : judgement.reason;
    });
  };
  const [one, other] = keys({});
  expect(one).toBe(other);
  const strict = keys({ deduplicateSimilarURLs: false });
  expect(strict[0] === strict[1]).toBe(right.endsWith("#part"));
});

test.each([
  ["(", "missing closing )"],
  ["a(?!b)", "invalid or unsupported Perl syntax"],
  ["((a{100}){100}){100}", "more than 2000 steps"],
  ["x{900}y{900}z{900}", "too large"],
  ["a?".repeat(501), "at most 1000 characters"],
])("refuses the pattern %s: %s", (pattern, words) => {
  expect(() => compileRules(START, { excludePaths: ["ok", pattern] })).toThrow(
    expect.objectContaining({ code: "BAD_REQUEST", message: expect.stringContaining(words) }),
  );
});

test("refuses a start page deeper than version 1's bound", () => {
  expect(() => compileRules("https://example.com/a/b", { maxDepth: 1 })).toThrow(
    "URL depth exceeds the specified maxDepth",
  );
  expect(pathDepth("/a//b/index.html")).toBe(2);
});

test("a pattern that would take a backtracking engine for ever costs linear time", () => {
  const rules = compileRules(START, { includePaths: ["^(/|a+)+$", "(a|aa)+b$", "(?:a?){200}a{200}$"] });
  const from = { url: START, depth: 0, isExternal: false };
  expect(judgeUrl(`/docs/${"a".repeat(2000)}!`, { from, rules })).toMatchObject({ reason: "INCLUDE_PATTERN" });
});

test("many Unicode classes are refused in a request, and judged by in rules that are stored", () => {
  const many = { includePaths: [String.raw`(?i)\pL`.repeat(101)] };
  expect(() => compileNewRules(START, many)).toThrow("includePaths is too large: it has more than 100 Unicode classes");
  expect(() => compileNewRules(START, { excludePaths: many.includePaths })).toThrow(/^excludePaths/);
  const from = { url: START, depth: 0, isExternal: false };
  const rules = compileRules(START, many);
  expect(judgeUrl("/docs/a", { from, rules })).toMatchObject({ reason: "INCLUDE_PATTERN" });
});

describe("whatever the link", () => {
  const segment = fc.constantFrom("a", "docs", "index.html", "x.png", "b c", "%E4", "..", "", "é");
  const host = fc.constantFrom(
    "",
    "https://example.com",
    "http://www.example.com",
    "//blog.example.com",
    "https://x.org:8080",
    "https://u:p@example.com",
  );
  const tail = fc.constantFrom("", "?", "#", "?a=1&b", "#part", "#/route/x", "?#", "?q#!/r", "/");
  const link = fc.oneof(
    fc.tuple(host, fc.array(segment, { maxLength: 5 }), tail).map(([h, path, t]) => `${h}/${path.join("/")}${t}`),
    fc.webUrl({ withFragments: true, withQueryParameters: true }),
    fc.string(),
  );
  const options = fc.record({
    allowExternalLinks: fc.boolean(),
    allowSubdomains: fc.boolean(),
    crawlEntireDomain: fc.boolean(),
    ignoreQueryParameters: fc.boolean(),
    deduplicateSimilarURLs: fc.boolean(),
    excludePaths: fc.constantFrom([], ["b"]),
  });
  const from = { url: START, depth: 0, isExternal: false };

  test("it is judged alike each time, from rules that went through JSON too", () => {
    fc.assert(
      fc.property(link, options, (candidate, wishes) => {
        const rules = compileRules(START, wishes);
        const once = judgeUrl(candidate, { from, rules });
        const copy = JSON.parse(JSON.stringify(rules)) as typeof rules;
        expect(judgeUrl(candidate, { from, rules: copy })).toEqual(once);
      }),
    );
  });

  test("it is judged as it would be by a URL parser, which reads other spellings of its host", () => {
    fc.assert(
      fc.property(link, options, (candidate, wishes) => {
        const rules = compileRules(START, wishes);
        const parsed = candidate.replace(/^https:/, "HTTPS:");
        expect(judgeUrl(parsed, { from, rules })).toEqual(judgeUrl(candidate, { from, rules }));
      }),
    );
  });

  test("what comes out is judged the same when it goes in again", () => {
    fc.assert(
      fc.property(link, options, (candidate, wishes) => {
        const rules = compileRules(START, wishes);
        const once = judgeUrl(candidate, { from, rules });
        if (once.kind === "in_scope") expect(judgeUrl(once.url, { from, rules })).toEqual(once);
        else expect(judgeUrl(once.url, { from, rules }).kind).toBe("filtered");
      }),
    );
  });

  test("its key is that of every similar spelling", () => {
    const path = fc.array(fc.stringMatching(/^[a-z0-9]{1,6}$/), { maxLength: 4 });
    const rules = compileRules("https://example.com", {});
    const key = (url: string) => judgeUrl(url, { from, rules: rules }) as { key?: string };
    fc.assert(
      fc.property(path, (segments) => {
        const base = segments.length === 0 ? "" : `/${segments.join("/")}`;
        const spellings = ["https://example.com", "http://www.example.com"].flatMap((origin) =>
          ["", "/", "/index.html", "/index.php", "/#top"].map((end) => key(`${origin}${base}${end}`).key),
        );
        expect(new Set(spellings)).toEqual(new Set([`example.com${base}`]));
      }),
    );
  });
});
