import { expect, test } from "vitest";
import { readPageFacts } from "../../../../src/content/html/page-facts.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

const factsOf = (html: string) => readPageFacts(parseHtml(html), html);

test("of a text of megabytes only the start is looked at", () => {
  const { text, markup } = factsOf(`<p>Start. ${"flat  words ".repeat(100_000)}</p><p>End.</p>`);
  expect(text.startsWith("Start. flat words flat words")).toBe(true);
  expect(text.length).toBeGreaterThan(5000);
  expect(text.length).toBeLessThan(20_001);
  expect(markup.length).toBe(200_000);
});

test("short texts are read one after the other, until there is enough", () => {
  expect(factsOf("<title>T</title><h1> One\n two </h1><script>x</script><p>three</p>").text).toBe("One two three");
  const { text } = factsOf(`<p>${"word ".repeat(200)}</p>`.repeat(50));
  expect(text.length).toBeGreaterThan(4900);
  expect(text.length).toBeLessThan(7000);
});
