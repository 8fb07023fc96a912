import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readPromptOptions } from "../../../../src/jobs/crawl/prompt-options.ts";
import { checkCrawlOptions } from "../../../../src/jobs/crawl/check-crawl-options.ts";
import { leastProcessorMs } from "../../../processor-time.ts";
import { startScriptedModel, type Script, type ScriptedModel } from "../../../fakes/upstream/scripted-model.ts";
import { modelAt } from "../../formats/page.ts";

const URL = "https://harbour.example/en/";

let server: ScriptedModel;
beforeAll(async () => {
  server = await startScriptedModel(["ok"]);
});
afterAll(() => server.close());

async function read(prompt: string, script?: Script) {
  if (script !== undefined) server.script(script);
  server.requests.length = 0;
  const llm = script === undefined ? undefined : modelAt(server);
  return await readPromptOptions({ llm, deadlineMs: Date.now() + 20_000 }, { url: URL, prompt });
}

describe("with a model", () => {
  test("a wish in any words becomes options", async () => {
    const wish = "Nur die Artikel über Fähren, höchstens vierzig, zwei Ebenen tief, auch auf Subdomains";
    const options = {
      includePaths: ["^/en/ferries(/|$)"], excludePaths: null, maxDiscoveryDepth: 2, limit: 40, allowSubdomains: true,
      sitemap: "include", delay: 0.5, crawlEntireDomain: true, ignoreQueryParameters: true, deduplicateSimilarURLs: false,
    }; // prettier-ignore
    expect(await read(wish, [{ json: options }])).toEqual({
      options: {
        includePaths: ["^/en/ferries(/|$)"], maxDiscoveryDepth: 2, limit: 40, allowSubdomains: true, sitemap: "include",
        delay: 0.5, crawlEntireDomain: true, ignoreQueryParameters: true, deduplicateSimilarURLs: false,
      },
      warning: undefined,
    }); // prettier-ignore
    expect(server.requests[0]).toMatchObject({
      responseFormat: "json_schema",
      model: expect.stringContaining("small"),
    });
    expect(server.requests[0]?.said).toContain(wish);
    expect(server.requests[0]?.said).toContain(URL);
  });

  test("patterns that name the site's own host are about its paths", async () => {
    const includePaths = [
      "https://harbour.example/en/news",
      "^https?:\\/\\/www\\.harbour\\.example\\/boats",
      "/tides/\\d+",
    ];
    const { options, warning } = await read("News, boats and tides", [{ json: { includePaths } }]);
    expect(options.includePaths).toEqual(["^/en/news", "^/boats", "/tides/\\d+"]);
    expect(warning).toBeUndefined();
  });

  test.each([
    {
      what: "a pattern that does not compile",
      answer: { excludePaths: ["(?=x)y", "^/shop"] },
      options: { excludePaths: ["^/shop"] },
      says: "Invalid regular expression",
    },
    {
      what: "patterns that take too long",
      answer: { includePaths: ["^/a{900}b{900}c{900}"], limit: 5 },
      options: { limit: 5 },
      says: "includePaths",
    },
    {
      what: "another host",
      answer: { includePaths: ["https://evil\\.example/.*", "^/boats"] },
      options: { includePaths: ["^/boats"] },
      says: "https://evil\\.example/.* was left out",
    },
    {
      what: "links to other sites that nobody wished for",
      answer: { allowExternalLinks: true, limit: 3 },
      options: { limit: 3 },
      says: "send allowExternalLinks",
    },
    {
      what: "subdomains that nobody wished for",
      answer: { allowSubdomains: true, limit: 3 },
      options: { limit: 3 },
      says: "send allowSubdomains",
    },
    {
      what: "numbers out of bounds",
      answer: { limit: 0, maxDiscoveryDepth: -1, delay: 600, sitemap: "only" },
      options: { sitemap: "only" },
      says: "no usable limit",
    },
  ])("$what is left out, in words", async ({ answer, options, says }) => {
    const wish = await read("The boats, please", [{ json: answer }]);
    expect(wish.options).toEqual(options);
    expect(wish.warning).toContain(says);
  });

  test.each([
    { prompt: "Follow external links too", answer: { allowExternalLinks: true } },
    { prompt: "Folge auch fremden Links", answer: { allowExternalLinks: true } },
    { prompt: "with every subdomain", answer: { allowSubdomains: true } },
    { prompt: "also docs.harbour.example", answer: { allowSubdomains: true } },
  ])("“$prompt” may lead to other hosts", async ({ prompt, answer }) => {
    expect(await read(prompt, [{ json: answer }])).toEqual({ options: answer, warning: undefined });
  });

  test("what it could not express is told in the caller's words", async () => {
    const answer = { limit: 10, notUnderstood: ["only the funny ones"] };
    const { options, warning } = await read("ten pages, only the funny ones", [{ json: answer }]);
    expect(options).toEqual({ limit: 10 });
    expect(warning).toBe("Not understood of the prompt: “only the funny ones”.");
  });

  test("a wish that comes to nothing is told as not understood", async () => {
    const { options, warning } = await read("Make me happy", [{ json: { notUnderstood: ["Make me happy"] } }]);
    expect(options).toEqual({});
    expect(warning).toContain("The prompt was not understood");
  });

  test.each([
    { trouble: "is out of order", script: [{ status: 500 }] },
    { trouble: "declines", script: [{ refusal: "no" }] },
    { trouble: "never gives what fits", script: [{ json: { limit: "many" } }] },
  ])("rules read the wish when it $trouble", async ({ script }) => {
    const { options, warning } = await read("Only the blog, limit 50", script);
    expect(options).toEqual({ includePaths: ["^/blog(/|$)"], limit: 50 });
    expect(warning).toMatch(/^prompt: The language model.*; it was read by rules\.$/);
  });
});

describe("without a model", () => {
  test("rules read the wish, and name what they do not know", async () => {
    expect(await read("Only the blog")).toEqual({ options: { includePaths: ["^/blog(/|$)"] }, warning: undefined });
    const { warning } = await read("Only the blog, newest first");
    expect(warning).toBe("Not understood of the prompt: “newest first”.");
    expect((await read("Something nice")).warning).toContain("The prompt was not understood");
  });

  test.each([
    { prompt: "Only the blog, limit 0", options: { includePaths: ["^/blog(/|$)"] }, says: "no usable limit" },
    { prompt: "limit 5, wait 999999 seconds", options: { limit: 5 }, says: "no usable delay" },
  ])("a number out of bounds is left out, in words: “$prompt”", async ({ prompt, options, says }) => {
    const read = await readPromptOptions({ llm: undefined, deadlineMs: 0 }, { url: URL, prompt });
    expect(read.options).toEqual(options);
    expect(read.warning).toContain(says);
  });
});

test("hosts in a wish are found in linear time", async () => {
  const requested = { url: URL, prompt: "a.".repeat(20_000), by: "the language model" as const };
  const check = () => checkCrawlOptions({ allowSubdomains: true }, requested);
  expect(check().options).toEqual({});
  expect(await leastProcessorMs(check, 200)).toBeLessThan(200);
});
