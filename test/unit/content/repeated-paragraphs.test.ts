import { describe, expect, test } from "vitest";
import { openPage } from "../../../src/content/page-view.ts";

const SAME = "This is one and the same paragraph, with some words in it, which says a thing or two.";
const other = (index: number) =>
  `<p>The ferry number ${index} leaves the harbour at ${index % 24} o'clock, and calls at the islands of the north.</p>`;

async function read(paragraphs: string[]) {
  const body = `<title>Big page</title><header><nav><a href="/">Home</a> <a href="/b">About</a></nav></header>
    <main><article><h1>Big page</h1>${paragraphs.join("\n")}</article></main><footer>Copyright</footer>`;
  const loaded = { engine: "fetch" as const, url: "https://a.test/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] as string[] };
  const view = await openPage(loaded, { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false });
  const markdown = view.markdown({ removeBase64Images: true });
  return { count: markdown.split(SAME).length - 1, warnings: loaded.warnings };
} // prettier-ignore

const repeat = (count: number) => Array.from({ length: count }, () => `<p>${SAME}</p>`);

/** Each in surroundings of its own, as twins for other widths and the entries of sliders are. */
const repeatApart = (count: number) => repeat(count).map((paragraph) => `<div class="slide">${paragraph}</div>`);

describe("paragraphs that a page repeats", () => {
  test.each([10, 100, 1_000])("all %i stay when they are what the page consists of", async (count) => {
    const { count: found, warnings } = await read(repeat(count));
    expect(found).toBe(count);
    expect(warnings).toEqual([]);
  });

  test.each([2, 10])("stay all %i where one text repeats them", async (count) => {
    const others = Array.from({ length: 40 }, (_, index) => other(index));
    const { count: found, warnings } = await read([...repeat(count), ...others]);
    expect(found).toBe(count);
    expect(warnings).toEqual([]);
  });

  test("stay once among others, and a warning says so when they are many", async () => {
    const { count, warnings } = await read([
      ...repeatApart(10),
      ...Array.from({ length: 40 }, (_, index) => other(index)),
    ]);
    expect(count).toBe(1);
    expect(warnings).toEqual([expect.stringMatching(/repeats word for word or nearly so; onlyMainContent: false/)]);
  });

  test("are taken for twins of one text when they are two, without a word", async () => {
    const { count, warnings } = await read([
      ...repeatApart(2),
      ...Array.from({ length: 10 }, (_, index) => other(index)),
    ]);
    expect(count).toBe(1);
    expect(warnings).toEqual([]);
  });
});
