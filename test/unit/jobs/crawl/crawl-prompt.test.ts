import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../processor-time.ts";
import { readCrawlPrompt } from "../../../../src/jobs/crawl/crawl-prompt.ts";

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
  { prompt: "Please crawl the whole site and follow external links", options: { crawlEntireDomain: true, allowExternalLinks: true } },
  { prompt: "Do not follow external links", options: { allowExternalLinks: false } },
  { prompt: "Crawl everything without including any subdomains", options: { allowSubdomains: false } },
])("“$prompt” comes to options", ({ prompt, options }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options, notUnderstood: [] });
}); // prettier-ignore

test.each([
  { prompt: "Find me something nice", notUnderstood: ["Find me something nice"] },
  { prompt: "Welche Seiten handeln von Fischen?", notUnderstood: ["Welche Seiten handeln von Fischen"] },
  { prompt: "", notUnderstood: [] },
])("“$prompt” is not understood", ({ prompt, notUnderstood }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options: {}, notUnderstood });
});

test("what no rule knows is named beside what one does", () => {
  expect(readCrawlPrompt("Only the blog, posts about ferries, limit 50 pages, newest first")).toEqual({
    options: { includePaths: ["^/blog(/|$)"], limit: 50 },
    notUnderstood: ["posts about ferries", "newest first"],
  });
});

test.each([
  "no more than 5. Follow external links",
  "Skip the shop, with external links",
  "knot, it and external links",
])("a negation ends with its sentence: “%s”", (prompt) => {
  expect(readCrawlPrompt(prompt).options).toMatchObject({ allowExternalLinks: true });
});

test.each([
  { of: "negations and phrases", prompt: `${"no ".repeat(1_900)},${" max 5".repeat(700)}` },
  { of: "negated phrases", prompt: `${"no ".repeat(1_600)}${"max 5 ".repeat(800)}` },
  { of: "parts of the site", prompt: "only a, skip b, ".repeat(600) },
  { of: "spaces", prompt: `skip a${" ".repeat(9_900)}` },
  { of: "one word", prompt: `and includ${"includ".repeat(1_600)}` },
])("a prompt of 10,000 characters is read at once: $of", async ({ prompt }) => {
  expect(await leastProcessorMs(() => readCrawlPrompt(prompt), 100)).toBeLessThan(100);
});
