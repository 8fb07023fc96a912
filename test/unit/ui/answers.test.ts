import { describe, expect, test } from "vitest";
import type { Operation } from "../../../src/ui/api/openapi.ts";
import { documentsIn, linksIn } from "../../../src/ui/playground/response/documents.ts";
import { isToFollow, isUnderWay, jobIn } from "../../../src/ui/playground/response/job-link.ts";
import { readServerTiming } from "../../../src/ui/playground/response/server-timing.ts";
import { linkSources } from "../../../src/ui/parts/document/link-sources.ts";
import { cutAtWords, foundPages, wordsOf } from "../../../src/ui/search/found-pages.ts";

const page = { markdown: "# Bay", metadata: { sourceURL: "https://a.example/", title: ["Bay", "Harrow"] } };

describe("the documents of a response", () => {
  test.each([
    { what: "a scrape", body: { success: true, data: page }, count: 1 },
    { what: "a job's status", body: { status: "completed", data: [page, page] }, count: 2 },
    { what: "a search whose pages were scraped", body: { data: { web: [{ url: "x", ...page }], news: [] } }, count: 1 },
    { what: "a search", body: { data: { web: [{ url: "x", title: "X" }] } }, count: 0 },
    { what: "an extract", body: { status: "completed", data: { links: ["x"], summary: "s" } }, count: 0 },
    { what: "a map", body: { links: [{ url: "x" }] }, count: 0 },
    { what: "an error", body: { success: false, error: "no" }, count: 0 },
    { what: "no JSON", body: undefined, count: 0 },
  ])("$what has $count", ({ body, count }) => {
    const documents = documentsIn(body);
    expect(documents).toHaveLength(count);
    for (const document of documents)
      expect(document).toMatchObject({ url: "https://a.example/", title: "Bay", markdown: "# Bay" });
  });

  test("links are read as strings and as objects", () => {
    expect(linksIn({ links: ["a", { url: "b" }, { title: "c" }] })).toEqual(["a", "b"]);
    expect(linksIn({ urls: [{ url: "d", outcome: "scraped" }] })).toEqual(["d"]);
    expect(linksIn({})).toEqual([]);
  });
});

describe("a started job", () => {
  const operation = (method: string, path: string): Operation => ({
    id: `${method} ${path}`,
    name: "",
    method,
    path,
    tag: "",
    summary: "",
    parameters: [],
    body: undefined,
  });
  const all = [operation("post", "/v2/crawl"), operation("get", "/v2/crawl/{id}"), operation("post", "/v2/search")];

  test("is followed if the service has a status route for it", () => {
    expect(jobIn(operation("post", "/v2/crawl"), all, { id: "1" })).toEqual({
      id: "1",
      statusPath: "/v2/crawl/1",
      crawlView: true,
    });
    expect(jobIn(operation("post", "/v2/search"), all, { id: "1" })).toBeUndefined();
    expect(jobIn(operation("post", "/v2/crawl"), all, { success: false })).toBeUndefined();
  });

  test.each([
    ["scraping", true],
    ["processing", true],
    ["completed", false],
    ["cancelled", false],
    [undefined, false],
  ])("in the state %s goes on: %s", (status, goesOn) => {
    expect(isUnderWay({ status })).toBe(goesOn);
  });
});

test("a Server-Timing header is parsed into steps and counts", () => {
  const { steps, counts } = readServerTiming('load;dur=12.5, keep;dur=3, d1-read;desc="4", odd');
  expect(steps).toEqual([
    { name: "load", ms: 12.5 },
    { name: "keep", ms: 3 },
  ]);
  expect(counts).toEqual([{ name: "d1-read", count: "4" }]);
  expect(readServerTiming(null)).toEqual({ steps: [], counts: [] });
});

describe("the results of a search", () => {
  test("contain each page once, with a snippet without Markdown syntax", () => {
    const item = { url: "a", title: "", description: "## The **ferry** is late", provider: "own-index" };
    expect(foundPages({ data: { web: [item], news: [{ ...item, title: "again" }] } })).toEqual([
      { url: "a", title: "a", snippet: "The ferry is late", providers: ["own-index"] },
    ]);
  });

  test("are highlighted at the query's words, but not at excluded ones", () => {
    const words = wordsOf('ferry "night market" site:a.example -shop c++ (x');
    expect(words).toEqual(["ferry", "night", "market"]);
    expect(cutAtWords("The ferries of the Night market", words)).toEqual([
      "The ferries of the ",
      "Night",
      " ",
      "market",
      "",
    ]);
    expect(cutAtWords("text", [])).toEqual(["text"]);
  });
});

test.each([
  { source: "https://de.wikipedia.org/wiki/K%C3%A4se", address: "https://de.wikipedia.org/wiki/K%C3%A4se" },
  { source: "https://a.example/a b<c>\\d?x=%20", address: "https://a.example/a%20b%3Cc%3E%5Cd?x=%20" },
  { source: "https://a.example/\ud800", address: "https://a.example/\ud800" },
])("the number of $source links to $address", ({ source, address }) => {
  expect(linkSources("Yes [1], no [2], [1](x).", [source])).toBe(
    String.raw`Yes [\[1\]](<${address}>), no [2], [1](x).`,
  );
});

test.each([
  [{ status: 200, body: { status: "scraping" } }, true],
  [{ status: 200, body: { status: "completed" } }, false],
  [{ status: 429, body: { success: false } }, true],
  [{ status: 503, body: undefined }, true],
  [{ status: 404, body: { success: false } }, false],
])("a job with the answer %j is followed further: %j", (answer, isFollowed) => {
  expect(isToFollow(answer)).toBe(isFollowed);
});
