import { expect, test } from "vitest";
import { openHtml } from "../../../../src/content/read-html.ts";
import { readPageNames } from "../../../../src/content/structured-data/sources/page-names.ts";

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
