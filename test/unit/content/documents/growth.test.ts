/**
 * Hostile documents of growing size. The cost of a document is counted, not timed: the steps of its budget must not grow faster
 * than n log n.
 */
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { type FileKind, readDocument } from "../../../../src/content/documents/read-document.ts";
import { HOSTILE_FILES } from "../../../hostile/hostile-office.ts";
import { HOSTILE_PDFS } from "../../../hostile/hostile-pdf.ts";
import { isLong, sampleOf, shortAndLong } from "../../../sample.ts";

/**
 * Two sizes and their doubles. The steps of a document are the same at every run, and they double too, to some percent. A
 * twentieth more is a ten thousandth of a part's steps for each pair of parts.
 */
const SIZES = [20, 40, 500, 1_000];
/** Making an archive of many files, or one of many megabytes, takes longer than reading it. */
const SIZES_OF_ARCHIVES = [20, 40, 250, 500];
const MAX_DOUBLED = 2.1;
/** With `LONG_TESTS=1`. From 100 to 1,000, n log n grows by 15; quadratic work grows by 100. */
const LONG_SIZES = [10, 100, 1_000, 10_000];
const MAX_GROWTH = 20;
/** A document that takes fewer steps is small, whatever is in it. */
const LEAST_STEPS = isLong() ? 1_000 : 100;
/** A larger document of the same form would only meet the limits of its reader. */
const MANY_STEPS = 300_000;
const MANY_FORESEEN = isLong() ? Infinity : 650_000;
/** Of one document: enough to see what doubles it. The long form leaves the limits to the readers. */
const BUDGET = isLong() ? Infinity : 700_000;

const UNCOUNTED: ReadonlySet<FileKind> = new Set<FileKind>(["doc", "xls"]);
const OF_ARCHIVES = /n files|n chapters|n times 8,000/;
/** Each of these takes some seconds of processor time. */
const SLOW =
  /lines of text, then forms|glyphs of a Type 3 font|n times 8,000|n fonts of one page|n tables deep|n items of a list, each deeper|n chapters/;
/** Their size is not a number of repetitions. */
const OF_OTHER_SIZES = /million|samples|layers| MB/;
/** Work that grows faster for the reason given, up to a limit. */
const BOUNDED: Record<string, string> = {
  "forms that show the next form twice, n deep": "shown as it is, the page has 2^n forms",
  "forms without text that show the next form ten times, n deep": "shown as it is, the page has 10^n forms",
  "n pages that share n annotations": "each of n pages has n annotations",
  "n pages that show n forms": "each of n pages shows n forms",
  "n notes of free text that show a form": "each of n notes shows n texts",
  "n pages of one page": "pdf.js searches the page tree for each of at most 1,000 pages",
  "xlsx: n formats of numbers": "SheetJS searches 392 places for each format after the first 228",
};

interface Sized {
  kind: FileKind;
  make: (n: number) => Uint8Array;
}

const PDFS = Object.entries(HOSTILE_PDFS)
  .filter(([name]) => !OF_OTHER_SIZES.test(name))
  .map(([name, make]): [string, Sized] => [name, { kind: "pdf", make }]);
const FILES = Object.entries(HOSTILE_FILES).filter(([, { kind }]) => !UNCOUNTED.has(kind));
const ALL: readonly [string, Sized][] = sampleOf([...FILES, ...PDFS], 3);

async function stepsOf(kind: FileKind, bytes: Uint8Array, limit = BUDGET): Promise<number> {
  const budget = new WorkBudget({ steps: limit });
  const source = { url: "https://example.com/file", contentType: undefined, budget };
  await readDocument(kind, bytes, source).catch(() => undefined);
  return budget.steps;
}

/** Reads a document of each size, up to the one beyond which it takes many steps. @returns the factors between neighbours */
async function growth({ kind, make }: Sized, sizes: readonly number[]): Promise<number[]> {
  const steps: number[] = [];
  for (const [at, n] of sizes.entries()) {
    const count = await stepsOf(kind, new Uint8Array(make(n)));
    steps.push(count);
    const nextSize = sizes[at + 1] ?? n;
    if (count > MANY_STEPS || (count * nextSize) / n > MANY_FORESEEN) break;
  }
  expect(Math.max(...steps)).toBeGreaterThan(0);
  return steps.slice(1).map((count, at) => count / Math.max(steps[at] ?? 0, LEAST_STEPS));
}

describe("the work for a document grows no faster than n log n with", () => {
  const growing = ALL.filter(([name]) => !(name in BOUNDED));

  // The short form has every third input; that each of them ends is shown beside this.
  for (const { tags, entries } of shortAndLong(growing, ([name], at) => at % 3 === 0 && !SLOW.test(name)))
    test.each(entries)("%s", { tags }, async (name, file) => {
      const [small = 0, , large = 0] = await growth(file, OF_ARCHIVES.test(name) ? SIZES_OF_ARCHIVES : SIZES);
      expect(small).toBeLessThan(MAX_DOUBLED);
      expect(large).toBeLessThan(MAX_DOUBLED);
    });

  test.runIf(isLong()).each(growing)("%s, up to 10,000 of them", async (name, file) => {
    const sizes = /n files|n chapters/.test(name) ? LONG_SIZES.slice(0, -1) : LONG_SIZES;
    // The first size may end at a limit that every document has.
    for (const factor of await growth(file, sizes)) expect(factor).toBeLessThan(MAX_GROWTH);
  });
});

describe("the work for a document ends at a limit with", () => {
  test.each(ALL.filter(([name]) => name in BOUNDED))("%s", async (_name, { kind, make }) => {
    const bytes = new Uint8Array(make(300));
    // The limit of the reader, which grows with the file, or that of the budget if it is lower.
    const limit = isLong() ? Infinity : 200_000;
    expect(await stepsOf(kind, bytes, limit)).toBeLessThan(Math.min(1.05 * limit, 1_500_000 + 8.2 * bytes.byteLength));
  });
});

test("forms within forms are read to a level that leaves room on the stack, and the answer says so", async () => {
  const bytes = new Uint8Array(HOSTILE_PDFS["forms that show the next form, n deep"](5_000));
  const read = await readDocument("pdf", bytes, { url: "https://example.com/a.pdf", contentType: undefined });
  expect(read.warning).toContain("nested too deeply");
  const few = new Uint8Array(HOSTILE_PDFS["forms that show the next form, n deep"](50));
  const whole = await readDocument("pdf", few, { url: "https://example.com/a.pdf", contentType: undefined });
  expect({ markdown: whole.markdown, warning: whole.warning }).toEqual({ markdown: "ha", warning: undefined });
});
