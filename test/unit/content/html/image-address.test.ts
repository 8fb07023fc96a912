import { expect, test } from "vitest";
import { imageAddress } from "../../../../src/content/html/image-address.ts";
import { parseSrcset } from "../../../../src/content/html/resolve-url.ts";
import { selectAll } from "../../../../src/content/html/tree/select.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const BASE = "https://a.example/dir/page";

test.each([
  { why: "a source", html: '<img src="i.png">', address: "https://a.example/dir/i.png" },
  {
    why: "the widest of a set",
    html: '<img src="s.png" srcset="/s.png 300w, /l.png 1200w">',
    address: "https://a.example/l.png",
  },
  {
    why: "the densest of a set",
    html: '<img srcset="/1.png, /3.png 3x, /2.png 2x">',
    address: "https://a.example/3.png",
  },
  {
    why: "a lazy set",
    html: '<img src="data:image/gif;base64,R0" data-srcset="/a.png 1x">',
    address: "https://a.example/a.png",
  },
  {
    why: "a lazy set behind a set of placeholders",
    html: '<img srcset="data:image/gif;base64,R0 1w" data-srcset="/a.png 1x">',
    address: "https://a.example/a.png",
  },
  {
    why: "a source beside a lazy one whose width a script fills in",
    html: '<img src="/p_300x.jpg" data-src="/p_{width}x.jpg" data-widths="[180,360]">',
    address: "https://a.example/p_300x.jpg",
  },
  {
    why: "a lazy source beside others that a script completes",
    html: '<img src="/p_%7Bwidth%7Dx.jpg" x-src="/q_{{size}}.jpg" y-src="/r.jpg">',
    address: "https://a.example/r.jpg",
  },
  {
    why: "an address with an identifier in braces",
    html: '<img src="/s.jpg" data-src="/{0F6A-11}/p.jpg">',
    address: "https://a.example/%7B0F6A-11%7D/p.jpg",
  },
  { why: "a lazy source", html: '<img src="/spacer.gif" data-src="/a.png">', address: "https://a.example/a.png" },
  { why: "another lazy source", html: '<img data-original="/a.png">', address: "https://a.example/a.png" },
  {
    why: "a picture's source",
    html: '<picture><source srcset="/w.webp 2x"><img></picture>',
    address: "https://a.example/w.webp",
  },
  {
    why: "the image of a picture before its sources",
    html: '<picture><source srcset="/w.webp"><img src="/f.jpg"></picture>',
    address: "https://a.example/f.jpg",
  },
  {
    why: "the twin without scripts",
    html: '<p><img class=lazy alt=q src="data:image/svg+xml,x"><noscript><img alt=q src="/a.jpg"></noscript></p>',
    address: "https://a.example/a.jpg",
  },
  {
    why: "data when there is nothing else",
    html: '<img src="data:image/png;base64,AA">',
    address: "data:image/png;base64,AA",
  },
  {
    why: "a placeholder when there is nothing else",
    html: '<img src="/blank.gif">',
    address: "https://a.example/blank.gif",
  },
  {
    why: "a lazy source of any name",
    html: '<img src="data:image/svg+xml;base64,AA" nitro-lazy-src="https://b.example/a.png">',
    address: "https://b.example/a.png",
  },
  {
    why: "a lazy set of any name",
    html: '<img src="data:image/svg+xml;base64,AA" data-lazy-srcset="/a.png 1x, /b.png 2x">',
    address: "https://a.example/b.png",
  },
  {
    why: "its own source before lazy ones of any name",
    html: '<img src="/a.png" data-zoom-src="/b.png">',
    address: "https://a.example/a.png",
  },
  { why: "no template marks", html: '<img data-src="{{url}}" src="/a.png">', address: "https://a.example/a.png" },
  {
    why: "its own source where lazy attributes are no addresses",
    html: '<img data-lazy="true" data-image="123" data-src="null" src="/a.png">',
    address: "https://a.example/a.png",
  },
  {
    why: "a lazy source beside it",
    html: '<img data-src="a.png" src="/b.png">',
    address: "https://a.example/dir/a.png",
  },
  { why: "no code", html: '<img src="javascript:x">', address: undefined },
  { why: "nothing", html: "<img alt=x>", address: undefined },
])("an image has $why", ({ html, address }) => {
  const [image] = selectAll(parseHtml(html).root, "img");
  expect(image && imageAddress(image, BASE)).toBe(address);
});

test.each([
  { srcset: "a.png", urls: ["a.png"] },
  { srcset: " a.png 1x,b.png 2x , c.png ", urls: ["a.png", "b.png", "c.png"] },
  { srcset: "w_1,h_2/a.png 100w, b.png 200w 50h", urls: ["w_1,h_2/a.png", "b.png"] },
  { srcset: "a.png, b.png,", urls: ["a.png", "b.png"] },
  { srcset: "a.png 1q, b.png", urls: ["a.png", "b.png"] },
  { srcset: ",,, ,", urls: [] },
  { srcset: "", urls: [] },
])("the set $srcset holds $urls", ({ srcset, urls }) => {
  expect(parseSrcset(srcset).map(({ url }) => url)).toEqual(urls);
});

test("a hostile set is read in linear time", () => {
  const hostile = `${"a".repeat(200_000)} b ${" ".repeat(200_000)}${",".repeat(200_000)}c`;
  expect(parseSrcset(hostile).length).toBeLessThan(4);
});
