import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { PackedPages } from "../../../../../src/content/documents/pdf/pages/packed-pages.ts";
import { readingOrder } from "../../../../../src/content/documents/pdf/reading-order.ts";
import type { PageText, TextRun } from "../../../../../src/content/documents/pdf/text-run.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const PLAIN = { size: 9.9, isBold: false, isItalic: false, isMonospaced: false, isRightToLeft: false, href: undefined };

/** Returns a page of 40 lines with eight words in each, of which each is a run of its own. */
function densePage(pageNumber: number): PageText {
  const runs = Array.from({ length: 320 }, (_, at): TextRun => {
    const left = 72.3 + (at % 8) * 50.1;
    return {
      ...PLAIN,
      text: `w${at % 8}a${pageNumber}`,
      left,
      right: left + 46.7,
      baseline: 80.7 + Math.floor(at / 8) * 12.1,
    };
  });
  return {
    pageNumber,
    width: 612,
    height: 792,
    regions: readingOrder(runs, new WorkBudget()),
    asides: [],
    rules: [],
  };
}

test("pages are unpacked as they were", () => {
  const runs: TextRun[] = [
    { ...PLAIN, text: "שלום", left: 300, right: 340.25, baseline: 60, isRightToLeft: true },
    { ...PLAIN, text: "A word", left: 72, right: 110, baseline: 100, isBold: true },
    { ...PLAIN, text: "“set” \u{1F600}", left: 111.5, right: 150, baseline: 100, href: "https://example.com/a" },
    { ...PLAIN, text: "in a cell", left: 300, right: 340, baseline: 100, isItalic: true, isMath: true, size: 7 },
    { ...PLAIN, text: "code", left: 72, right: 110, baseline: 120.1, isMonospaced: true },
    { ...PLAIN, text: "CAPITALS", left: 72, right: 130, baseline: 140, isSmallCaps: true },
  ];
  const first: PageText = {
    pageNumber: 1,
    width: 612,
    height: 792.5,
    regions: readingOrder(runs, new WorkBudget()),
    asides: [{ text: "stamp", x: 0.1, y: 0.5 }],
    rules: [
      { left: 1, right: 2.5, top: 3, bottom: 3 },
      { left: 4, right: 4, top: 5.25, bottom: 60 },
    ],
    pictures: [{ left: 1, right: 2, top: 3, bottom: 4, width: 5, height: 6 }],
    turn: 90,
  };
  const written: PageText = { ...densePage(2), written: "# By a model" };
  const empty: PageText = { pageNumber: 3, width: 0, height: 0, regions: [], asides: [], rules: [] };
  const pages = new PackedPages();
  for (const page of [first, written, empty]) pages.add(page);
  expect(pages.length).toBe(3);
  expect([...pages]).toEqual([first, written, empty]);
  expect([...pages]).toEqual([first, written, empty]);
});

/** Bytes in use for each of 200 dense pages that are kept. */
function bytesOfPage(keep: (page: PageText) => void): number {
  const inUse = (): number => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  keep(densePage(0));
  const before = inUse();
  for (let at = 1; at <= 200; at++) keep(densePage(at));
  return (inUse() - before) / 200;
}

test("a kept page takes a fifth of the memory of its lines", { tags: ["long"] }, () => {
  const [pages, lists] = [new PackedPages(), new Array<PageText>()];
  const packed = bytesOfPage((page) => pages.add(page));
  const unpacked = bytesOfPage((page) => lists.push(page));
  expect([packed, unpacked]).toSatisfy(() => packed < unpacked / 5);
  expect([pages.length, lists.length]).toEqual([201, 201]);
});
