import fc from "fast-check";
import { expect, test } from "vitest";
import { isHidden, isReadNoscript } from "../../../../src/content/html/hidden.ts";
import { leastProcessorMs } from "../../../processor-time.ts";
import { parseHtml, textOf, walkElements, type ElementNode } from "../../../../src/content/html/tree/tree.ts";

const hidden = (html: string): boolean => isHidden(parseHtml(html).root.children[0] as ElementNode);

test.each([
  "<p hidden>",
  '<p hidden="">',
  '<div hidden id="FAQS:1">',
  '<p style="display:none">',
  '<p style="color:red; DISPLAY : None">',
  '<p style="visibility: hidden">',
  '<span class="sr-only">',
  '<span class="a visually-hidden b">',
  '<span class="screen-reader-text">',
])("%s is hidden", (html) => {
  expect(hidden(html)).toBe(true);
});

test.each([
  "<p>",
  '<p hidden="until-found">',
  '<p style="display:block">',
  '<p class="hidden-gems">',
  '<p class="sr-only-not">',
  '<p aria-hidden="true">',
  '<div hidden id="S:1">',
  '<div hidden id="app-S:1f">',
])("%s is shown", (html) => {
  expect(hidden(html)).toBe(false);
});

const NOSCRIPT_PIECES = ["<noscript>", "<noscript>", "</noscript>", "<div>", "</div>", "<i></i>", " ", "a"];

test("a noscript is read when it holds any text, whichever is asked about first", () => {
  const pieces = fc.array(fc.constantFrom(...NOSCRIPT_PIECES), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (html, isReversed) => {
      const elements: ElementNode[] = [];
      walkElements(parseHtml(html.join("")).root, (element) => elements.push(element));
      if (isReversed) elements.reverse();
      const noscripts = elements.filter(({ tag }) => tag === "noscript");
      const isRead = (element: ElementNode): boolean => isReadNoscript(element, "all");
      expect(noscripts.map(isRead)).toEqual(noscripts.map((element) => textOf(element).trim() !== ""));
    }),
  );
});

test.each(["", "a"])("noscripts in noscripts are read once each, with %j at the end", async (end) => {
  const html = `${"<noscript>".repeat(400)}${"<i></i>".repeat(30_000)}${end}`;
  const trees = [1, 2, 3].map(() => parseHtml(html));
  const read = (): void => {
    const tree = trees.pop();
    if (tree !== undefined) walkElements(tree.root, (element) => void isReadNoscript(element, "all"));
  };
  expect(await leastProcessorMs(read, 50)).toBeLessThan(50);
});
