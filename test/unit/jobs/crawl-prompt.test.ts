import { expect, test } from "vitest";
import { readCrawlPrompt } from "../../../src/jobs/crawl-prompt.ts";

test.each([
  { prompt: "Only the blog", options: { includePaths: ["^/blog(/|$)"] } },
  { prompt: "Only crawl the docs and the api", options: { includePaths: ["^/docs(/|$)", "^/api(/|$)"] } },
  { prompt: "everything, but skip the shop", options: { excludePaths: ["^/shop(/|$)"] } },
  { prompt: "Exclude /legal/terms and careers", options: { excludePaths: ["^/legal/terms(/|$)", "^/careers(/|$)"] } },
  { prompt: "two levels deep", options: { maxDiscoveryDepth: 2 } },
  { prompt: "3 links deep, at most 50 pages", options: { maxDiscoveryDepth: 3, limit: 50 } },
  { prompt: "limit 20", options: { limit: 20 } },
  { prompt: "only the sitemap", options: { sitemap: "only" } },
  { prompt: "the whole domain including subdomains", options: { crawlEntireDomain: true, allowSubdomains: true } },
  { prompt: "ignore query parameters and wait 2 seconds", options: { ignoreQueryParameters: true, delay: 2 } },
])("“$prompt” comes to options", ({ prompt, options }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options, isUnderstood: true });
});

test.each(["Find me something nice", "", "Welche Seiten handeln von Fischen?"])("“%s” is not understood", (prompt) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options: {}, isUnderstood: false });
});
