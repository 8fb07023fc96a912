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
  { prompt: "Crawl no more than 3 levels deep", options: { maxDiscoveryDepth: 3 } },
  { prompt: "Not more than two levels deep, at most 50 pages", options: { maxDiscoveryDepth: 2, limit: 50 } },
  { prompt: "Don't crawl more than 3 links deep", options: { maxDiscoveryDepth: 3 } },
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
  { phrase: "up to 1,000", limit: 1000 },
  { phrase: "max 2 500", limit: 2500 },
  { phrase: "at most 1.000", limit: 1000 },
  { phrase: "limit 12'000", limit: 12000 },
  { phrase: "up to 2k", limit: 2000 },
  { phrase: "up to 5 thousand", limit: 5000 },
  { phrase: "up to twenty five", limit: 25 },
  { phrase: "at most forty-two", limit: 42 },
  { phrase: "the first two hundred and ten", limit: 210 },
  { phrase: "maximum of a thousand", limit: 1000 },
  { phrase: "not more than 50", limit: 50 },
  { phrase: "no more than 50", limit: 50 },
  { phrase: "do not get more than 50", limit: 50 },
  { phrase: "less than 50", limit: 49 },
  { phrase: "fewer than twenty-one", limit: 20 },
  { phrase: "never more than 50", limit: 50 },
  { phrase: "without loading more than 50", limit: 50 },
])("“$phrase pages” is a limit of $limit", ({ phrase, limit }) => {
  expect(readCrawlPrompt(`Crawl ${phrase} pages`)).toEqual({ options: { limit }, notUnderstood: [] });
});

test.each([
  { prompt: "Don't crawl more than 100 pages", limit: 100 },
  { prompt: "Never visit more than 30 URLs", limit: 30 },
  { prompt: "not more than 40 and only the blog", limit: 40 },
  { prompt: "Crawl fewer than 50, only the blog", limit: 49 },
  { prompt: "At most 20 articles", limit: 20 },
  { prompt: "the first 30 posts", limit: 30 },
  { prompt: "no more than 20 articles", limit: 20 },
])("“$prompt” limits the pages to $limit", ({ prompt, limit }) => {
  expect(readCrawlPrompt(prompt).options).toMatchObject({ limit });
});

test.each([
  "up to 1,00 pages", "up to 1.5k pages", "max 12345678 pages", "max ten twelve", "more than 50 pages",
  "no fewer than 20 pages", "not less than 200 pages", "less than 5 minutes", "less than 2 years", "at most $50", "less than €20",
])("a number that is not read is named: “%s”", (prompt) => {
  expect(readCrawlPrompt(`Crawl ${prompt}, only the blog`)).toEqual({
    options: { includePaths: ["^/blog(/|$)"] },
    notUnderstood: [prompt],
  });
}); // prettier-ignore

test.each([
  { prompt: "Crawl the shop but exclude products that cost more than 100 dollars", named: "more than 100 dollars" },
  { prompt: "Skip products that cost more than 100", named: "more than 100" },
  { prompt: "Find products that cost less than 50 dollars", named: "less than 50 dollars" },
  { prompt: "Skip posts with more than 50 comments", named: "more than 50 comments" },
  { prompt: "Don't include pages with more than 3 images", named: "more than 3 images" },
  { prompt: "Skip sections with more than 50 pages", named: "more than 50 pages" },
  { prompt: "Posts from less than 2 years ago", named: "less than 2 years" },
  { prompt: "Never crawl less than 10 pages", named: "less than 10 pages" },
])("a number that is no limit of pages sets none: “$prompt”", ({ prompt, named }) => {
  const { options, notUnderstood } = readCrawlPrompt(prompt);
  expect(options).not.toHaveProperty("limit");
  expect(notUnderstood).toContain(named);
});

test("a lowest number of pages does not replace the largest one", () => {
  expect(readCrawlPrompt("At most 100 pages, and no less than 50")).toEqual({
    options: { limit: 100 },
    notUnderstood: ["no less than 50"],
  });
});

test.each([
  { prompt: "Crawl only /fetch", includePaths: ["^/fetch(/|$)"] },
  { prompt: "Only /links and /2024/", includePaths: ["^/links(/|$)", "^/2024(/|$)"] },
  { prompt: "Only the more section", includePaths: ["^/more(/|$)"] },
  { prompt: "Only the more and less sections", includePaths: ["^/more(/|$)", "^/less(/|$)"] },
  { prompt: "Only the blog, /more and less-known", includePaths: ["^/blog(/|$)", "^/more(/|$)", "^/less-known(/|$)"] },
  { prompt: "Only the blog and more/news", includePaths: ["^/blog(/|$)", "^/more/news(/|$)"] },
  { prompt: "Crawl only the fetch and more sections", includePaths: ["^/fetch(/|$)", "^/more(/|$)"] },
])("a path or a named section is a part of the site: “$prompt”", ({ prompt, includePaths }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options: { includePaths }, notUnderstood: [] });
});

test.each([
  { prompt: "Only the blog, fewer pages", options: { includePaths: ["^/blog(/|$)"] }, named: "fewer pages" },
  { prompt: "Skip the shop and more", options: { excludePaths: ["^/shop(/|$)"] }, named: "more" },
  { prompt: "Skip the shop, less, limit 5", options: { excludePaths: ["^/shop(/|$)"], limit: 5 }, named: "less" },
])("a comparison in a list is no part of a site: “$prompt”", ({ prompt, options, named }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options, notUnderstood: [named] });
});

test.each([
  { prompt: "only more", options: {}, notUnderstood: ["more"] },
  { prompt: "skip less", options: {}, notUnderstood: ["less"] },
  { prompt: "Avoid the FEWER, limit 5", options: { limit: 5 }, notUnderstood: ["FEWER"] },
  { prompt: "Only more, blog", options: { includePaths: ["^/blog(/|$)"] }, notUnderstood: ["more"] },
  { prompt: "Skip less and the shop", options: { excludePaths: ["^/shop(/|$)"] }, notUnderstood: ["less"] },
  { prompt: "Only less/more, less-known", options: { includePaths: ["^/less/more(/|$)", "^/less-known(/|$)"] }, notUnderstood: [] }, // prettier-ignore
])("a comparison in front of a list is named: “$prompt”", ({ prompt, options, notUnderstood }) => {
  expect(readCrawlPrompt(prompt)).toEqual({ options, notUnderstood });
});

test.each([
  "only more",
  "skip less",
  "Only twenty-five pages",
  "not more pages",
  "only more than 50 pages",
  "do not get or fetch less than 5 pages",
  "skip 1,000 pages",
  "just 2k pages",
])("a number or a comparison is no part of a site: “%s”", (prompt) =>
  expect(readCrawlPrompt(prompt).options).toEqual({}),
);

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
  { of: "depths", prompt: "no more than 3 levels ".repeat(450) },
  { of: "negations before a depth", prompt: `not${" ".repeat(5_000)}${"not crawl ".repeat(490)}` },
  { of: "comparisons", prompt: `only a${", more".repeat(1_600)}` },
  { of: "spaces", prompt: `skip a${" ".repeat(9_900)}` },
  { of: "words of numbers", prompt: `max ${"two hundred and ".repeat(600)}` },
  { of: "digits", prompt: `max ${"1,000".repeat(1_900)}` },
  { of: "limits", prompt: "max 1,00 ".repeat(1_100) },
  { of: "one word", prompt: `and includ${"includ".repeat(1_600)}` },
])("a prompt of 10,000 characters is read at once: $of", async ({ prompt }) => {
  expect(await leastProcessorMs(() => readCrawlPrompt(prompt), 100)).toBeLessThan(100);
});

test("groups of digits are read in linear time", async () => {
  const prompt = `max 1${",000".repeat(10_000)}`;
  expect(await leastProcessorMs(() => readCrawlPrompt(prompt), 100)).toBeLessThan(100);
});
