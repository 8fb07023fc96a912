/**
 * Hostile pages of growing size. What a page costs is counted, not timed: steps of the request's budget must not grow faster than
 * n log n. Readers that take no steps are held by a limit of processor time, which is generous for linear work and out of reach
 * of quadratic work at the largest size.
 */
import { describe, expect, test } from "vitest";
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
import { isLong, sampleOf, shortAndLong } from "../../sample.ts";
import { readAll, URL } from "./read-all.ts";
import { given } from "../../fakes/given.ts";
import { leastProcessorMs, processorMs } from "../../processor-time.ts";

/** Sizes of the readers that are quick, and what their steps may grow by: they double, to some percent. */
const SIZES = [500, 1_000];
const MAX_DOUBLED = 2.1;
/** With `LONG_TESTS=1`. From 100 to 1,000, n log n grows by 15; quadratic work grows by 100. */
const LONG_SIZES = [10, 100, 1_000, 10_000];
const MAX_GROWTH = 20;
/** An input that takes fewer steps is small, whatever is in it. */
const LEAST_STEPS = isLong() ? 1_000 : 100;
/**
 * The sizes of a whole page, which is read in every form. Its steps are the same at every run: a fiftieth beyond a doubling
 * shows a ten thousandth of an element's steps for each pair of elements, and n log n, which no reader needs.
 */
const PAGE_SIZES = [500, 1_000] as const;
const PAGE_MARGIN = 1.02;
/**
 * Up to the greatest depth of a tree, 512 levels, the work for a level grows with the depth. Beyond it, a level must not take
 * more than one before it: between the second and the third size as little as between the first and the second.
 */
const NEST_SIZES = [550, 600, 700] as const;
/** Steps that each level of a nest may cost. A tree is 512 levels deep at most, and some readers look at all that is below a level. */
const MAX_STEPS_PER_LEVEL = 7_000;
/**
 * Linear work takes at most half of these, on a busy machine. The smallest of three times is compared: 500 ns for each pair
 * of elements, 1,000 of levels, take more each time.
 */
const MAX_PAGE_MS = 700;
const MAX_NEST_MS = 1_500;
/** The long form: pages of 1,000 elements or levels, and of as many times more. */
const PAGE_GROWTH = Number(process.env["PAGE_GROWTH"] ?? 1);
const LONG_SIZE = 1_000;
/** Beyond n log n. */
const LONG_MARGIN = 1.04;
const MAX_LONG_PAGE_MS = 800 * PAGE_GROWTH;
const MAX_LONG_NEST_MS = 2_000 * PAGE_GROWTH;
async function expectGrowth(read: (count: number) => Promise<number> | number): Promise<void> {
  const steps: number[] = [];
  for (const count of isLong() ? LONG_SIZES : SIZES) steps.push(await read(count));
  for (const [index, count] of steps.slice(1).entries())
    expect(count / Math.max(given(steps[index]), LEAST_STEPS)).toBeLessThan(isLong() ? MAX_GROWTH : MAX_DOUBLED);
}

describe("the work for a page grows no faster than n log n with", () => {
  for (const { tags: tagsOfTests, entries } of shortAndLong(
    sampleOf(Object.entries(NESTED), 8),
    (_, at) => at % 3 === 0,
  ))
    test.each(entries)("levels of %s", { tags: tagsOfTests }, async (_name, tags) => {
      const [small, middle, large] = NEST_SIZES;
      const read = async (): Promise<void> => {
        const [first, second, third] = [await readAll(tags.repeat(small)), await readAll(tags.repeat(middle)), await readAll(tags.repeat(large))]; // prettier-ignore
        const perLevel = Math.max((second - first) / (middle - small), 1);
        expect((third - second) / (large - middle)).toBeLessThan(PAGE_MARGIN * perLevel);
        expect(third / large).toBeLessThan(MAX_STEPS_PER_LEVEL);
      };
      expect(await leastProcessorMs(read, MAX_NEST_MS)).toBeLessThan(MAX_NEST_MS);
    });

  for (const { tags, entries } of shortAndLong(Object.entries(REPEATED), (_, at) => at % 2 === 0))
    test.each(entries)("%s", { tags }, async (_name, write) => {
      const [small, large] = PAGE_SIZES;
      const read = async (): Promise<void> => {
        const steps = Math.max(await readAll(write(small)), LEAST_STEPS);
        expect((await readAll(write(large))) / steps).toBeLessThan((PAGE_MARGIN * large) / small);
      };
      expect(await leastProcessorMs(read, MAX_PAGE_MS)).toBeLessThan(MAX_PAGE_MS);
    });
});

describe.runIf(PAGE_GROWTH > 1)("the work for a large page grows no faster than n log n with", () => {
  test.each(Object.entries(NESTED))("levels of %s", async (_name, tags) => {
    const read = async (): Promise<void> => {
      const small = await readAll(tags.repeat(LONG_SIZE));
      const steps = await readAll(tags.repeat(LONG_SIZE * PAGE_GROWTH));
      // What the first 512 levels have cost less shows in the factor.
      expect(steps / small).toBeLessThan(1.4 * PAGE_GROWTH);
      expect(steps / (LONG_SIZE * PAGE_GROWTH)).toBeLessThan(MAX_STEPS_PER_LEVEL);
    };
    expect(await processorMs(read)).toBeLessThan(MAX_LONG_NEST_MS);
  });

  test.each(Object.entries(REPEATED))("%s", async (_name, write) => {
    const mayGrow = LONG_MARGIN * PAGE_GROWTH * (1 + Math.log(PAGE_GROWTH) / Math.log(LONG_SIZE));
    const read = async (): Promise<void> => {
      const small = Math.max(await readAll(write(LONG_SIZE)), 1_000);
      expect((await readAll(write(LONG_SIZE * PAGE_GROWTH))) / small).toBeLessThan(mayGrow);
    };
    expect(await processorMs(read)).toBeLessThan(MAX_LONG_PAGE_MS);
  });
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
    await expectGrowth(async (count) => {
      const budget = new WorkBudget({ steps: Infinity });
      await read(write(count), budget, count);
      return budget.steps;
    });
  }); // prettier-ignore
});

test.each(Object.entries(SCHEMAS))("the work for a schema of many %s grows no faster than n log n", async (_name, write) => {
  const data = readStructuredData(openHtml(PAGE, URL));
  await expectGrowth((count) => {
    const budget = new WorkBudget({ steps: Infinity });
    fillSchema(shapeOf(write(count)), data, budget);
    return budget.steps;
  });
}); // prettier-ignore
