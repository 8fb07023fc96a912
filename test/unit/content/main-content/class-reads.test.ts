import { expect, test } from "vitest";
import { dropHiddenParts } from "../../../../src/content/main-content/completion/hidden-parts.ts";
import { dropCopies } from "../../../../src/content/main-content/drop-copies.ts";
import { dropNearCopies } from "../../../../src/content/main-content/drop-near-copies.ts";
import { measurePage, type PageMeasures } from "../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../src/content/html/tree/tree.ts";

/** Each text twice, in paragraphs of their own elements, all below one element with a class of 2 kB. */
const COPIES = Array.from({ length: 200 }, (_, at) => {
  const text = Array.from({ length: 12 }, (__, word) => `word${at}x${word}`).join(" ");
  return `<div><p>${text}</p></div><section><p>${text}</p></section>`;
}).join("");
const PAGE = `<div class="${"quot ".repeat(400)}" style="display:none">${COPIES}</div>`;

interface Step {
  name: string;
  run: (page: PageMeasures, kept: Uint8Array) => unknown;
}

const STEPS: Step[] = [
  { name: "dropping copies", run: dropCopies },
  { name: "dropping near-copies", run: dropNearCopies },
  { name: "dropping hidden parts", run: (page, kept) => dropHiddenParts({ page, kept }) },
];

// A class of a megabyte around ten thousand blocks would otherwise be searched ten thousand times.
test.each(STEPS)("$name reads the class of an element a few times, whatever the element holds", ({ run }) => {
  const page = measurePage(parseHtml(PAGE), "https://a.test/");
  const outer = page.outline.elements.find(({ attributes }) => attributes["style"] !== undefined);
  expect(outer).toBeDefined();
  const classes = outer?.attributes["class"];
  let reads = 0;
  Object.defineProperty(outer?.attributes, "class", { get: () => (reads++, classes) });
  run(page, new Uint8Array(page.outline.blocks.length).fill(1));
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThan(6);
});
