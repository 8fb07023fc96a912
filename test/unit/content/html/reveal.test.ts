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
    markdown: `Menu\n\n# Harbour\n\n${LINES}\n\nSale\n`,
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

const ARTICLE = [
  "The keeper of the lighthouse climbs the stairs twice a day, once at dawn and once after the sun has set.",
  "He cleans the lenses, writes down the weather and reads the letters that the boat brings on Fridays.",
  "In winter the sea is so rough that no boat comes for weeks, and the store of flour grows small.",
  "When the light was made automatic, the town asked him to stay and to show visitors around the tower.",
  "Thousands of them have signed the book since then, and most of them write about the view.",
  "The oldest entry is that of a captain who once found his way into the harbour by this light.",
];
const VISIBLE = `<main><h1>The lighthouse</h1>${ARTICLE.map((text) => `<p>${text}</p>`).join("")}</main>`;

test.each([
  { why: "a notice of some lines", html: `<div hidden><p>${TEXT.slice(0, 80)}</p></div>` },
  { why: "a long dialog by name", html: `<div class="cookie-modal" hidden><h1>b</h1>${LONG}</div>` },
  { why: "a long dialog by role", html: `<div role="dialog" hidden><h1>b</h1>${LONG}</div>` },
  { why: "menus, however long together", html: '<ul hidden><li><a href="/x">Harbour</a></ul>'.repeat(60) },
  { why: "a second title in a shorter part", html: "<div hidden><h1>Harbour</h1></div>" },
  { why: "twins of pictures", html: '<noscript><img src="/b.png" alt="Harbour"></noscript>' },
])("$why stays hidden", ({ html }) => {
  expect(read(VISIBLE + html).markdown).toBe(`# The lighthouse\n\n${ARTICLE.join("\n\n")}\n`);
  expect(read(VISIBLE + html).html).not.toMatch(/harbour was|Harbour|b\.png/);
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
