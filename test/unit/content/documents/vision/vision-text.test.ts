import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../../processor-time.ts";
import { toPageHtml, toSafeMarkdown } from "../../../../../src/content/documents/vision/vision-text.ts";

test.each([
  "[a](javascript:alert(1))",
  "[a [b]](javascript:alert(1))",
  "[a\\]](javascript:alert(1))",
  "[x][1]\n\n[1]: javascript:alert(1)",
  "![x](https://evil.example/?q)",
  "![x [y]](https://evil.example/?q)",
  "![x][1]\n\n[1]: https://evil.example/?q",
  "[a](<javascript:alert(1)>)",
  "[a]( <javascript:alert(1)>)",
  "[a](< https://a.example/><img src=x>)",
  "[a](<https://a.example/><img src=x>)",
  "[a](javascript:alert([1]))",
  "[a](\njavascript:alert(1))",
  `[a](javascript:alert(1)//${"x".repeat(10_000)})`,
  "> [1]: https://evil.example/?q\n\n![x][1]",
])("%o has no picture and no address that runs", (markdown) => {
  const html = toPageHtml(toSafeMarkdown(markdown), "https://a.example/");
  expect(html).not.toMatch(/<img|href="javascript:/i);
});

test("links of the web stay, with spaces around their addresses and in angle brackets", () => {
  const html = toPageHtml(toSafeMarkdown("[a](<https://x.de/a b>) [b]( https://y.de)"), "https://a.example/");
  expect(html).toContain('href="https://x.de/a%20b"');
  expect(html).toContain('href="https://y.de');
});

test("links of the web stay", () => {
  expect(toSafeMarkdown("See [the site](https://a.example/) and [us](mailto:a@a.example).")).toBe(
    "See [the site](https://a.example/) and [us](mailto:a@a.example).",
  );
});

test.each(["[a](", "![a](", "](", "[", "![", "[a]( "])("many of %o take linear time", async (start) => {
  const markdown = start.repeat(40_000);
  expect(await leastProcessorMs(() => toSafeMarkdown(markdown), 200)).toBeLessThan(200);
});
