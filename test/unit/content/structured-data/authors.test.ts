import { describe, expect, test, vi } from "vitest";
import { openHtml } from "../../../../src/content/read-html.ts";
import { readAuthor } from "../../../../src/content/structured-data/authors.ts";
import { readStructuredData } from "../../../../src/content/structured-data/read-structured-data.ts";
import { fillSchema } from "../../../../src/content/structured-data/schema/fill-schema.ts";
import { shapeOf } from "../../../../src/content/structured-data/schema/schema-shape.ts";

describe("readAuthor", () => {
  test.each([
    ["By Ada Lovelace on May 1, 2026", "Ada Lovelace"],
    ["Ada Lovelace, May 1, 2026", "Ada Lovelace"],
    ["Ada Lovelace | 5 min read", "Ada Lovelace"],
    ["Posted by Ada Lovelace on April 20, 2026 @ 8:39 am CT", "Ada Lovelace"],
    ["By Ada Lovelace, Senior Science Reporter", "Ada Lovelace"],
    ["By Ada Lovelace and Mary Somerville", "Ada Lovelace and Mary Somerville"],
    ["Von Ada Lovelace mit AP", "Ada Lovelace"],
    ["Par Ada de la Tour · 3 mai 2024", "Ada de la Tour"],
    ["ada_l September 5, 2024, 11:15pm", "ada_l"],
    ['"Ada Lovelace"', "Ada Lovelace"],
    ["Jane Reporter", "Jane Reporter"],
    ["Written by Ada Lovelace in Engines on 1 June 2019 at 08:34 PM. 51 Comments", "Ada Lovelace"],
    ["Ada Lovelace, engines.com | The Engine", "Ada Lovelace"],
    ["Ada Lovelace <ada at engines dot com>", "Ada Lovelace"],
    ["By Ada Lovelace Senior Engines Reporter", "Ada Lovelace"],
    ["Ada Lovelace@adalovelace May 1, 2026", "Ada Lovelace"],
    ["Ada Lovelace @ada", "Ada Lovelace"],
    ["Ada Lovelace (Sponsored Post), Rednerin bei engines.example", "Ada Lovelace"],
    ["Ada Lovelace, Professor of Engines at Bay College", "Ada Lovelace"],
    ["Ada (Augusta King) Lovelace", "Ada (Augusta King) Lovelace"],
    ["文● オカモト／編集部", "オカモト／編集部"],
    ["Women in Engines", "Women in Engines"],
    ["My Nguyen", "My Nguyen"],
  ])("%s names %s", (byline, name) => {
    expect(readAuthor(byline)).toBe(name);
  });

  test.each([
    "",
    "by",
    "Author",
    "Posts",
    "3 hours ago",
    "https://shop.example/ada",
    "shop.com",
    "Sat, 20 Dec 2025",
    "By our research team",
  ])("%s names nobody", (text) => {
    expect(readAuthor(text)).toBeUndefined();
  });
});

function fill(html: string, properties: Record<string, object>): unknown {
  const data = readStructuredData(openHtml(html, "https://news.example/seawall"));
  return fillSchema(shapeOf({ type: "object", properties }), data).value;
}

describe("the author of a page", () => {
  test.each([
    `<p class="byline">By Ada Lovelace on May 1, 2026</p>`,
    `<div><span>By <a href="/ada">Ada Lovelace</a></span> <time datetime="2026-05-01">May 1, 2026</time></div>`,
    `<p>Text.</p><div><small>WRITTEN BY</small><p><strong>Ada Lovelace</strong></p><p>Ada writes on machines.</p></div>`,
  ])("%s is the name", (byline) => {
    const html = `<title>The engine</title><h1>The engine</h1>${byline}<p>It computes.</p>`;
    expect(fill(html, { author: { type: "string" } })).toEqual({ author: "Ada Lovelace" });
  });

  test("a shop that sells and a list by category have no author", () => {
    const html = `<title>Dress</title><h1>Dress</h1><p>Sold by: <a href="/v">Poetry in Stitches</a></p>
      <dl><dt>Browse by Category</dt><dd>All, Product, Wiki</dd></dl>`;
    expect(fill(html, { author: { type: "string" } })).toBeUndefined();
  });

  test("authors of posts have no dates", () => {
    const posts = ["Ada Lovelace|May 1, 2026", "Mary Somerville|May 3, 2026", "Grace Hopper|May 4, 2026"].map(
      (post) => {
        const [name, day] = post.split("|");
        return `<article class="post"><h2><a href="/${name?.length}">Post of ${name}</a></h2><p class="author">By ${name} on ${day}</p></article>`;
      },
    );
    const html = `<title>Blog</title><h1>Blog</h1><div class="posts">${posts.join("")}</div>`;
    const item = { type: "object", properties: { title: { type: "string" }, author: { type: "string" } } };
    const value = fill(html, { posts: { type: "array", items: item } }) as { posts: { author: string }[] };
    expect(value.posts.map(({ author }) => author)).toEqual(["Ada Lovelace", "Mary Somerville", "Grace Hopper"]);
  });
});

describe("the title of a page", () => {
  test("is the heading that the head confirms, not the name of the site", () => {
    const html = `<title>Two engines | The Bay</title><meta property="og:site_name" content="The Bay">
      <h1>The Bay</h1><h1>Two engines</h1><h3 class="title">Related blogs</h3>`;
    expect(fill(html, { title: {}, publisher: { type: "string" } })).toEqual({
      title: "Two engines",
      publisher: "The Bay",
    });
  });

  test("is the head's where the heading is the site before the title, or of a part", () => {
    const site = `<title>Bay Blog: Two small engines</title><meta property="og:title" content="Two small engines"><h1>Bay Blog</h1>`;
    const part = `<title>Two small engines | Bay</title><meta property="og:title" content="Two small engines | Bay"><h1>Why they turn</h1>`;
    for (const html of [site, part]) expect(fill(html, { title: {} })).toEqual({ title: "Two small engines" });
  });

  test("is the head's where the only heading is a template or the site", () => {
    const html = `<title>Two engines | Bay</title><meta property="og:title" content="Two engines"><h1>Bay</h1><h1>{{ item.title }}</h1>`;
    expect(fill(html, { title: {} })).toEqual({ title: "Two engines" });
  });
});

test("a price under each of several things is not the price of the page", () => {
  const part = (name: string, price: number): string => `<h3>${name}</h3><p>Price: $${price}</p>`;
  const html = `<title>Three courses</title><h1>Three courses</h1>${part("A", 10)}${part("B", 20)}${part("C", 30)}`;
  expect(fill(html, { price: { type: "number" } })).toBeUndefined();
});

test("the one number that a reader is asked to call is the telephone number", () => {
  const html = `<title>Repair</title><h1>Repair</h1><p>Call us now: (217) 555-4344</p><p>Fax (217) 555-4999</p>`;
  expect(fill(html, { phone: { type: "string" } })).toEqual({ phone: "(217) 555-4344" });
});

test("labels for the author that name nobody are read once each, with what follows them", () => {
  const count = 1_000;
  const page = openHtml("<p>by".repeat(count), "https://a.example/");
  let filtered = 0;
  const { filter } = Array.prototype;
  vi.spyOn(Array.prototype, "filter").mockImplementation(function (this: unknown[], ...args: unknown[]) {
    filtered += this.length;
    return Reflect.apply(filter, this, args) as unknown[];
  });
  readStructuredData(page);
  vi.restoreAllMocks();
  expect(filtered).toBeLessThan(100 * count);
});
