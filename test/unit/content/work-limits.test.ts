/** Readers whose budget ends in the middle: each gives a part and names it, or refuses; none goes on. */
import { describe, expect, test } from "vitest";
import { readFeed } from "../../../src/content/documents/text/feed.ts";
import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { redactPii, RULED_ENTITIES } from "../../../src/content/text/pii/redact-pii.ts";
import { splitMarkdown } from "../../../src/content/text/split-markdown.ts";
import { isAllowed, parseRobots } from "../../../src/content/crawling/robots.ts";
import { streamSitemap } from "../../../src/content/crawling/sitemap.ts";
import { readJsonLd } from "../../../src/content/structured-data/sources/json-ld.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { given } from "../../fakes/given.ts";

const URL = "https://a.example/";
const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("");
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const PARAGRAPHS = many(1_000, (index) => `<p>This is paragraph ${index}, with some words in it.</p>`);

/** A page of 1,000 paragraphs whose tree takes some 3,000 steps. */
function open(onlyMainContent: boolean, steps: number): Promise<PageView> {
  const loaded = { engine: "fetch" as const, url: URL, statusCode: 200, headers: {}, contentType: "text/html", body: PARAGRAPHS, warnings: [] }; // prettier-ignore
  return openPage(loaded, { clean: { onlyMainContent, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false, budget: new WorkBudget({ steps }) }); // prettier-ignore
}

describe("with a small budget", () => {
  test("markdown ends early and is named", async () => {
    const page = await open(false, 3_000);
    const markdown = page.markdown({ removeBase64Images: true });
    expect(markdown).toContain("This is paragraph 0,");
    expect(markdown).not.toContain("This is paragraph 999,");
    expect(page.budget.warning).toContain("incomplete: markdown.");
  });

  test("HTML ends early and is named", async () => {
    const page = await open(false, 3_000);
    const html = page.html();
    expect(html).toContain("This is paragraph 0,");
    expect(html).not.toContain("This is paragraph 999,");
    expect(page.budget.warning).toContain("incomplete: HTML.");
  });

  test("main content is told by tags when the classifier's budget ends", async () => {
    const page = await open(true, 50_000);
    page.html();
    expect(page.budget.warning).toContain("main content (told by tags alone)");
  });

  test("JSON-LD ends early", () => {
    const products = Array.from({ length: 1_000 }, (_, index) => ({ "@type": "Product", name: `n${index}`, price: 1 }));
    const script = JSON.stringify(products);
    const all = readJsonLd([script], URL);
    const budget = new WorkBudget({ steps: 8_000 });
    const some = readJsonLd([script], URL, { budget });
    expect(all).toHaveLength(1_000);
    expect(some.length).toBeLessThan(1_000);
    expect(budget.warning).toContain("structured data");
  });

  test("a feed ends early and is named", () => {
    const feed = bytesOf(`<rss><channel><title>News</title>${many(100, (index) => `<item><title>Item ${index}</title></item>`)}</channel></rss>`); // prettier-ignore
    const budget = new WorkBudget({ steps: 5_000 });
    const { html } = readFeed(feed, "application/rss+xml", budget);
    expect(html).toContain("Item 0<");
    expect(html).not.toContain("Item 99<");
    expect(budget.warning).toContain("the items of the feed");
  });

  test.each([
    { form: "XML", file: `<urlset>${many(1_000, (index) => `<url><loc>${URL}${index}</loc></url>`)}</urlset>` },
    { form: "lines", file: many(1_000, (index) => `${URL}${index}\n`) },
  ])("a sitemap of $form ends early and says so", async ({ file }) => {
    const urls: string[] = [];
    const sink = { onUrl: ({ url }: { url: string }) => urls.push(url), onSitemap: () => undefined };
    const { problems } = await streamSitemap(bytesOf(file), { sink, budget: new WorkBudget({ steps: 1_200 }) });
    expect(urls.length).toBeGreaterThan(10);
    expect(urls.length).toBeLessThan(1_000);
    expect(problems).toEqual(["Reading the file takes more work than this service allows"]);
  });

  test("robots.txt is read as far as the budget goes, and what was not compared is not allowed", () => {
    const text = `User-agent: *\nAllow: /\n${many(1_000, (index) => `Disallow: /*${"x".repeat(20)}${index}\n`)}`;
    const robots = parseRobots(text);
    expect(given(parseRobots(text, new WorkBudget({ steps: 100 })).groups[0]).rules.length).toBeLessThan(100);
    expect(isAllowed(robots, `${URL}a`, "bot")).toBe(true);
    expect(isAllowed(robots, `${URL}a`, "bot", new WorkBudget({ steps: 100 }))).toBe(false);
  });

  test("the chunks of a page end early and are named", () => {
    const budget = new WorkBudget({ steps: 1_000 });
    const options = { maxTokens: 400, overlapTokens: 0, tokenizer: "estimate" as const };
    const chunks = splitMarkdown("# Boats\n\nA dinghy with a jib.\n\n".repeat(1_000), options, budget);
    expect(chunks.length).toBeGreaterThan(50);
    expect(chunks.length).toBeLessThan(1_000);
    expect(budget.warning).toContain("incomplete: chunks.");
  });

  test("redaction refuses rather than to hand out what it did not read", () => {
    const options = { entities: RULED_ENTITIES, replaceStyle: "tag" as const, country: "US" };
    const text = "Write to ann@a.example. ".repeat(1_000);
    expect(redactPii(text, options)).not.toContain("ann@");
    expect(() => redactPii(text, options, new WorkBudget({ steps: 100 }))).toThrow(
      expect.objectContaining({ code: "SCRAPE_WORK_LIMIT" }),
    );
  });
});
