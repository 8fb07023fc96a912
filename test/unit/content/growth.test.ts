/**
 * Hostile pages of growing size. What a page costs is counted, not timed: steps of the request's budget must not grow faster than
 * n log n. Readers that take no steps are held by a time limit, which is generous for linear work and out of reach of quadratic
 * work at the largest size.
 */
import { describe, expect, test } from "vitest";
import { openPage, type PageView } from "../../../src/content/page-view.ts";
import { scanPage } from "../../../src/content/scan-page.ts";
import { streamHtml } from "../../../src/content/stream-html.ts";
import { WorkBudget } from "../../../src/core/work-budget.ts";
import { readProduct } from "../../../src/content/products.ts";

const SIZES = [10, 100, 1_000, 10_000];
/** From 100 to 1,000, n log n grows by 15; quadratic work grows by 100. */
const MAX_GROWTH = 20;
/** Steps that each level of a nest may cost. A tree is 512 levels deep at most, and some readers look at all that is below a level. */
const MAX_STEPS_PER_LEVEL = 6_000;
const URL = "https://a.example/dir/";

const many = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("");
const jsonLd = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

/** Nesting: each element in the one before, and never closed. */
const NESTED = {
  div: "<div>x ", span: "<span>x ", "li in ol": "<li><ol>x ", "li in ul": "<ul><li>x ", details: "<details><summary>x</summary>", dl: "<dl><dt>a<dd>b ",
  table: "<table><tr><td>x ", blockquote: "<blockquote><p>x ", b: "<b>x ", "b in p": "<b><p>x ", a: '<a href="/x">x <div>', section: "<section><h2>x</h2>", svg: "<svg><g>", math: "<math><mfrac><mi>x</mi>",
  font: "<font><p>x", select: "<select><option>x", button: "<button>x ", ruby: "<ruby><rt>x", "a card": '<div class="card"><h3 class="title">x</h3><a href="/a">y</a><div class="card">',
  item: "<div itemscope itemprop=a>x ", thing: "<div typeof=T property=a>x ", hidden: '<div style="display:none">x ', label: "<label>a: b ", template: "<template>x ",
}; // prettier-ignore

const REPEATED: Record<string, (count: number) => string> = {
  paragraphs: (count) => many(count, (index) => `<p>This is paragraph ${index}, with some words in it.</p>`),
  "the same paragraph": (count) => "<p>This is one paragraph, with some words in it.</p>".repeat(count),
  "links in one line": (count) => `<p>${many(count, (index) => `<a href="/${index}">x</a> `)}`,
  pictures: (count) => many(count, (index) => `<img src="/${index}.png" alt="a">`),
  headings: (count) => many(count, (index) => `<h2>Heading ${index}</h2><p>Text.</p>`),
  "entries of a list": (count) => `<ul>${many(count, (index) => `<li>entry ${index}`)}</ul>`,
  "rows of a table": (count) => `<table>${many(count, (index) => `<tr><td>label ${index}<td>value`)}</table>`,
  "columns of a table": (count) => `<table><tr>${"<td>x".repeat(count)}</tr><tr>${"<td>y".repeat(count)}</table>`,
  "cells over all columns": (count) => `<table>${"<tr><td colspan=1000000000 rowspan=1000000000>x<td>y".repeat(count)}</table>`,
  "terms and values": (count) => `<dl>${many(count, (index) => `<dt>label ${index}<dd>value`)}</dl>`,
  "terms above values": (count) => `<dl>${"<dt>a".repeat(count)}${"<dd>b".repeat(count)}</dl>`,
  cards: (count) => many(count, (index) => `<div class="card"><h3>N ${index}</h3><a href="/${index}">go</a><span class="price">$${index}</span></div>`),
  buttons: (count) => many(count, (index) => `<button aria-controls="p${index}">Show</button><div id="p${index}" hidden>Panel</div>`),
  "elements of one id": (count) => "<div id=a>x</div>".repeat(count),
  "classes of one element": (count) => `<div class="${many(count, (index) => `c${index} `)}">x</div>`,
  "attributes of one element": (count) => `<div ${many(count, (index) => `a${index}=1 `)}>x</div>`,
  "words of an attribute": (count) => `<div title="${"x ".repeat(count)}">x</div>`,
  "candidates of a srcset": (count) => `<img srcset="${many(count, (index) => `${index}.png ${index}w, `)}">`,
  "commas in a srcset": (count) => `<img srcset="a${",".repeat(count)}b 1x">`,
  metas: (count) => many(count, (index) => `<meta name="a${index}" content="x">`),
  bases: (count) => '<base href="/x/">'.repeat(count),
  options: (count) => `<select>${many(count, (index) => `<option>${index}`)}</select>`,
  entities: (count) => `<p>${"&nbsp;&amp;&#x41;&lt".repeat(count)}</p>`,
  "end tags of nothing": (count) => `${"<div>".repeat(500)}${"</span>".repeat(count)}`,
  "bold that crosses blocks": (count) => "<b><p>x</b>".repeat(count),
  "line breaks": (count) => `<p>${"a: b<br>".repeat(count)}`,
  "letters in one word": (count) => `<p>${"x".repeat(count)}</p>`,
  spaces: (count) => `<p>a${" ".repeat(count)}b</p>`,
  brackets: (count) => `<p>${"[".repeat(count)}${"](".repeat(count)}</p>`,
  stars: (count) => `<p>${"*".repeat(count)} ${"_a".repeat(count)} ${"`".repeat(count)}</p>`,
  digits: (count) => `<p>${"1,".repeat(count)} ${"1.".repeat(count)}</p>`,
  colons: (count) => `<p>${"a:".repeat(count)}</p><h2>${":".repeat(count)}x</h2>`,
  addresses: (count) => `<p>${"http://".repeat(count)} ${"a@".repeat(count)} ${"www.".repeat(count)}</p>`,
  "open tags": (count) => "<".repeat(count) + "</".repeat(count) + "<!".repeat(count),
  comments: (count) => "<!--".repeat(count) + `<!--${"--x".repeat(count)}`,
  "quotes left open": (count) => '<a b="'.repeat(count),
  "rules of a style": (count) => `<style>${".a:not(.b):has(.c){color:red}".repeat(count)}</style><p>x`,
  "lines of code": (count) => `<pre><code>${many(count, (index) => `<span>let a${index} = ${index};</span>\n`)}</code></pre>`,
  "addresses of protected mail": (count) => '<a class="__cf_email__" data-cfemail="543931">x</a>'.repeat(count),
  "late parts": (count) => many(count, (index) => `<template id="B:${index.toString(16)}"></template><div hidden id="S:${index.toString(16)}">x</div>`),
  "items that refer to each other": (count) => many(count, (index) => `<div itemscope itemprop=p id=i${index} itemref="i${index + 1} i${index + 2} i0">x</div>`),
  "properties of an item": (count) => `<div itemscope>${many(count, (index) => `<p itemprop="a${index}">x</p>`)}</div>`,
  things: (count) => '<div itemscope itemtype="https://schema.org/Product"><p itemprop=name>x</p><p itemprop=price>1</p></div>'.repeat(count),
  "JSON-LD products": (count) => jsonLd(Array.from({ length: count }, (_, index) => ({ "@type": "Product", name: `n${index}`, price: index }))),
  "JSON-LD levels": (count) => `<script type="application/ld+json">${'{"a":'.repeat(count)}1${"}".repeat(count)}</script>`,
  "JSON-LD levels left open": (count) => `<script type="application/ld+json">${'{"a":'.repeat(count)}</script>`,
  "JSON-LD circles": (count) => jsonLd({ "@graph": Array.from({ length: count }, (_, index) => ({ "@id": `#${index}`, "@type": "T", a: [1, 2, 3].map((step) => ({ "@id": `#${(index + step) % count}` })) })) }),
  "JSON-LD names": (count) => jsonLd(Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, "v"]))),
}; // prettier-ignore

const schema = () => ({
  type: "object",
  properties: {
    title: { type: "string" },
    price: { type: "number" },
    tags: { type: "array", items: { type: "string" } },
    items: { type: "array", items: { type: "object", properties: { name: { type: "string" }, price: { type: "number" } } } },
    address: { type: "object", properties: { city: { type: "string" } } },
  },
}); // prettier-ignore

/** Reads a page in every form. @returns the steps that it took */
async function readAll(html: string): Promise<number> {
  const budget = new WorkBudget({ steps: Infinity });
  const open = (onlyMainContent: boolean): Promise<PageView> => {
    const loaded = { engine: "fetch" as const, url: URL, statusCode: 200, headers: {}, contentType: "text/html", body: html, warnings: [] }; // prettier-ignore
    return openPage(loaded, { clean: { onlyMainContent, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false, budget }); // prettier-ignore
  };
  for (const view of [await open(true), await open(false)]) {
    view.markdown({ removeBase64Images: true });
    view.html();
  }
  const view = await open(false);
  view.facts();
  view.links();
  view.images();
  view.metadata();
  readProduct(view.structured());
  view.fill(schema());
  view.attributeValues({ selector: "div > p, li a[href]", attribute: "href" });
  streamHtml(html, { baseUrl: URL, onlyMainContent: true }, budget);
  scanPage(html, URL);
  return budget.steps;
}

async function growth(write: (count: number) => string): Promise<number[]> {
  const steps: number[] = [];
  for (const count of SIZES) steps.push(await readAll(write(count)));
  return steps.slice(1).map((count, index) => count / Math.max(steps[index]!, 1_000));
}

describe("the work for a page grows no faster than n log n with", () => {
  // Up to the greatest depth of a tree the work for a level grows with the depth; beyond it, it must not grow any more.
  test.each(Object.entries(NESTED))("levels of %s", async (_name, tags) => {
    const small = await readAll(tags.repeat(SIZES.at(-2)!));
    const large = await readAll(tags.repeat(SIZES.at(-1)!));
    expect(large / small).toBeLessThan(MAX_GROWTH);
    expect(large / SIZES.at(-1)!).toBeLessThan(MAX_STEPS_PER_LEVEL);
  }, 60_000); // prettier-ignore

  test.each(Object.entries(REPEATED))("%s", async (_name, write) => {
    for (const factor of await growth(write)) expect(factor).toBeLessThan(MAX_GROWTH);
  }, 60_000); // prettier-ignore
});
