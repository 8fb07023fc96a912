import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { readSitemap, streamSitemap, type Sitemap } from "../../../../src/content/crawling/sitemap.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
async function read(text: string): Promise<Omit<Sitemap, "bytesRead">> {
  const { bytesRead, ...sitemap } = await readSitemap(bytes(text));
  expect(bytesRead).toBe(bytes(text).byteLength);
  return sitemap;
}
const urlsOf = async (text: string): Promise<string[]> => (await read(text)).urls.map(({ url }) => url);
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

const PLAIN = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="${NAMESPACE}">
  <url><loc>https://example.com/</loc><lastmod>2024-04-02</lastmod><changefreq>daily</changefreq></url>
  <url><loc>https://example.com/a?b=1&amp;c=2</loc></url>
</urlset>`;

test("a set of URLs gives each with its date", async () => {
  expect(await read(PLAIN)).toEqual({
    urls: [{ url: "https://example.com/", lastModified: "2024-04-02" }, { url: "https://example.com/a?b=1&c=2" }],
    sitemaps: [],
    problems: [],
  });
});

test("an index gives its sitemaps", async () => {
  const index = `<sitemapindex xmlns="${NAMESPACE}"><sitemap><loc>https://example.com/a.xml</loc></sitemap>
    <sitemap><loc>https://example.com/b.xml.gz</loc><lastmod>2024-01-01</lastmod></sitemap></sitemapindex>`;
  expect(await read(index)).toEqual({
    urls: [],
    sitemaps: ["https://example.com/a.xml", "https://example.com/b.xml.gz"],
    problems: [],
  });
});

describe("addresses are found", () => {
  test.each<[why: string, text: string, urls: string[]]>([
    [
      "behind a byte order mark and blanks",
      `\u{FEFF}\n  ${PLAIN}`,
      ["https://example.com/", "https://example.com/a?b=1&c=2"],
    ],
    [
      "in CDATA",
      "<urlset><url><loc><![CDATA[https://example.com/a&b]]></loc></url></urlset>",
      ["https://example.com/a&b"],
    ],
    [
      "with entities of numbers",
      "<urlset><url><loc>https://example.com/&#97;&#x62;</loc></url></urlset>",
      ["https://example.com/ab"],
    ],
    [
      "with bare ampersands",
      "<urlset><url><loc>https://example.com/?a=1&all=2</loc></url></urlset>",
      ["https://example.com/?a=1&all=2"],
    ],
    [
      "under any prefix",
      `<s:urlset xmlns:s="${NAMESPACE}"><s:url><s:loc>https://example.com/a</s:loc></s:url></s:urlset>`,
      ["https://example.com/a"],
    ],
    ["in capitals", "<URLSET><URL><LOC>https://example.com/a</LOC></URL></URLSET>", ["https://example.com/a"]],
    ["between blanks", "<urlset><url><loc>\n https://example.com/a \n</loc></url></urlset>", ["https://example.com/a"]],
    [
      "beside pictures, which are none",
      "<urlset><url><loc>https://example.com/a</loc><image:image><image:loc>https://example.com/p.jpg</image:loc></image:image></url></urlset>",
      ["https://example.com/a"],
    ],
    [
      "before pictures are named",
      "<urlset><url><image:image><image:loc>https://example.com/p.jpg</image:loc></image:image><loc>https://example.com/a</loc></url></urlset>",
      ["https://example.com/a"],
    ],
    [
      "beside other languages",
      `<urlset><url><loc>https://example.com/a</loc><xhtml:link rel="alternate" hreflang="de" href="https://example.com/de"/></url></urlset>`,
      ["https://example.com/a"],
    ],
    [
      "without the end of an entry",
      "<urlset><url><loc>https://example.com/a</loc><url><loc>https://example.com/b</loc></url></urlset>",
      ["https://example.com/a", "https://example.com/b"],
    ],
    [
      "without any end",
      "<urlset><url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b",
      ["https://example.com/a", "https://example.com/b"],
    ],
    [
      "after what is no address",
      "<urlset><url><loc>nothing</loc></url><url><loc>https://example.com/b</loc></url></urlset>",
      ["https://example.com/b"],
    ],
    [
      "one a line",
      "https://example.com/a\r\nhttps://example.com/b\n\n  https://example.com/c",
      ["https://example.com/a", "https://example.com/b", "https://example.com/c"],
    ],
    [
      "in RSS",
      "<rss><channel><link>https://example.com/</link><item><title>A</title><link>https://example.com/a</link></item></channel></rss>",
      ["https://example.com/a"],
    ],
    [
      "in RSS by permalink",
      `<rss><item><guid>https://example.com/a</guid></item><item><guid isPermaLink="false">https://example.com/b</guid></item></rss>`,
      ["https://example.com/a"],
    ],
    [
      "in Atom",
      `<feed><entry><id>urn:1</id><link rel="self" href="https://example.com/x.xml"/><link href="https://example.com/a"/></entry></feed>`,
      ["https://example.com/a"],
    ],
  ])("%s", async (_why, text, urls) => {
    expect(await urlsOf(text)).toEqual(urls);
  });

  test("with titles and dates of feeds", async () => {
    const feed = `<rss><item><image><url>https://example.com/a.png</url></image><title>One &amp; two</title><link>https://example.com/a</link><pubDate>Tue, 02 Apr 2024</pubDate></item></rss>`;
    expect((await read(feed)).urls).toEqual([
      { url: "https://example.com/a", lastModified: "Tue, 02 Apr 2024", title: "One & two" },
    ]);
  });

  test("with titles of news", async () => {
    const news = `<urlset><url><loc>https://example.com/a</loc><news:news><news:title>Ferry late</news:title></news:news></url></urlset>`;
    expect((await read(news)).urls).toEqual([{ url: "https://example.com/a", title: "Ferry late" }]);
  });

  test.each<[name: string, body: Uint8Array]>([
    ["gzip", gzipSync(PLAIN)],
    ["UTF-16", new Uint8Array([0xff, 0xfe, ...Buffer.from(PLAIN.replace("UTF-8", "UTF-16"), "utf16le")])],
    ["UTF-8 that declares UTF-16", bytes(PLAIN.replace("UTF-8", "utf-16"))],
    ["ISO 8859-1", Buffer.from(PLAIN.replace("UTF-8", "iso-8859-1"), "latin1")],
  ])("in %s", async (_name, body) => {
    expect((await readSitemap(body, { contentType: "application/octet-stream" })).urls).toHaveLength(2);
  });
});

test("a byte order mark overrules the charset of the header", async () => {
  const body = bytes(`\u{FEFF}${PLAIN.slice(PLAIN.indexOf("<urlset")).replace("a?b", "é?b")}`);
  const { urls } = await readSitemap(body, { contentType: "application/xml; charset=iso-8859-1" });
  expect(urls[1]?.url).toBe("https://example.com/%C3%A9?b=1&c=2");
});

describe("it says what is wrong with", () => {
  test.each<[why: string, body: Uint8Array, problem: RegExp]>([
    ["a web page", bytes("<!doctype html><html><body><a href='/'>x</a></body></html>"), /web page/],
    ["an empty file", bytes(" \n"), /empty/],
    ["texts that are no addresses", bytes("not found\n"), /No address of a page: not found/],
    ["scripts", bytes("<urlset><url><loc>javascript:alert(1)</loc></url></urlset>"), /No address/],
    ["endless nesting", bytes("<a>".repeat(300_000)), /nested deeper/],
    [
      "an endless address",
      bytes(`<urlset><url><loc>https://example.com/${"a".repeat(9_000_000)}</loc></url></urlset>`),
      /No address/,
    ],
    ["a broken archive", gzipSync(PLAIN).subarray(0, 60), /cannot be decompressed/],
  ])("%s", async (_why, body, problem) => {
    const { urls, problems } = await readSitemap(body);
    expect(urls).toEqual([]);
    expect(problems.join("; ")).toMatch(problem);
  });

  test("an archive that breaks off, and reads it as far as it goes", async () => {
    const many = Array.from(
      { length: 20_000 },
      (_, index) => `<url><loc>https://example.com/${(index * 7919) % 99991}</loc></url>`,
    );
    const packed = gzipSync(`<urlset>${many.join("")}</urlset>`);
    const { urls, problems } = await readSitemap(packed.subarray(0, packed.byteLength / 2));
    expect(urls.length).toBeGreaterThan(1000);
    expect(problems).toHaveLength(1);
  });

  test("entities that unfold into each other, which stay text", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><urlset><url><loc>https://example.com/&b;</loc></url></urlset>`;
    expect(await urlsOf(bomb)).toEqual(["https://example.com/&b;"]);
  });

  test("a bomb, of which no more is unpacked than is read", async () => {
    const seen: string[] = [];
    const body = gzipSync(`<urlset><url><loc>https://example.com/a</loc></url>${" ".repeat(20_000_000)}`);
    const sink = { onUrl: ({ url }: { url: string }) => seen.push(url), onSitemap: () => undefined };
    const { bytesRead, problems } = await streamSitemap(body, { sink, maxBytes: 1_000_000 });
    expect(seen).toEqual(["https://example.com/a"]);
    expect(bytesRead).toBe(1_000_000);
    expect(problems).toEqual(["The file is longer than 1000000 bytes"]);
  });
});

test("a file that is stopped costs no more than its beginning, also when a few bytes unpack to all of it", async () => {
  const budget = new WorkBudget();
  const { problems } = await readSitemap(gzipSync(`<urlset>${"<a>".repeat(20_000)}`), { budget });
  expect(problems).toEqual(["Elements are nested deeper than 64"]);
  expect(budget.steps).toBeLessThan(1_000);
});

test("other requests run while a file is read that a few bytes unpack to", async () => {
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  await readSitemap(gzipSync(`<urlset>${"<a/>".repeat(200_000)}</urlset>`));
  clearInterval(others);
  expect(turns).toBeGreaterThan(2);
});

test("50,000 URLs come one by one, in order", async () => {
  const wanted = Array.from({ length: 50_000 }, (_, index) => `https://example.com/page/${index}`);
  const text = `<urlset>${wanted.map((url) => `<url><loc>${url}</loc></url>`).join("\n")}</urlset>`;
  const seen: string[] = [];
  const sink = { onUrl: ({ url }: { url: string }) => seen.push(url), onSitemap: () => undefined };
  await streamSitemap(gzipSync(text), { sink });
  expect(seen).toEqual(wanted);
});

test("whatever the bytes are, reading ends and gives addresses of the web alone", async () => {
  const tag = fc.constantFrom(
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<sitemap>",
    "<item>",
    "<link>",
    "</",
    "<![CDATA[",
    "]]>",
    "<!--",
    "&amp;",
    "&",
    "https://a.b/c",
    "mailto:x",
    "\n",
    "<image:loc>",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(tag, fc.string()), { maxLength: 40 }), async (pieces) => {
      const { urls, sitemaps } = await read(`<urlset>${pieces.join("")}`);
      for (const url of [...urls.map((entry) => entry.url), ...sitemaps]) expect(url).toMatch(/^https?:\/\//);
    }),
  );
});
