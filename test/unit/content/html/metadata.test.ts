import { expect, test, vi } from "vitest";
import { readMetadata } from "../../../../src/content/html/metadata.ts";
import { viewOf } from "../reading.ts";

const read = (html: string) => readMetadata(viewOf(html));
const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`;

interface Case {
  why: string;
  html: string;
  metadata: Record<string, unknown>;
}

test.each<Case>([
  { why: "the title with white space collapsed", html: "<title> A\n  &amp; B </title>", metadata: { title: "A & B" } },
  {
    why: "letters that the site escaped twice, but no markup and no address",
    html: `<title>Redacci&amp;oacute;n &amp;amp; &amp;lt;b></title>${meta("description", "Caf&amp;eacute;")}${meta("og:url", "https://a.example/?a&amp;copy;b")}`,
    metadata: {
      title: "Redacción &amp; &lt;b>",
      description: "Café",
      ogUrl: "https://a.example/?a&copy;b",
      "og:url": "https://a.example/?a&copy;b",
    },
  },
  {
    why: "og:title for want of a title",
    html: '<meta property="og:title" content="O">',
    metadata: { title: "O", ogTitle: "O", "og:title": "O" },
  },
  {
    why: "twitter:title for want of both",
    html: meta("twitter:title", "T"),
    metadata: { title: "T", "twitter:title": "T" },
  },
  {
    why: "no title from a meta tag of that name",
    html: `<title>A</title>${meta("title", "B")}${meta("Title", "C")}`,
    metadata: { title: "A" },
  },
  {
    why: "descriptions joined",
    html: meta("description", "a") + meta("Description", "b"),
    metadata: { description: "a, b" },
  },
  { why: "keywords once", html: meta("keywords", "a, b"), metadata: { keywords: "a, b" } },
  { why: "keywords repeated", html: meta("keywords", "a") + meta("keywords", "b"), metadata: { keywords: ["a", "b"] } },
  {
    why: "robots and language",
    html: `<html lang="de-AT">${meta("robots", "noindex")}`,
    metadata: { robots: "noindex", language: "de-AT" },
  },
  {
    why: "the icon, absolute",
    html: '<link rel="apple-touch-icon" href="/t.png"><link rel="shortcut icon" href="f.ico">',
    metadata: { favicon: "https://shop.example/guide/f.ico" },
  },
  {
    why: "other locales",
    html: '<meta property="og:locale:alternate" content="fr"><meta property="og:locale:alternate" content="de">',
    metadata: { ogLocaleAlternate: ["fr", "de"], "og:locale:alternate": ["fr", "de"] },
  },
  {
    why: "repeated tags as a list",
    html: meta("citation_author", "A") + meta("citation_author", "B"),
    metadata: { citation_author: ["A", "B"] },
  },
  {
    why: "tags of one value as text",
    html: meta("viewport", "width=device-width"),
    metadata: { viewport: "width=device-width" },
  },
  {
    why: "tags that have two names",
    html: '<meta name="description" property="og:description" content="d">',
    metadata: { description: "d", ogDescription: "d", "og:description": "d" },
  },
  { why: "item properties", html: '<meta itemprop="ratingValue" content="4.5">', metadata: { ratingValue: "4.5" } },
  { why: "no empty values", html: meta("author", "  ") + meta("", "x"), metadata: {} },
  { why: "no prototype", html: meta("__proto__", "x") + meta("constructor", "y"), metadata: { constructor: "y" } },
])("metadata has $why", ({ html, metadata }) => {
  expect(read(html)).toEqual({ ogLocaleAlternate: [], ...metadata });
});

test.each([
  ["og:title", "ogTitle"],
  ["og:description", "ogDescription"],
  ["og:url", "ogUrl"],
  ["og:image", "ogImage"],
  ["og:audio", "ogAudio"],
  ["og:determiner", "ogDeterminer"],
  ["og:locale", "ogLocale"],
  ["og:site_name", "ogSiteName"],
  ["og:video", "ogVideo"],
  ["article:section", "articleSection"],
  ["article:tag", "articleTag"],
  ["article:published_time", "publishedTime"],
  ["article:modified_time", "modifiedTime"],
  ["dcterms.keywords", "dcTermsKeywords"],
  ["dc.description", "dcDescription"],
  ["dc.subject", "dcSubject"],
  ["dcterms.subject", "dcTermsSubject"],
  ["dcterms.audience", "dcTermsAudience"],
  ["dc.type", "dcType"],
  ["dcterms.type", "dcTermsType"],
  ["dc.date", "dcDate"],
  ["dc.date.created", "dcDateCreated"],
  ["dcterms.created", "dcTermsCreated"],
])("%s is read as %s, in whatever case it is written", (tag, key) => {
  expect(read(meta(tag, "v"))).toMatchObject({ [key]: "v", [tag]: "v" });
  expect(read(`<meta property="${tag.toUpperCase()}" content="v">`)).toMatchObject({ [key]: "v" });
});

test("many tags of one name are kept once each, without a search through the others", () => {
  const html = Array.from({ length: 5_000 }, (_, index) => `<meta name="same" content="v${index % 2_500}">`).join("");
  const view = viewOf(html);
  const searched = vi.spyOn(Array.prototype, "includes");
  const { same } = readMetadata(view);
  const compared = searched.mock.contexts.reduce<number>((sum, list) => sum + (list as unknown[]).length, 0);
  searched.mockRestore();
  expect(same).toHaveLength(2_500);
  expect(compared).toBeLessThan(50_000);
});
