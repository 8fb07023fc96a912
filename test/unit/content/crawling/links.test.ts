import { expect, test } from "vitest";
import { readLinks } from "../../../../src/content/crawling/links.ts";
import { viewOf } from "../reading.ts";

test.each([
  {
    why: "relative ones made absolute",
    html: '<a href="x"><a href="/y"><a href="//z.example/">',
    links: ["https://shop.example/guide/x", "https://shop.example/y", "https://z.example/"],
  },
  {
    why: "each once, in document order",
    html: '<a href="/b">1</a><a href="/a">2</a><a href="/b">3</a>',
    links: ["https://shop.example/b", "https://shop.example/a"],
  },
  { why: "mail addresses", html: '<a href="mailto:a@b.example">', links: ["mailto:a@b.example"] },
  { why: "no fragments of the same page", html: '<a href="#top">a</a><a href=" #x ">b</a>', links: [] },
  {
    why: "client-side routes of the same page",
    html: '<a href="#/a">a</a><a href=" #!/b/c ">b</a><a href="#/">home</a><a href="#!/">home</a><a href="#note/1">1</a>',
    links: ["https://shop.example/guide/page.html?lang=en#/a", "https://shop.example/guide/page.html?lang=en#!/b/c"],
  },
  { why: "fragments of others", html: '<a href="/y#x">', links: ["https://shop.example/y#x"] },
  {
    why: "no code, no data, nothing empty",
    html: '<a href="javascript:x()"><a href=""><a href="  "><a href="data:text/html,x"><a>',
    links: [],
  },
  { why: "none that cannot be read", html: '<a href="http://[">', links: [] },
  { why: "the page's base", html: '<base href="https://b.example/c/"><a href="d">', links: ["https://b.example/c/d"] },
  {
    why: "a base that is relative itself, and only the first",
    html: '<base href="/c/"><base href="/e/"><a href="d">',
    links: ["https://shop.example/c/d"],
  },
  { why: "areas of image maps", html: '<map><area href="/m"></map>', links: ["https://shop.example/m"] },
  {
    why: "links in navigation and hidden parts",
    html: '<nav hidden><a href="/n">n</a></nav>',
    links: ["https://shop.example/n"],
  },
  {
    why: "addresses with entities and spaces",
    html: '<a href=" /a?b=1&amp;c=2 ">',
    links: ["https://shop.example/a?b=1&c=2"],
  },
])("links: $why", ({ html, links }) => {
  expect(readLinks(viewOf(html))).toEqual(links);
});
