/**
 * Hostile pages of growing size. What a page costs is counted, not timed: steps of the request's budget must not grow faster than
 * n log n. Readers that take no steps are held by a limit of processor time, which is generous for linear work and out of reach
 * of quadratic work at the largest size.
 */
import { describe, expect, test } from "vitest";
import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { scanPage } from "../../../src/content/html/scan-page.ts";
import { streamHtml } from "../../../src/content/stream-html.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { readFeed } from "../../../src/content/documents/text/feed.ts";
import { parseXml } from "../../../src/content/documents/containers/xml-tree.ts";
import { openHtml } from "../../../src/content/read-html.ts";
import { readStructuredData } from "../../../src/content/structured-data/read-structured-data.ts";
import { isAllowed, parseRobots } from "../../../src/content/crawling/robots.ts";
import { selectAll } from "../../../src/content/html/tree/select.ts";
import { streamSitemap } from "../../../src/content/crawling/sitemap.ts";
import { fillSchema } from "../../../src/content/structured-data/schema/fill-schema.ts";
import { shapeOf } from "../../../src/content/structured-data/schema/schema-shape.ts";
import { parseHtml } from "../../../src/content/html/tree/tree.ts";
import { FEEDS, NESTED, REPEATED, ROBOTS, SCHEMAS, SELECTORS, SITEMAPS, XML } from "../../growing-inputs.ts";
import { isSample, sampleCount, sampleOf } from "../../sample.ts";
import { given } from "../../fakes/given.ts";
import { processorMs } from "../../processor-time.ts";

/** Sizes of the readers that are quick. From 100 to 1,000, n log n grows by 15; quadratic work grows by 100. */
const SIZES = [10, 100, 1_000, 10_000];
/** For `npm run check`: where work is quadratic, it grows by 100 from the second size to the third. */
const SMALL_SIZES = SIZES.slice(0, -1);
const MAX_GROWTH = 20;
/** The smaller size of a whole page, which is read in every form, and the factor of the larger one. `PAGE_GROWTH=10` is the long form. */
const PAGE_SIZE = 1_000;
const PAGE_GROWTH = Number(process.env["PAGE_GROWTH"] ?? 3);
/** Beyond n log n. The steps of a page are always the same: half a step for each pair of elements would show. */
const PAGE_MARGIN = 1.04;
/**
 * What the work for a nest may grow by. Up to the greatest depth of a tree, 512 levels, the work for a level grows with the
 * depth, so that the first levels cost less; beyond it, it must not grow any more.
 */
const MAX_NEST_GROWTH = 1.4 * PAGE_GROWTH;
/** Steps that each level of a nest may cost. A tree is 512 levels deep at most, and some readers look at all that is below a level. */
const MAX_STEPS_PER_LEVEL = 7_000;
/** Linear work takes at most half of these, on a busy machine; 300 ns for each pair of elements, 700 of levels, take more. */
const MAX_PAGE_MS = 800 * PAGE_GROWTH;
const MAX_NEST_MS = 2_000 * PAGE_GROWTH;
const URL = "https://a.example/dir/";

const schema = () => ({
  type: "object",
  properties: {
    title: { type: "string" },
    price: { type: "number" },
    tags: { type: "array", items: { type: "string" } },
    items: { type: "array", items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } } },
    address: { type: "object", properties: { city: { type: "string" } } },
  },
}); // prettier-ignore

/** Reads a page in every form. @returns the steps that it took */
async function readAll(html: string): Promise<number> {
  const budget = new WorkBudget({ steps: Infinity });
  const open = (onlyMainContent: boolean): Promise<PageView> => {
    const loaded = { engine: "fetch" as const, url: URL, statusCode: 200, headers: {}, contentType: "text/html", body: html, warnings: [] }; // prettier-ignore
    return openPage(loaded, { clean: { onlyMainContent, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false, budget }); // prettier-ignore
  };
  const view = await open(false);
  for (const opened of [await open(true), view]) {
    opened.markdown({ removeBase64Images: true });
    opened.html();
  }
  view.facts();
  view.links();
  view.images();
  view.metadata();
  view.product();
  view.menuFacts();
  view.fill(schema());
  view.attributeValues({ selector: "div > p, li a[href]", attribute: "href" });
  streamHtml(html, { baseUrl: URL, onlyMainContent: true }, budget);
  scanPage(html, URL);
  return budget.steps;
}

async function growth(read: (count: number) => Promise<number> | number): Promise<number[]> {
  const steps: number[] = [];
  for (const count of isSample() ? SMALL_SIZES : SIZES) steps.push(await read(count));
  return steps.slice(1).map((count, index) => count / Math.max(given(steps[index]), 1_000));
}

/** Reads a page of two sizes. @returns the steps of the larger one, and what they grew by */
async function pageGrowth(write: (count: number) => string, size: number): Promise<{ steps: number; factor: number }> {
  const small = await readAll(write(size));
  const steps = await readAll(write(size * PAGE_GROWTH));
  return { steps, factor: steps / Math.max(small, 1_000) };
}

describe("the work for a page grows no faster than n log n with", () => {
  test.each(sampleOf(Object.entries(NESTED), 8))("levels of %s", async (_name, tags) => {
    const read = async (): Promise<void> => {
      const { steps, factor } = await pageGrowth((count) => tags.repeat(count), PAGE_SIZE);
      expect(factor).toBeLessThan(MAX_NEST_GROWTH);
      expect(steps / (PAGE_SIZE * PAGE_GROWTH)).toBeLessThan(MAX_STEPS_PER_LEVEL);
    };
    expect(await processorMs(read)).toBeLessThan(MAX_NEST_MS);
  }); // prettier-ignore

  test.each(Object.entries(REPEATED))("%s", async (_name, write) => {
    const size = sampleCount(PAGE_SIZE, PAGE_SIZE / 4);
    const mayGrow = PAGE_MARGIN * PAGE_GROWTH * (1 + Math.log(PAGE_GROWTH) / Math.log(size));
    const read = async (): Promise<void> => expect((await pageGrowth(write, size)).factor).toBeLessThan(mayGrow);
    expect(await processorMs(read)).toBeLessThan(MAX_PAGE_MS);
  }); // prettier-ignore
});

type Reader = (input: string, budget: WorkBudget, count: number) => unknown;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const SINK = { onUrl: () => undefined, onSitemap: () => undefined };
const PAGE = "<div><p class=a>x <a href=/y>y</a></p></div>";

const READERS: [name: string, inputs: Record<string, (count: number) => string>, read: Reader][] = [
  ["XML", XML, (text, budget) => parseXml(text, budget)],
  ["a feed", FEEDS, (text, budget) => readFeed(bytesOf(text), "application/rss+xml", budget)],
  ["a sitemap", SITEMAPS, (text, budget) => streamSitemap(bytesOf(text), { sink: SINK, budget })],
  ["robots.txt", ROBOTS, (text, budget) => isAllowed(parseRobots(text, budget), `${URL}${"a".repeat(1_000)}`, "bot", budget)],
  ["a selector", SELECTORS, (selector, budget, count) => selectAll(parseHtml(PAGE.repeat(count)).root, selector, budget)],
]; // prettier-ignore

describe.each(READERS)("the work for %s grows no faster than n log n with", (_name, inputs, read) => {
  test.each(Object.entries(inputs))("%s", async (_input, write) => {
    const factors = await growth(async (count) => {
      const budget = new WorkBudget({ steps: Infinity });
      await read(write(count), budget, count);
      return budget.steps;
    });
    for (const factor of factors) expect(factor).toBeLessThan(MAX_GROWTH);
  }); // prettier-ignore
});

test.each(Object.entries(SCHEMAS))("the work for a schema of many %s grows no faster than n log n", async (_name, write) => {
  const data = readStructuredData(openHtml(PAGE, URL));
  const factors = await growth((count) => {
    const budget = new WorkBudget({ steps: Infinity });
    fillSchema(shapeOf(write(count)), data, budget);
    return budget.steps;
  });
  for (const factor of factors) expect(factor).toBeLessThan(MAX_GROWTH);
}); // prettier-ignore
