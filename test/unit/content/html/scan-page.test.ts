import { expect, test } from "vitest";
import { scanPage } from "../../../../src/content/html/scan-page.ts";

const scan = (html: string) => scanPage(html, "https://example.com/docs/start");

test("a page's links come in order, each once, with the words of the first", () => {
  const { links } = scan(
    `<a href="a">First</a> <a href="/b?x=1&amp;y=2"><b>Bold</b>  words</a> <a href="a">Again</a>
     <map><area href="c"></map><link rel="next" href="?page=2"><link rel="stylesheet" href="s.css">
     <!-- <a href="no">no</a> --><script>"<a href='no'>"</script><a href="#part">part</a><a href="javascript:x">x</a>`,
  );
  expect(links).toEqual([
    { url: "https://example.com/docs/a", text: "First" },
    { url: "https://example.com/b?x=1&y=2", text: "Bold words" },
    { url: "https://example.com/docs/c", text: "" },
    { url: "https://example.com/docs/start?page=2", text: "" },
  ]);
});

test("the base of a page's addresses is heeded", () => {
  expect(scan(`<base href="/other/"><a href="a">A</a>`).links[0]?.url).toBe("https://example.com/other/a");
});

test("a page says its title and description", () => {
  const { title, description } = scan(
    `<title> The\n harbour </title><meta property="og:description" content="Boats &amp; bells"><svg><title>Icon</title></svg>`,
  );
  expect({ title, description }).toEqual({ title: "The harbour", description: "Boats & bells" });
});

test.each([
  ["a title that is closed at once", "<svg><title/><path/></svg>"],
  ["a style that is closed at once", '<svg viewBox="0 0 1 1"><style/></svg>'],
  ["text in a style", "<svg><style>a<b></style></svg>"],
  ["HTML in a drawing", "<svg><foreignObject><style><a href=x></style></foreignObject><title/></svg>"],
  ["a drawing without an end", "<svg><p></p><style><a href=x></style>"],
  ["a formula", "<math><title/></math>"],
  ["ends without a start", "</title></svg></math>"],
])("links behind %s are found", (_what, drawing) => {
  const { title, links } = scan(`${drawing}<title>Page</title><a href="a">A</a>`);
  expect({ title, links }).toEqual({ title: "Page", links: [{ url: "https://example.com/docs/a", text: "A" }] });
});

test("the links of a page have four million characters, however long a base makes them", () => {
  const base = `<base href="https://example.com/${"a".repeat(1_900)}/">`;
  const { links } = scan(base + Array.from({ length: 20_000 }, (_, at) => `<a href="?${at}">`).join(""));
  expect(links.length).toBeGreaterThan(1_000);
  expect(links.reduce((sum, { url }) => sum + url.length, 0)).toBeLessThan(4_002_000);
});

test("unfinished tags without end are read in one pass", () => {
  expect(scan(`${"<a ".repeat(200_000)}`).links).toEqual([]);
  expect(scan(`${"<a href=x>".repeat(100_000)}`).links).toHaveLength(1);
  expect(scan(`${"<svg><title>".repeat(100_000)}${"</math>".repeat(100_000)}`).links).toEqual([]);
});
