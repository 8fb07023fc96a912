import { expect, test } from "vitest";
import type { CleanOptions } from "../../../../src/content/main-content/clean.ts";
import { cleanHtml, toHtml, toMarkdown } from "../../../../src/content/read-html.ts";
import { viewOf } from "../reading.ts";

const EVERYTHING: CleanOptions = { onlyMainContent: false, includeTags: [], excludeTags: [] };
const TEXT = "The harbour was rebuilt after the flood of 1953. ".repeat(3).trim();
const LONG = Array.from({ length: 6 }, () => `<p>${TEXT}</p>`).join("");
const LINES = Array.from({ length: 6 }, () => TEXT).join("\n\n");

function read(html: string, options: Partial<CleanOptions> = {}): { markdown: string; html: string } {
  const view = viewOf(html);
  const cleaned = cleanHtml(view, { ...EVERYTHING, ...options });
  return { markdown: toMarkdown(view, cleaned, { removeBase64Images: true }), html: toHtml(view, cleaned) };
}

test.each([
  {
    why: "in a noscript",
    html: `<body><noscript><h1>Harbour</h1><p>${TEXT}</p></noscript>`,
    markdown: `# Harbour\n\n${TEXT}\n`,
  },
  {
    why: "in a noscript, beside a note",
    html: `<body><p>Loading</p><noscript><h1>Harbour</h1><p>${TEXT}</p></noscript>`,
    markdown: `Loading\n\n# Harbour\n\n${TEXT}\n`,
  },
  {
    why: "hidden until scripts show it",
    html: `<body style="visibility:hidden"><main><h1>Harbour</h1><p>${TEXT}</p></main>`,
    markdown: `# Harbour\n\n${TEXT}\n`,
  },
  {
    why: "hidden, without a title, and most of the page",
    html: `<p>Three cookies, please.</p><div style="display:none">${LONG}</div>`,
    markdown: `Three cookies, please.\n\n${LINES}\n`,
  },
  {
    why: "hidden twice",
    html: `<p>Menu</p><div hidden><div style="display:none"><h1>Harbour</h1>${LONG}</div><p hidden>Sale</p></div>`,
    markdown: `Menu\n\n# Harbour\n\n${LINES}\n`,
  },
  {
    why: "all in folded panels",
    html: "<button>Is it open?</button><div hidden><p>Yes.</p></div><button>Today?</button><div hidden><p>No.</p></div>",
    markdown: "Is it open?\n\nYes.\n\nToday?\n\nNo.\n",
  },
])("the whole of a page keeps content that is $why", ({ html, markdown }) => {
  const kept = read(html);
  expect(kept.markdown).toBe(markdown);
  const words = (text: string) => text.match(/\p{L}+/gu);
  expect(words(kept.html.replace(/<[^>]*>/g, " "))).toEqual(words(markdown));
});

test.each([
  { why: "a dialog of some lines", html: `<p>a</p><div hidden><p>${TEXT}</p></div>` },
  { why: "a long dialog by name", html: `<p>a</p><div class="cookie-modal" hidden><h1>b</h1>${LONG}</div>` },
  { why: "a long dialog by role", html: `<p>a</p><div role="dialog" hidden><h1>b</h1>${LONG}</div>` },
  {
    why: "menus, however long together",
    html: `<p>a</p>${`<ul hidden><li>${TEXT}</ul>`.repeat(9)}<script>x</script>`,
  },
  { why: "a second title in a shorter part", html: `<p>a</p><div hidden><h1></h1></div>` },
  { why: "twins of pictures", html: '<p>a</p><noscript><img src="/b.png" alt="b"></noscript>' },
])("$why stays hidden", ({ html }) => {
  expect(read(html).markdown).toBe("a\n");
  expect(read(html).html).toBe("<html><body><p>a</p></body></html>");
});

test("what was asked for by a selector is shown although it is hidden", () => {
  const html = `<p>${TEXT}</p><div id="faq" hidden><p>Yes.</p></div>`;
  expect(read(html, { includeTags: ["#faq"] }).markdown).toBe("Yes.\n");
  expect(read(html, { includeTags: ["#faq"], onlyMainContent: true }).markdown).toBe("Yes.\n");
});

test("what is excluded does not come back", () => {
  const html = `<noscript><h1>Harbour</h1><p>${TEXT}</p><p class="note">A note.</p></noscript>`;
  expect(read(html, { excludeTags: [".note"] }).markdown).toBe(`# Harbour\n\n${TEXT}\n`);
  expect(read(html, { excludeTags: ["noscript"] }).markdown).toBe("");
});
