import { describe, expect, test } from "vitest";
import { selectAll } from "../../../../../src/content/html/tree/select.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { processorMs } from "../../../../processor-time.ts";

const PAGE = parseHtml(`<html><body id=top class="page  wide">
  <ul><li class=a>1<li class="b a">2<li>3</ul>
  <div data-kind=box><p>text</p><p lang=de>Wort</p></div>
  <a href="https://x.example/?q=1" HREFLANG=en>link</a></body></html>`);

const select = (selector: string) => selectAll(PAGE.root, selector).map(({ tag }) => tag);

test.each([
  { selector: "li", tags: ["li", "li", "li"] },
  { selector: "LI", tags: ["li", "li", "li"] },
  { selector: ".a", tags: ["li", "li"] },
  { selector: ".wide", tags: ["body"] },
  { selector: "#top", tags: ["body"] },
  { selector: "#TOP", tags: [] },
  { selector: ".A", tags: [] },
  { selector: "ul > li:nth-child(2)", tags: ["li"] },
  { selector: "li.a + li", tags: ["li", "li"] },
  { selector: "p:not([lang])", tags: ["p"] },
  { selector: "[data-kind=box] p, a", tags: ["p", "p", "a"] },
  { selector: "a[href*='q=1']", tags: ["a"] },
  { selector: "div:has(> p)", tags: ["div"] },
  { selector: ":root > body", tags: ["body"] },
  { selector: "p:contains('Wort')", tags: ["p"] },
  { selector: "nav", tags: [] },
])("$selector selects $tags", ({ selector, tags }) => {
  expect(select(selector)).toEqual(tags);
});

test.each(["p[", "::", "a >", ":unknown-thing", "", " ", "123", ".5a", "a..b", "a,,b", "p]"])(
  "%j is refused by name",
  (selector) => {
    expect(() => select(selector)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
    expect(() => select(selector)).toThrow(JSON.stringify(selector));
  },
);

describe("a selector that looks at every sibling of every element", () => {
  const SELECTOR = "p:not(:nth-child(2n)) ~ p";

  test("is answered on a page of 2,000 siblings", () => {
    expect(selectAll(parseHtml("<p>x".repeat(2_000)).root, SELECTOR)).toHaveLength(1_999);
  });

  test("ends with an error that names it on a page of 100,000", () => {
    const { root } = parseHtml("<p>x".repeat(100_000));
    expect(() => selectAll(root, SELECTOR)).toThrow(
      expect.objectContaining({ code: "SCRAPE_WORK_LIMIT", message: expect.stringContaining(SELECTOR) as string }),
    );
  });
});

test.each([
  ["parents of parents", "* ".repeat(60) + "*", "<div>".repeat(500) + "<p>x</p>".repeat(5_000)],
  ["siblings of siblings", "*:has(~ *:has(~ *))", "<p>x</p>".repeat(20_000)],
])("all selectors of a request that follow %s have one limit, which ends them soon", async (_name, selector, html) => {
  const { root } = parseHtml(html);
  const budget = new WorkBudget();
  // Nine tenths of the limit are used up soon, by looking for a word in much text.
  const text = parseHtml(`<p>${"x".repeat(10_000_000)}`);
  for (let count = 0; count < 29; count++) expect(selectAll(text.root, "p:contains(y)", budget)).toEqual([]);
  expect(budget.steps).toBeGreaterThan(17_000_000);
  const select = () => selectAll(root, selector, budget);
  const taken = await processorMs(() => {
    for (let count = 0; count < 20; count++)
      expect(select).toThrow(expect.objectContaining({ code: "SCRAPE_WORK_LIMIT" }));
  });
  expect(budget.steps).toBeLessThan(21_000_000);
  // Half a second on a busy machine; with a limit for each selector it is fifteen.
  expect(taken).toBeLessThan(4_000);
});

test("a selector of more than 2,000 characters is refused, as is one that nests without end", () => {
  const { root } = parseHtml("<p>x");
  for (const selector of [`${"p,".repeat(2_000)}p`, `${":not(".repeat(5_000)}p${")".repeat(5_000)}`])
    expect(() => selectAll(root, selector)).toThrow(expect.objectContaining({ code: "BAD_REQUEST" }));
});
