import { expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { emitHtml } from "../../../../src/content/html/emit-html.ts";
import { emitMarkdown } from "../../../../src/content/markdown/emit-markdown.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";
import { processorMs } from "../../../processor-time.ts";
import { isShort, sampleCount } from "../../../sample.ts";

const URL = "https://shop.example/";

/** A page of which the classifier chose everything. */
function chosen(html: string) {
  const roots = [parseHtml(html).root];
  return { roots, droppedElements: new Set<never>(), droppedText: new Map(), revealed: "all" as const };
}

const markdownOf = (html: string): string => emitMarkdown(chosen(html), { baseUrl: URL, removeBase64Images: true });

test.each([
  {
    why: "leave out words for screen readers in a line that speaks for itself",
    html: '<h4>Cup style <span class="visually-hidden">More information</span></h4><p>They leak. <span class="sr-only">(opens in a new window)</span> Much.</p>',
    markdown: "#### Cup style\n\nThey leak. Much.\n",
  },
  {
    why: "leave them out of links",
    html: '<p><a href="/a">Read more<span class="screen-reader-text">: Tents</span></a></p>',
    markdown: "[Read more](https://shop.example/a)\n",
  },
  {
    why: "keep them where a link or a cell says nothing else",
    html: '<p>See <a href="/a"><svg></svg><span class="sr-only">Tents</span></a></p>',
    markdown: "See [Tents](https://shop.example/a)\n",
  },
  {
    why: "keep the labels of bare numbers",
    html: '<p><span class="sr-only">Sale price</span> $19 <span class="sr-only">Regular price</span> $24</p>',
    markdown: "Sale price $19 Regular price $24\n",
  },
  {
    why: "keep what an icon stands for",
    html: '<p>align <abbr class="icon"><span class="visually-hidden">Deprecated</span></abbr></p>',
    markdown: "align Deprecated\n",
  },
  {
    why: "keep titles and blocks for screen readers",
    html: '<main><h1 class="sr-only">Fire pits</h1><p>They burn.</p></main>',
    markdown: "# Fire pits\n\nThey burn.\n",
  },
  {
    why: "keep what is folded",
    html: '<p>Is it open?</p><p hidden>Yes.</p><p style="display:none">Daily.</p>',
    markdown: "Is it open?\n\nYes.\n\nDaily.\n",
  },
])("chosen parts $why", ({ html, markdown }) => {
  expect(markdownOf(html)).toBe(markdown);
  const words = (text: string) => text.match(/\p{L}+/gu);
  const html2 = emitHtml(chosen(html), URL).replace(/<[^>]*>/g, " ");
  expect(words(html2)).toEqual(words(markdown.replace(/\(https[^)]*\)/g, "")));
});

test.each([
  { why: "copies a listing", html: "<button>Copy</button><div><pre>let a = 1;</pre></div>", kept: false },
  {
    why: "stands in a card",
    html: "<div><button>Add Wawona Tent to compare</button></div><div>$10</div>",
    kept: false,
  },
  { why: "is the last of all", html: "<p>Some text.</p><button>Back to top</button>", kept: false },
  {
    why: "has an answer behind it",
    html: "<button>Opening hours</button><div>From nine to five, daily.</div>",
    kept: true,
  },
  {
    why: "has an answer behind what is around it",
    html: "<div><h9><button>Opening hours</button></h9></div><div>From nine to five, daily.</div>",
    kept: true,
  },
  { why: "asks something", html: "<p>Some text.</p><button>Is it open?</button>", kept: true },
  { why: "unfolds something", html: '<p>Text.</p><button aria-expanded="false">Hours</button>', kept: true },
  { why: "shows something", html: '<p>Text.</p><button aria-controls="a">Hours</button>', kept: true },
  { why: "is a tab", html: '<p>Text.</p><button role="tab">Hours</button>', kept: true },
  { why: "is a heading", html: "<h3><button>Hours</button></h3>", kept: true },
  { why: "stands in a sentence", html: "<div>See <button>hours</button> and more.</div>", kept: true },
  {
    why: "holds a sentence",
    html: "<p>Text.</p><button>“It is the best thing that I have seen in years.”</button>",
    kept: true,
  },
  { why: "is all there is", html: "<button>Enter</button>", kept: true },
])("a chosen button that $why is kept: $kept", ({ html, kept }) => {
  const text = /.*<button[^>]*>([^<]*)/.exec(html)?.[1] ?? "";
  expect(markdownOf(html).includes(text)).toBe(kept);
});

const MANY = isShort() ? 25_000 : sampleCount(25_000, 5_000, 50_000);
/** Linear work takes a tenth of it; 10 ns for each pair of them take more. */
const MAX_MS = 5_000;

test.each([
  { what: "buttons side by side", html: "<button>a</button>".repeat(MANY) + "<button></button>".repeat(MANY) },
  { what: "buttons in wrappers", html: "<div><button>a</button></div>".repeat(MANY) },
  { what: "words for screen readers", html: '<span class="sr-only">a</span>'.repeat(2 * MANY) },
])("a page of $what is written in linear time", async ({ html }) => {
  const written = (): void => expect(markdownOf(`<div>${html}<p>end</p></div>`)).toContain("end\n");
  expect(await processorMs(written)).toBeLessThan(MAX_MS);
});

test("the search for visible words in blocks in blocks takes steps", () => {
  const page = chosen(`${"<div><span class=sr-only>x</span>".repeat(200)}${"<i></i>".repeat(500)}`);
  const ofMarkdown = new WorkBudget();
  const ofHtml = new WorkBudget();
  emitMarkdown(page, { baseUrl: URL, removeBase64Images: true, budget: ofMarkdown });
  emitHtml(page, URL, ofHtml);
  for (const budget of [ofMarkdown, ofHtml]) expect(budget.steps).toBeGreaterThan(100_000);
});
