import { beforeEach, describe, expect, test } from "vitest";
import { openPage, type PageView } from "../../../../src/content/page-view.ts";
import { compileRules } from "../../../../src/core/crawl/crawl-scope.ts";
import { batchScrape } from "../../../../src/jobs/crawl/batch-scrape.ts";
import { crawl } from "../../../../src/jobs/crawl/crawl.ts";
import type { JobKind, JobSpecification } from "../../../../src/jobs/kind.ts";
import { CrawlTemplate } from "../../../../src/services/crawl/crawl-template.ts";

const SITE = "https://press.example";
const PAGES = 8;
/** A sentence that is long enough to be taken for an article's, and stands on every page of the site. */
const APPEAL =
  "The harbour press lives by its readers, so please think of taking out a subscription before the tide turns again.";
const DEEDS = ["mended", "counted", "painted", "moved", "sold", "lost", "found", "wrote", "lit", "weighed", "sank"];

function html(number: number): string {
  const sentences = Array.from(
    { length: 6 },
    (_, place) =>
      `<p>On day ${number * 7 + place} the keeper ${DEEDS[(number * 3 + place) % DEEDS.length]} boat number ${number * 31 + place * 5}, and nobody on quay ${number} remarked on it.</p>`,
  );
  return `<html><head><title>Log ${number}</title></head><body><article><h1>Log ${number}</h1>
    ${sentences.slice(0, 3).join("\n")}<p>${APPEAL}</p>${sentences.slice(3).join("\n")}</article></body></html>`;
}

async function view(number: number, template?: CrawlTemplate): Promise<PageView> {
  const url = `${SITE}/${number}`;
  const site = template?.siteOf(url);
  const clean = { onlyMainContent: true, includeTags: [], excludeTags: [], ...(site === undefined ? {} : { site }) };
  const loaded = { engine: "fetch" as const, url, statusCode: 200, headers: {}, contentType: "text/html", body: html(number), warnings: [] }; // prettier-ignore
  return await openPage(loaded, { clean, pdf: undefined, bytesOnly: false });
}

function templateOf(kind: JobKind = crawl as unknown as JobKind, scrapeOptions: object = {}): CrawlTemplate {
  const input = { rules: compileRules(`${SITE}/`, {}), sitemap: "skip", robotsAgent: undefined, isLanded: true };
  return new CrawlTemplate({ kind, specification: { scrapeOptions, input } as unknown as JobSpecification });
}

describe("the template of a crawl's site", () => {
  let views: PageView[];
  beforeEach(async () => {
    views = await Promise.all(Array.from({ length: PAGES }, (_, number) => view(number)));
  });
  const teach = (template: CrawlTemplate, count = PAGES) =>
    views.slice(0, count).forEach((page, number) => template.learn(`${SITE}/${number}`, page));

  test("is handed in once, when enough pages were seen, each of them once", () => {
    const template = templateOf();
    teach(template, PAGES - 1);
    teach(template, PAGES - 1);
    expect(template.learned()).toBeUndefined();
    teach(template);
    expect(template.learned()).toMatch(/^8:/);
    expect(template.learned()).toBeUndefined();
  });

  test("is used once everybody has the same, and takes what stands on every page out of the others", async () => {
    const template = templateOf();
    teach(template);
    const text = template.learned() ?? "";
    const before = (await view(20, template)).markdown({ removeBase64Images: false });
    template.settle(text);
    template.settle("0:");
    const after = (await view(20, template)).markdown({ removeBase64Images: false });
    expect(before).toContain("before the tide turns again");
    expect(after).not.toContain("before the tide turns again");
    expect(after).toContain("On day 145");
    expect(template.isSettled).toBe(true);
  });

  test("is of its own site alone", () => {
    const template = templateOf();
    views.forEach((page, number) => template.learn(`https://other.example/${number}`, page));
    expect(template.learned()).toBeUndefined();
    template.settle("8:");
    expect(template.siteOf("https://other.example/1")).toBeUndefined();
    expect(template.siteOf(`${SITE}/1`)).toBeDefined();
  });

  test.each([
    { why: "a batch", make: () => templateOf(batchScrape) },
    { why: "whole pages", make: () => templateOf(undefined, { onlyMainContent: false }) },
    { why: "chosen parts of pages", make: () => templateOf(undefined, { includeTags: ["main"] }) },
  ])("is of no use for $why", ({ make }) => {
    const template = make();
    teach(template);
    expect(template.learned()).toBeUndefined();
    expect(template.isSettled).toBe(true);
  });
});
