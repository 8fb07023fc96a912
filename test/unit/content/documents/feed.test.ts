import { expect, test } from "vitest";
import { documentKind } from "../../../../src/content/documents/kind/kind.ts";
import { openPage } from "../../../../src/content/page-view.ts";
import { readFeed } from "../../../../src/content/documents/text/feed.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../src/content/documents/read-document.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string) =>
  readDocument("feed", bytesOf(text), { contentType: "application/xml", url: "https://example.com/f" });

test.each([
  ["Atom in an own namespace", '<!-- x --><feed xmlns="http://example.com/new#"><title>A</title></feed>'],
  ["Atom without a namespace", "<!-- x --><feed><entry><id>a</id></entry></feed>"],
  ["RSS 0.90", '<!-- x --><rdf:RDF xmlns="http://my.netscape.com/rdf/simple/0.9/"><channel/></rdf:RDF>'],
  ["a channel in capitals", "<!-- x --><CHANNEL><ABSTRACT>A</ABSTRACT></CHANNEL>"],
  ["a channel with an address alone", '<!-- x --><CHANNEL HREF="https://example.com/"></CHANNEL>'],
])("a feed behind a comment is no page: %s", (_name, text) => {
  expect(documentKind({ contentType: "text/xml", name: "a.xml", bytes: bytesOf(text) })).toBe("feed");
});

test("titles, dates and authors of Dublin Core are read", async () => {
  const { markdown, metadata } = await read(
    '<rss xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><channel><dc:title>Garden</dc:title><managingEditor>Ada</managingEditor><lastBuildDate>Fri, 01 Mar 2024 10:00:00 GMT</lastBuildDate><item><dc:title>Pears</dc:title><dc:creator>Bob</dc:creator><dc:creator>Eve</dc:creator><dcterms:created>2024-03-02</dcterms:created></item></channel></rss>',
  );
  expect(markdown).toBe("# Garden\n\n## Pears\n\n2024-03-02 · Bob, Eve");
  expect(metadata).toEqual({ title: "Garden", author: "Ada", modifiedTime: "2024-03-01 10:00" });
});

test("texts in base64, and those of older and further formats, are read", async () => {
  const words = (text: string): string => btoa(text);
  const { markdown, metadata } = await read(
    `<feed version="0.3"><link href="https://example.com/"/><abstract>About pears</abstract>
    <entry><title mode="base64">${words("Pear <b>trees</b>")}</title><content type="application/octet-stream">${words("<p>Old &amp; tall</p>")}</content><lastmod>2004-04-06</lastmod></entry>
    <entry><title mode="base64">not base64!</title><fullitem>&lt;p&gt;Whole&lt;/p&gt;</fullitem></entry>
    <entry><title>Third</title><media:group><media:description>In a group</media:description></media:group></entry></feed>`,
  );
  expect(markdown.split("\n\n")).toEqual([
    "# [https://example.com/](https://example.com/)",
    "About pears",
    "## Pear trees",
    "2004-04-06",
    "Old & tall",
    "## not base64!",
    "Whole",
    "## Third",
    "In a group",
  ]);
  expect(metadata?.["description"]).toBe("About pears");
});

test("channels in capitals, RSS in a namespace of its own, and names in mixed case are read", async () => {
  const channel =
    '<CHANNEL HREF="https://example.com/"><TITLE>Garden</TITLE><ABSTRACT>About pears</ABSTRACT><ITEM HREF="https://example.com/a" LASTMOD="2004-04-06T23:05Z"><TITLE>Pears</TITLE><ABSTRACT>Tall</ABSTRACT></ITEM></CHANNEL>';
  expect((await read(channel)).markdown).toBe(
    "# [Garden](https://example.com/)\n\nAbout pears\n\n## [Pears](https://example.com/a)\n\n2004-04-06 23:05\n\nTall",
  );
  const named =
    '<r:rss xmlns:r="http://backend.userland.com/rss2"><r:channel><r:title>A</r:title><r:item><r:title>B</r:title></r:item></r:channel></r:rss>';
  expect((await read(named)).markdown).toBe("# A\n\n## B");
  expect((await read("<rss><channel><TiTlE>A</TiTlE><Item><Title>B</Title></Item></channel></rss>")).markdown).toBe(
    "# A\n\n## B",
  );
});

test("each item without an end is written once, without those that follow it", async () => {
  const unended = (count: number): string =>
    Array.from({ length: count }, (_, at) => `<item><title>Pear ${at}</title><description>Tall ${at}`).join("");
  expect((await read(`<rss><channel><title>Garden</title>${unended(3)}`)).markdown).toBe(
    "# Garden\n\n## Pear 0\n\nTall 0\n\n## Pear 1\n\nTall 1\n\n## Pear 2\n\nTall 2",
  );
  const [short = 0, long = 0] = await Promise.all(
    [50, 200].map(async (count) => (await read(`<rss>${unended(count)}`)).markdown.length),
  );
  expect(long).toBeLessThan(short * 5);
});

test("what is written takes steps, and the items beyond the budget are named", () => {
  const items = [1, 2, 3].map((at) => `<item><title>Pear ${at}</title><description>${"tall ".repeat(16_000)}</description></item>`); // prettier-ignore
  const budget = new WorkBudget({ steps: 9_000 });
  const { html } = readFeed(bytesOf(`<rss>${items.join("")}</rss>`), "application/xml", budget);
  expect(html).toContain("Pear 1<");
  expect(html).not.toContain("Pear 3<");
  expect(budget.warning).toContain("the items of the feed");
});

test("categories follow an item, and contributors stand for a missing author", async () => {
  const entry =
    '<entry><title>Pears</title><contributor><name>Eve</name></contributor><category term="x" label="Fruit &amp; trees"/><category term="tall"/></entry>';
  expect((await read(`<feed>${entry}</feed>`)).markdown).toBe("## Pears\n\nEve\n\nCategories: Fruit & trees, tall");
  const item =
    "<item><title>Plums</title><author>Ada</author><category>a</category><category>a</category><category/></item>";
  expect((await read(`<rss><channel>${item}</channel></rss>`)).markdown).toBe("## Plums\n\nAda\n\nCategories: a");
});

test.each([
  ["Atom 1.0", "<feed><rights>Text of Ada</rights><entry><id>a</id><rights>Text of Bob</rights></entry></feed>"],
  ["Atom 0.3", "<feed><copyright>Text of Ada</copyright><entry><copyright>Text of Bob</copyright></entry></feed>"],
  [
    "RSS",
    "<rss><channel><copyright>Text of Ada</copyright><item><dc:rights>Text of Bob</dc:rights></item><item><dc:rights>Text of Ada</dc:rights></item></channel></rss>",
  ],
])("a feed with nothing but rights has them as text: %s", async (_name, text) => {
  const { markdown, metadata } = await read(text);
  expect(markdown).toBe("Rights: Text of Bob\n\nRights: Text of Ada");
  expect(metadata).toEqual({ rights: "Text of Ada" });
});

test("rights end the text of a feed, and of an entry that has others", async () => {
  const { markdown } = await read(
    "<feed><title>Garden</title><rights type='html'>&amp;copy; &lt;b&gt;Ada&lt;/b&gt;</rights><entry><title>Pears</title><summary>They are ripe.</summary><rights>Bob, 2024</rights></entry><entry><title>Plums</title></entry></feed>",
  );
  expect(markdown).toBe("# Garden\n\n## Pears\n\nThey are ripe.\n\nRights: Bob, 2024\n\n## Plums\n\nRights: © Ada");
});

test.each([
  ["<title>std::vector&lt;int&gt; explained</title>", "## std::vector\\<int> explained"],
  [
    "<title>How &lt;code class='x'&gt;List&lt;T&gt;&lt;/code&gt; &lt;b&gt;works&lt;/b&gt;</title>",
    "## How List\\<T> works",
  ],
  ["<title type='text'>The &lt;b&gt; element &amp;amp; more</title>", "## The \\<b> element \\&amp; more"],
  ["<title>A</title><author>Ada &lt;ada@example.com&gt;</author>", "## A\n\nAda"],
])("signs in angle brackets that are no tags stay in titles: %s", async (fields, markdown) => {
  expect((await read(`<feed><entry>${fields}</entry></feed>`)).markdown).toBe(markdown);
});

test("XHTML has a line break for each of its breaks", async () => {
  const { markdown } = await read(
    '<feed><entry><content type="xhtml"><div>a<br/>b <img src="/i.png" alt="c"/><hr/>d</div></content></entry></feed>',
  );
  expect(markdown).toBe("a  \nb ![c](https://example.com/i.png)\n\n---\n\nd");
});

test.each([
  ["<link>posts/1.html</link>", "## [A](https://example.com/posts/1.html)"],
  ['<link href="../posts/1"/>', "## [A](https://example.com/posts/1)"],
  ["<link>https://example.com/a b</link>", "## [A](https://example.com/a%20b)"],
  ["<guid>posts/1</guid>", "## A"],
  ["<link>mailto:a@example.com</link>", "## A"],
  ["<link>to be added</link>", "## A"],
  ["<link>posts/1</link><guid>posts/1</guid>", "## [A](https://example.com/posts/1)"],
  ["<link>www.a.example/1</link><guid>https://www.a.example/1</guid>", "## [A](https://www.a.example/1)"],
])("an item with %s is %s", async (address, markdown) => {
  expect((await read(`<rss><channel><item><title>A</title>${address}</item></channel></rss>`)).markdown).toBe(markdown);
});

test("the HTML of a feed is cleaned, and its addresses are absolute", async () => {
  const body = bytesOf(
    '<rss><channel><item><title>A</title><link>a</link><description>&lt;img src=i.png onerror="x()"&gt;&lt;script&gt;x()&lt;/script&gt;&lt;a href="/b"&gt;b&lt;/a&gt;&lt;a href="javascript:x()"&gt;c&lt;/a&gt;</description></item></channel></rss>',
  );
  const page = { engine: "fetch" as const, url: "https://example.com/f/feed", statusCode: 200, headers: {}, contentType: "application/rss+xml", body, warnings: [] }; // prettier-ignore
  const clean = { onlyMainContent: true, includeTags: [], excludeTags: [] };
  const view = await openPage(page, { clean, pdf: undefined, bytesOnly: false });
  expect(view.html()).toBe(
    '<html><body><h2><a href="https://example.com/f/a">A</a></h2><div><img src="https://example.com/f/i.png"><a href="https://example.com/b">b</a><a>c</a></div></body></html>',
  );
});
