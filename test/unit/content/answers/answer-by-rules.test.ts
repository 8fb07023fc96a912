import { describe, expect, test } from "vitest";
import { openPage } from "../../../../src/content/page-view.ts";

async function ask(html: string, question: string, url = "https://bay.example/harbour/walls") {
  const page = await openPage(
    { engine: "fetch", url, statusCode: 200, headers: {}, contentType: "text/html", body: html, warnings: [] },
    { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: undefined, bytesOnly: false },
  );
  return page.answer(question);
}

const BODY = `<main><h1>Two walls</h1><p>The harbour of Skerra gets two walls of granite, which hold back the winter storms from the west.</p>
  <p>The council voted for the walls in May, after three winters in which the sea broke over the old quay of the harbour.</p></main>`;

describe("the question for the subject of a page", () => {
  const QUESTION = "What is this page about?";
  const page = (description: string): string =>
    `<title>Two walls | The Bay</title><meta name="description" content="${description}">${BODY}`;

  test("is answered with the description of the page before its passages", async () => {
    const description = "How Skerra protects its boats, and what it costs the people of the island.";
    const { text } = await ask(page(description), QUESTION);
    expect(text.startsWith(`${description}\n\n`)).toBe(true);
    expect(text).toContain("granite");
  });

  test.each([
    "How Skerra protects its boats, and what it costs the people of the isl...",
    "How Skerra protects its boats &amp;amp; quays, and what it costs the people there.",
    "The harbour of Skerra gets two walls of granite, which hold back the winter storms.",
    "All on walls.",
  ])("is answered with the passages alone where the description is %s", async (description) => {
    const { text } = await ask(page(description), QUESTION);
    expect(text).toContain("granite");
    expect(text.startsWith(description.slice(0, 20)) && !description.startsWith("The harbour")).toBe(false);
    expect(text.match(/two walls of granite/g)).toHaveLength(1);
  });
});

describe("the question for the author of a page", () => {
  const QUESTION = "Who is the author?";

  test("is not answered with a sentence about another person", async () => {
    const html = `<title>Courses</title><main><h1>Courses</h1><p>This certificate program of the Harbour School helps leaders by turning data into knowledge, led by Professor Ada Lovelace.</p></main>`;
    expect(await ask(html, QUESTION)).toMatchObject({ isFound: false });
  });

  test("is not answered with the byline of a post on the first page of a site", async () => {
    const html = `<title>The Bay</title><main><h1>The Bay</h1><div><p>By: Ada Lovelace</p><p>Pumps are the topic of May, and walls that of June.</p></div></main>`;
    expect(await ask(html, QUESTION, "https://bay.example/")).toMatchObject({ isFound: false });
  });
});

test("the price of a page is the one in its head", async () => {
  const html = `<title>Dryer</title><meta property="product:price:amount" content="101.97"><meta property="product:price:currency" content="USD">
    <main><h1>Dryer</h1><p>It dries quickly.</p><div>Travel dryer <span class="price">$59.97</span></div></main>`;
  expect((await ask(html, "What is the price?")).text).toBe("101.97 USD");
});

test.each([
  ["Sobre o que é esta página?", "granite"],
  ["Quem é o autor?", "Ada Lovelace"],
  ["Quando foi publicado?", "2026-05-01"],
  ["Waar gaat deze pagina over?", "granite"],
  ["Wie is de auteur?", "Ada Lovelace"],
  ["Wanneer is het gepubliceerd?", "2026-05-01"],
  ["Quando è stato pubblicato?", "2026-05-01"],
])("%s", async (question, answer) => {
  const record = { "@type": "Article", headline: "Two walls", author: "Ada Lovelace", datePublished: "2026-05-01" };
  const html = `<title>Two walls</title><script type="application/ld+json">${JSON.stringify(record)}</script>${BODY}`;
  expect((await ask(html, question)).text).toContain(answer);
});

test.each(["Quanto custa?", "Wat kost het?"])("%s has no answer on a page without a price", async (question) => {
  expect(await ask(`<title>Two walls</title>${BODY}`, question)).toMatchObject({ isFound: false });
});
