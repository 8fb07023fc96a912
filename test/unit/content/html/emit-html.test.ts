import { expect, test } from "vitest";
import type { CleanOptions } from "../../../../src/content/main-content/clean.ts";
import { cleanHtml, toHtml } from "../../../../src/content/read-html.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { viewOf } from "../reading.ts";

const EVERYTHING: CleanOptions = { onlyMainContent: false, includeTags: [], excludeTags: [] };

function htmlOf(html: string, options: Partial<CleanOptions> = {}): string {
  const view = viewOf(html);
  return toHtml(view, cleanHtml(view, { ...EVERYTHING, ...options }));
}

test.each([
  { why: "an empty page is empty", html: "", body: "" },
  {
    why: "head, scripts, styles, comments and templates go",
    html: "<head><title>t</title><meta name=a><noscript>z</noscript></head><script>x</script><style>y</style><!-- c --><template>w</template><p>a</p>",
    body: "<p>a</p>",
  },
  {
    why: "addresses are absolute",
    html: '<a href="/x">a</a><img src="i.png" alt="b">',
    body: '<a href="https://shop.example/x">a</a><img src="https://shop.example/guide/i.png" alt="b">',
  },
  {
    why: "the base counts",
    html: '<base href="https://b.example/c/"><a href="x">a</a>',
    body: '<a href="https://b.example/c/x">a</a>',
  },
  {
    why: "images show their largest source",
    html: '<img src="/s.png" srcset="/s.png 1x, /l.png 2x" data-src="/d.png" width="3">',
    body: '<img src="https://shop.example/l.png" width="3">',
  },
  {
    why: "sets of sources are absolute",
    html: '<picture><source srcset="/a.webp 1x, /b.webp 2x"><img src="/c.png"></picture>',
    body: '<picture><source srcset="https://shop.example/a.webp 1x, https://shop.example/b.webp 2x"><img src="https://shop.example/c.png"></picture>',
  },
  {
    why: "handlers and code go",
    html: '<p onclick="x()" style="color:red" class="k">a</p><a href="javascript:x()">b</a>',
    body: '<p class="k">a</p><a>b</a>',
  },
  {
    why: "addresses in drawings are absolute, and code goes",
    html: '<svg><a xlink:href="javascript:x()">a</a><a xlink:href="/b">b</a></svg>',
    body: '<svg><a>a</a><a xlink:href="https://shop.example/b">b</a></svg>',
  },
  {
    why: "what looks like markup is escaped",
    html: '<p title="&quot;>&lt;">&lt;b&gt; &amp;amp;</p>',
    body: '<p title="&quot;>&lt;">&lt;b&gt; &amp;amp;</p>',
  },
  { why: "what is hidden goes", html: '<p hidden>a</p><p style="display: none">b</p><p>c</p>', body: "<p>c</p>" },
  {
    why: "shadow roots are shown",
    html: '<x-y><template shadowrootmode="open"><p>a</p></template></x-y>',
    body: "<x-y><p>a</p></x-y>",
  },
  { why: "old listings become new ones", html: "<xmp>&lt;<b></xmp>", body: "<pre>&amp;lt;&lt;b&gt;</pre>" },
  { why: "open elements are closed", html: "<ul><li>a<li>b", body: "<ul><li>a</li><li>b</li></ul>" },
])("$why", ({ html, body }) => {
  expect(htmlOf(html)).toBe(`<html><body>${body}</body></html>`);
});

test("the same page in is the same page out", () => {
  const once = htmlOf(
    '<div class="a">b<p>c &lt; d<img src="/e.png" alt="f &quot;g&quot;"><a href="?h=1&amp;i=2">j</a></div>',
  );
  expect(htmlOf(once)).toBe(once);
});

test("form controls belong to whole pages and not to main content", () => {
  const text = "The ferry runs every hour on workdays, and on Sundays every second hour, all year round. ".repeat(4);
  const html = `<main><h1>Ferry</h1><p>${text}</p><textarea class="hide">{%=name%}</textarea><p>${text}And so on.</p></main>`;
  expect(htmlOf(html)).toContain("<textarea");
  expect(htmlOf(html, { onlyMainContent: true })).toContain("And so on.");
  expect(htmlOf(html, { onlyMainContent: true })).not.toContain("<textarea");
});

test.each([
  { what: "a set of sources", html: `<picture><source srcset="${"a 1x, ".repeat(100)}"></picture>`, kept: 50 },
  { what: "an element", html: `<p>${'<a href=a cite=a action="a" data=a>b</a>'.repeat(25)}</p>`, kept: 51 },
])("each address of $what counts with the length of its base, and those beyond the budget are left out", ({ html, kept }) => {
  const view = viewOf(html, `https://a.example/${"b".repeat(16_000)}/`);
  const budget = new WorkBudget({ steps: 50_550 });
  const written = toHtml(view, cleanHtml(view, EVERYTHING), budget);
  expect(written.match(/bbb\/a/g)).toHaveLength(kept);
  expect(budget.warning).toContain("incomplete: HTML.");
}); // prettier-ignore
