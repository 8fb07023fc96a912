import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { readLinks } from "../../../src/content/crawling/links.ts";
import { selectAll } from "../../../src/content/html/tree/select.ts";
import { parseHtml } from "../../../src/content/html/tree/tree.ts";
import { labelOf } from "../../../src/content/structured-data/sources/labels.ts";
import { compileRules, judgeUrl } from "../../../src/core/crawl/crawl-scope.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const PAGES = 20;
const PAGE_CHARS = 500_000;
/** What the first try has left in a cache would take no further memory in another. */
const FIRST_TRY = { retry: 0 };
const START = "https://example.com/";

/** A page of one text, as it comes from the network. */
function page(head: string): string {
  const html = `<html><body>${head}<p>${"ebb and flow ".repeat(PAGE_CHARS / 13)}</p>`;
  return new TextDecoder().decode(new TextEncoder().encode(html));
}

function heldBytes(): number {
  // The parser keeps the last page.
  parseHtml("<p>x</p>");
  collect();
  return process.memoryUsage().heapUsed;
}

/** Bytes that stay after pages were read, beside what was found on them. */
function retainedBytes(read: (number: number) => unknown): number {
  const found = [read(-1)];
  const before = heldBytes();
  for (let number = 0; number < PAGES; number++) found.push(read(number));
  const after = heldBytes();
  expect(found).toHaveLength(PAGES + 1);
  return after - before;
}

/** That of two pages. */
const FEW = 2 * PAGE_CHARS;

test.each(["https://example.com", "", "http://other.example"])(
  "links written as %s/… do not retain their pages",
  FIRST_TRY,
  (origin) => {
    const rules = compileRules(START, {});
    const from = { url: START, depth: 0, isExternal: false };
    const links = (number: number): string[] => {
      const tree = parseHtml(page(`<a href="${origin}/posts/about-the-tide-${number}/">Tide</a>`));
      return readLinks({ tree, url: START, baseUrl: START });
    };
    // Those that a job keeps, and those that the decisions of a crawl remember.
    expect(retainedBytes(links)).toBeLessThan(FEW);
    const judged = retainedBytes((number) => links(PAGES + number).map((url) => judgeUrl(url, { from, rules })));
    expect(judged).toBeLessThan(FEW);
  },
);

test("labels do not retain their pages", FIRST_TRY, () => {
  const label = (number: number) => {
    const { root } = parseHtml(page(`<p itemprop="speedOfTheTideInStream${number}">4</p>`));
    const [item] = selectAll(root, "[itemprop]");
    return labelOf(item?.attributes["itemprop"] ?? "");
  };
  expect(retainedBytes(label)).toBeLessThan(FEW);
});

test("the decisions on links of a crawl take limited memory, however long the links are", FIRST_TRY, () => {
  const rules = compileRules(START, {});
  const from = { url: START, depth: 0, isExternal: false };
  const before = heldBytes();
  for (let number = 0; number < 15_000; number++) judgeUrl(`${START}${number}${"x".repeat(1_900)}`, { from, rules });
  // 10 million characters of links, and their keys.
  expect(heldBytes() - before).toBeLessThan(25e6);
});
