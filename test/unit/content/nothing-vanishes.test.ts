import { expect, test } from "vitest";
import { cleanHtml, openHtml, toMarkdown } from "../../../src/content/read-html.ts";

const PARAGRAPHS = [
  "The keeper of the lighthouse climbs the stairs twice a day, once at dawn and once after the sun has set.",
  "He cleans the lenses, writes down the weather and reads the letters that the boat brings on Fridays.",
  "In winter the sea is so rough that no boat comes for weeks, and the store of flour grows small.",
];
const BODY = PARAGRAPHS.map((text) => `<p>${text}</p>`).join("");
const MENU = '<header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/sport">Sport</a></nav></header>';
const FOOTER = '<footer><p>© The Coast Post. All rights reserved. <a href="/privacy">Privacy</a></p></footer>';

function read(body: string, head = ""): string {
  const html = `<title>The lighthouse</title>${head}${MENU}${body}${FOOTER}`;
  const view = openHtml(html, "https://coast.example/news/lighthouse");
  const cleaned = cleanHtml(view, { onlyMainContent: true, includeTags: [], excludeTags: [] });
  return toMarkdown(view, cleaned, { removeBase64Images: true });
}

test("the lead picture of an article stays, between its byline and its text", () => {
  const lead = '<div class="byline">By Ada Ek</div><figure><img src="/lead.jpg" alt="The tower"></figure>';
  const markdown = read(`<main><article><h1>The lighthouse</h1>${lead}${BODY}</article></main>`);
  expect(markdown).toContain("![The tower](https://coast.example/lead.jpg)");
  expect(markdown).toContain("By Ada Ek");
});

test("the lead picture of an article stays, above its title", () => {
  const markdown = read(
    `<main><article><img src="/lead.jpg" alt="The tower"><h1>The lighthouse</h1>${BODY}</article></main>`,
  );
  expect(markdown).toContain("![The tower](https://coast.example/lead.jpg)");
});

test.each([
  {
    what: "details",
    panel: (text: string, index: number) => `<details><summary>Part ${index}</summary><p>${text}</p></details>`,
  },
  {
    what: "an accordion",
    panel: (text: string, index: number) =>
      `<h3><button aria-expanded="false" aria-controls="p${index}">Part ${index}</button></h3><div id="p${index}" hidden><p>${text}</p></div>`,
  },
  {
    what: "tabs",
    panel: (text: string, index: number) =>
      `<div role="tabpanel" id="t${index}" style="display:none"><h3>Part ${index}</h3><p>${text}</p></div>`,
  },
])("a page whose whole text is in $what keeps it", ({ panel }) => {
  const markdown = read(`<main><h1>The lighthouse</h1>${PARAGRAPHS.map(panel).join("")}</main>`);
  for (const text of PARAGRAPHS) expect(markdown).toContain(text);
});

test.each([
  {
    what: "a film",
    frame: '<iframe src="https://www.youtube.com/embed/x1" title="The tower at night"></iframe>',
    link: "[The tower at night](https://www.youtube.com/embed/x1)",
  },
  {
    what: "a document",
    frame: '<iframe src="/plans.pdf"></iframe>',
    link: "[Document](https://coast.example/plans.pdf)",
  },
])("the frame of $what in an article becomes a link", ({ frame, link }) => {
  const [first = "", ...others] = PARAGRAPHS.map((text) => `<p>${text}</p>`);
  const markdown = read(`<main><article><h1>The lighthouse</h1>${first}${frame}${others.join("")}</article></main>`);
  expect(markdown).toContain(link);
});
