/** Pages of a few kilobytes to some megabytes that stopped the service: in workerd, each is read within the time of a test. */
import { expect, test } from "vitest";
import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { shortAndLong } from "../../sample.ts";

const schema = () => ({ type: "object", properties: { name: { type: "string" }, price: { type: "number" } } });

function open(body: string): Promise<PageView> {
  const loaded = { engine: "fetch" as const, url: "https://a.example/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] };
  return openPage(loaded, { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false });
} // prettier-ignore

const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("");

test("18 items that all refer to each other are read, and the warning says that references were cut", async () => {
  const ids = many(18, (index) => `i${index} `);
  const page = await open(many(18, (index) => `<div itemscope itemprop="a" id="i${index}" itemref="${ids}"><b itemprop="name">Tea ${index}</b></div>`)); // prettier-ignore
  page.fill(schema());
  expect(page.structured?.().records.length).toBeLessThan(5_000);
  expect(page.budget.steps).toBeLessThan(50_000);
  expect(page.budget.warning).toMatch(/structured data/);
}, 20_000);

for (const { tags, entries } of shortAndLong(
  [
    { why: "lists in entries", body: "<li><ol>x ".repeat(8_000) },
    { why: "details", body: "<details><summary>x</summary>y ".repeat(8_000) },
    { why: "blocks", body: '<div class="card">x '.repeat(8_000) },
  ],
  ({ why }) => why === "lists in entries",
))
  test.each(entries)("8,000 levels of $why are read in every form", { tags, timeout: 30_000 }, async ({ body }) => {
    const page = await open(body);
    expect(page.markdown({ removeBase64Images: true })).not.toBe("");
    expect(page.html()).not.toBe("");
    page.fill(schema());
    page.links();
    expect(page.budget.steps).toBeLessThan(30_000_000);
  });

test("6 MB of links in one paragraph are read in one pass", { tags: ["long"], timeout: 30_000 }, async () => {
  const count = 180_000;
  const page = await open(`<p>${many(count, (index) => `<a href="/page/${index}">number ${index}</a> and `)}</p>`);
  expect(page.links()).toHaveLength(count);
  expect(page.markdown({ removeBase64Images: true }).length).toBeGreaterThan(6_000_000);
});
