import { expect, test } from "vitest";
import type { Block } from "../../../../../src/content/documents/pdf/block.ts";
import { joinBroken } from "../../../../../src/content/documents/pdf/join-broken.ts";
import type { Line } from "../../../../../src/content/documents/pdf/text-run.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";

const line = (baseline: number, left: number, text = "x"): Line => ({
  segments: [], left, right: left + 50, top: baseline - 8, bottom: baseline, baseline, size: 10, text,
  isBold: false, isItalic: false, isMonospaced: false, isSmallCaps: false,
}); // prettier-ignore

/** A table of two columns that fills a page. */
const table = (rows: number, left = 10): Extract<Block, { type: "table" }> => {
  const lines = Array.from({ length: rows }, (_, at) => [
    line(10 + (700 * at) / rows, left, `${at}`),
    line(10 + (700 * at) / rows, left + 100),
  ]);
  return { type: "table", rows: lines, cells: lines.map((row) => row.map(() => [])), columns: 2 };
};

test("a table goes on over pages while its edges are those of all its rows", () => {
  const pages = [table(3, 10), table(3, 25), table(3, 40), table(3, 70)].map((block): Block[] => [block]);
  joinBroken(pages);
  // The left edge of all rows stays 10, while the right one moves with the second page.
  expect(pages.map((blocks) => blocks.length)).toEqual([1, 0, 1, 1]);
  expect(pages[0]?.[0]).toMatchObject({ rows: { length: 5 } });
});

test("a table of more lines than a call has room for goes on in linear time", async () => {
  const read = (): void => {
    const pages = Array.from({ length: 400 }, (): Block[] => [table(400)]);
    joinBroken(pages);
    expect(pages.filter((blocks) => blocks.length > 0)).toHaveLength(1);
  };
  expect(await leastProcessorMs(read, 3_000)).toBeLessThan(3_000);
});
