import { expect, test } from "vitest";
import { openHtml } from "../../../../src/content/read-html.ts";
import { readPageNames } from "../../../../src/content/structured-data/sources/page-names.ts";

test.each([
  {
    url: "https://forum.pumps.example/t/1",
    title: "Which pump is best?",
    heading: "Pumps",
    expected: "Which pump is best?",
  },
  {
    url: "https://o7repair.example/",
    title: "O7 Repair | Pumps at sea",
    heading: "O7 Repair turns 5",
    expected: "O7 Repair",
  },
  {
    url: "https://a.example/q/1",
    title: "Can I see the harbour from here? – Pump Q&A",
    heading: "Pump Q&A",
    expected: "Can I see the harbour from here?",
  },
  {
    url: "https://a.example/t/1",
    title: "Which pump is best? | Pumps",
    heading: "Thread: Which pump is best?",
    expected: "Which pump is best?",
  },
  { url: "https://a.example/p/1", title: "Cream with X9&amp;reg; | Shop", heading: "", expected: "Cream with X9®" },
  {
    url: "https://a.example/n/1",
    title: "Harbour moves <br/>to the north",
    heading: "",
    expected: "Harbour moves to the north",
  },
])("the title of $url is not the heading $heading", ({ url, title, heading, expected }) => {
  const head = `<title>${title}</title>${url.includes("o7") ? `<meta property="og:title" content="${title}">` : ""}`;
  const { tree } = openHtml(`<html><head>${head}</head><body><h1>${heading}</h1></body></html>`, url);
  const named = readPageNames(tree, [heading], url).find(({ label }) => label === "title");
  expect(named?.value).toMatchObject({ text: expected });
});

test.each([
  { title: "Free CRM - Zoho CRM", site: "Zoho", expected: "Free CRM" },
  { title: "Ferry times | Harbour", site: "Harbour", expected: "Ferry times" },
  { title: "Best of 2024: Timeless design", site: "Time", expected: "Best of 2024: Timeless design" },
])("$title on $site", ({ title, site, expected }) => {
  const head = `<title>${title}</title><meta property="og:title" content="${title}"><meta property="og:site_name" content="${site}">`;
  const { tree } = openHtml(`<html><head>${head}</head><body><p>Text</p></body></html>`, "https://a.example/");
  const facts = readPageNames(tree, [], "https://a.example/");
  expect(facts.filter(({ label }) => label === "title").map(({ value }) => JSON.stringify(value))).toEqual([
    expect.stringContaining(expected),
  ]);
});
