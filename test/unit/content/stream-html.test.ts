import { describe, expect, test } from "vitest";
import { openPage } from "../../../src/content/page-view.ts";
import { streamHtml } from "../../../src/content/stream-html.ts";

const stream = (html: string, onlyMainContent = true) =>
  streamHtml(html, { baseUrl: "https://a.example/dir/", onlyMainContent });

test("a page of 7 MB of links in one paragraph is read in one pass", async () => {
  const links = Array.from({ length: 200_000 }, (_, index) => `<a href="/page/${index}">number ${index}</a>`);
  const body = `<p>${links.join(" and ")}</p>`;
  const loaded = { engine: "fetch" as const, url: "https://a.test/", statusCode: 200, headers: {}, contentType: "text/html", body, warnings: [] }; // prettier-ignore
  const view = await openPage(loaded, { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false }); // prettier-ignore
  expect(body.length).toBeGreaterThan(6_000_000);
  const markdown = view.markdown({ removeBase64Images: true });
  expect(markdown.match(/\]\(https:\/\/a\.test\/page\/\d+\)/g)).toHaveLength(200_000);
  expect(view.html().match(/<a href=/g)).toHaveLength(200_000);
  // Each tag once: the work is that of the bytes.
  expect(view.budget.steps).toBeLessThan(500_000);
});

describe("streamHtml", () => {
  test.each([
    ["headings and paragraphs", "<h1>A</h1><p>b <b>c</b></p>", "# A\n\nb c\n"],
    ["lists", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n\n  - b\n\n- c\n"],
    ["links", '<p>see <a href="x">this</a></p>', "see [this](https://a.example/dir/x)\n"],
    ["pictures", '<p><img src="/i.png" alt="p"></p>', "![p](https://a.example/i.png)\n"],
    ["listings", "<pre>a\n  b</pre>", "```\na\n  b\n```\n"],
    ["no scripts and no styles", "<script>x</script><style>y</style><p>z</p>", "z\n"],
    ["no navigation", "<nav>menu</nav><p>z</p><footer>foot</footer>", "z\n"],
    ["what follows a list of choices left open", "<div><select>q</div><p>z</p>", "z\n"],
    ["what follows a drawing closed at once", "<svg/><p>z</p>", "z\n"],
    ["blocks in items and headings", "<ul><li><p>x</p><p>y</p></li></ul><h2><div>T</div></h2>", "- x\n\ny\n\n## T\n"],
    ["no marks of empty items and headings", "<ul><li></ul><p>x</p><h2></h2><p>y</p>", "x\n\ny\n"],
    ["text behind a style of a formula that is closed at once", "<math><style/><mi>x</mi></math><p>z</p>", "x\n\nz\n"],
    [
      "a body behind a head without an end",
      "<html><head><meta><title>t</title><style>y</style><body><h1>A</h1>",
      "# A\n",
    ],
    ["text and blocks behind a head without an end", "<head><title>t</title> x<p>z</p><head><p>w</p>", "x\n\nz\n\nw\n"],
    [
      "nothing of a head",
      "<head><noscript><img src=/i.png><p>a</p></noscript><template><p>b</p></template></head>",
      "",
    ],
    ["text behind a title of a drawing that is closed at once", "<svg><title/><style/></svg><p>z</p>", "z\n"],
    [
      "links and pictures relative to the first base",
      '<base href="/b/"><base href="/c/"><p><a href="x">t</a><img src="i.png" alt="p"></p>',
      "[t](https://a.example/b/x)![p](https://a.example/b/i.png)\n",
    ],
    ["escaped starts of lines", "<p># a</p>", "\\# a\n"],
  ])("%s", (_what, html, markdown) => {
    expect(stream(html).markdown).toBe(markdown);
  });

  test("keeps navigation when everything is wanted", () => {
    expect(stream("<nav>menu</nav><p>z</p>", false).markdown).toBe("menu\n\nz\n");
  });

  test("gives the same content as HTML, with the head, links and pictures", () => {
    const page = stream(
      '<html lang="en"><title>T &amp; U</title><p>a < b <a href="/x">x</a><img src="/i.png" alt="&quot;"></p>',
    );
    expect(page.html).toBe(
      '<html><body><p>a &lt; b <a href="https://a.example/x">x</a><img src="https://a.example/i.png" alt="&quot;"></p></body></html>',
    );
    expect(page).toMatchObject({ links: ["https://a.example/x"], images: ["https://a.example/i.png"] });
    expect(page.head).toMatchObject({ title: "T & U", language: "en" });
    expect(stream("<svg><title/></svg><title>T</title><p>a</p>").head.title).toBe("T");
    expect(stream('<base href="/b/"><a href="x">t</a>')).toMatchObject({
      links: ["https://a.example/b/x"],
      head: { baseHref: "/b/" },
    });
    const long = `<base href="/${"b".repeat(10_000)}/">`;
    expect(stream(`${long}<a href="x">t</a>`).links).toEqual(["https://a.example/dir/x"]);
    expect(stream(`${long}<base href="/c/"><a href="x">t</a>`).links).toEqual(["https://a.example/c/x"]);
  });
});

test("a page over the limit is streamed and says so", async () => {
  const body = `<title>Book</title><p class="x">${"word ".repeat(1_300_000)}</p>`;
  const view = await openPage(
    {
      engine: "fetch",
      url: "https://a.example/",
      statusCode: 200,
      headers: {},
      contentType: "text/html",
      body,
      warnings: [],
    },
    { clean: { onlyMainContent: true, includeTags: [".x"], excludeTags: [] }, pdf: {}, bytesOnly: false },
  );
  expect(view.markdown({ removeBase64Images: true }).length).toBeGreaterThan(6_000_000);
  expect(view.metadata()).toMatchObject({ title: "Book" });
  expect(view.loaded.warnings.join()).toMatch(/read in a stream.*includeTags/);
});

test("a million nested elements are read through", () => {
  expect(stream(`${"<div>".repeat(1_000_000)}deep`).markdown).toBe("deep\n");
});
