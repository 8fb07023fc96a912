import { expect, test } from "vitest";
import { readImages } from "../../../../src/content/html/images.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { viewOf } from "../reading.ts";

const AT = "https://shop.example";

test.each([
  {
    why: "sources, lazy sources and sets",
    html: '<img src="/a.png" data-src="/b.png" srcset="/c.png 1x, /d.png 2x" data-srcset="/e.png 1x">',
    images: ["/a.png", "/b.png", "/c.png", "/d.png", "/e.png"],
  },
  {
    why: "no sources that a script completes",
    html: '<img src="/p_300x.jpg" data-src="/p_{width}x.jpg">',
    images: ["/p_300x.jpg"],
  },
  {
    why: "sources of pictures",
    html: '<picture><source srcset="/w.webp"><img src="/f.jpg"></picture>',
    images: ["/w.webp", "/f.jpg"],
  },
  { why: "not the sources of films", html: '<video poster="/p.jpg"><source src="/v.mp4"></video>', images: ["/p.jpg"] },
  {
    why: "meta tags",
    html: '<meta property="og:image" content="/o.png"><meta property="og:image:secure_url" content="/s.png"><meta name="twitter:image" content="/t.png"><meta itemprop="image" content="/i.png"><meta name="x" content="/no.png">',
    images: ["/o.png", "/s.png", "/t.png", "/i.png"],
  },
  {
    why: "icons",
    html: '<link rel="shortcut icon" href="/f.ico"><link rel="apple-touch-icon" href="/t.png"><link rel="image_src" href="/s.png"><link rel="stylesheet" href="/no.css">',
    images: ["/f.ico", "/t.png", "/s.png"],
  },
  {
    why: "backgrounds",
    html: `<div style="background-image: url('/b.png')"></div><p style='background:#fff url("/c.png") no-repeat'></p><i style="background: url(/d.png)"></i><i style="color:red;--hero-background:url(/e.png);mask:url(/no.png)"></i>`,
    images: ["/b.png", "/c.png", "/d.png", "/e.png"],
  },
  {
    why: "what other tools load late",
    html: '<img src="/blank.gif" nitro-lazy-src="/n.jpg"><img src="/a.png" data-lazy-srcset="/s.png 1x, /l.png 2x">',
    images: ["/blank.gif", "/n.jpg", "/a.png", "/l.png"],
  },
  { why: "each once", html: '<img src="/a.png"><img src="/a.png">', images: ["/a.png"] },
  { why: "no code and nothing empty", html: '<img src="javascript:x"><img src=""><img>', images: [] },
])("images: $why", ({ html, images }) => {
  expect(readImages(viewOf(html))).toEqual(images.map((path) => AT + path));
});

test("images: data is kept, and addresses without a scheme are https", () => {
  const view = viewOf('<img src="data:image/gif;base64,R0"><img src="//cdn.example/a.png">', "http://old.example/");
  expect(readImages(view)).toEqual(["data:image/gif;base64,R0", "https://cdn.example/a.png"]);
});

const candidates = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join("");

test.each([
  ["a set of sources", `<img srcset="${candidates(100, (index) => `a${index} 1x, `)}">`],
  ["a style", `<p style="${candidates(100, (index) => `background:url(a${index});`)}">x</p>`],
])("images: each address of %s counts with the length of its base, and those beyond the budget are left out", (_what, html) => {
  const view = viewOf(html, `https://a.example/${"b".repeat(16_000)}/`);
  const budget = new WorkBudget({ steps: 50_500 });
  expect(readImages(view, budget)).toHaveLength(50);
  expect(budget.warning).toContain("incomplete: images.");
}); // prettier-ignore
