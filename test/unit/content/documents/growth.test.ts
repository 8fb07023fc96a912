/**
 * Hostile documents of growing size. The cost of a document is counted, not timed: the steps of its budget must not grow faster
 * than n log n.
 */
import { describe, expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { type FileKind, readDocument } from "../../../../src/content/documents/read-document.ts";
import { HOSTILE_FILES } from "../../../hostile/hostile-office.ts";
import { HOSTILE_PDFS } from "../../../hostile/hostile-pdf.ts";
import { isSample, sampleOf } from "../../../sample.ts";

/** From 100 to 1,000, n log n grows by 15; quadratic work grows by 100. */
const MAX_GROWTH = 20;
/** A document that takes fewer steps is small, whatever is in it. */
const LEAST_STEPS = 1_000;
/** A larger document of the same form would only meet the limits of its reader. */
const MANY_STEPS = 300_000;

const UNCOUNTED: ReadonlySet<FileKind> = new Set<FileKind>(["doc", "xls"]);
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
  sizes: number[];
}

const FILES = Object.entries(HOSTILE_FILES)
  .filter(([, { kind }]) => !UNCOUNTED.has(kind))
  .map(([name, file]): [string, Sized] => {
    // Making an archive of 10,000 files takes longer than reading it.
    const isOfFiles = isSample() || /n files|n chapters/.test(name);
    return [name, { ...file, sizes: isOfFiles ? [10, 100, 1_000] : [10, 100, 1_000, 10_000] }];
  });
const PDFS = Object.entries(HOSTILE_PDFS)
  .filter(([name]) => !OF_OTHER_SIZES.test(name))
  .map(([name, make]): [string, Sized] => [
    name,
    { kind: "pdf", make, sizes: isSample() ? [10, 100, 1_000] : [10, 100, 1_000, 10_000] },
  ]);
const ALL = sampleOf([...FILES, ...PDFS], 3);

async function stepsOf(kind: FileKind, bytes: Uint8Array): Promise<number> {
  const budget = new WorkBudget({ steps: Infinity });
  const source = { url: "https://example.com/file", contentType: undefined, budget };
  await readDocument(kind, bytes, source).catch(() => undefined);
  return budget.steps;
}

async function growth({ kind, make, sizes }: Sized): Promise<number[]> {
  const steps: number[] = [];
  for (const n of sizes) {
    steps.push(await stepsOf(kind, new Uint8Array(make(n))));
    if ((steps.at(-1) ?? 0) > MANY_STEPS) break;
  }
  expect(Math.max(...steps)).toBeGreaterThan(0);
  return steps.slice(1).map((count, at) => count / Math.max(steps[at] ?? 0, LEAST_STEPS));
}

describe("the work for a document grows no faster than n log n with", () => {
  test.each(ALL.filter(([name]) => !(name in BOUNDED)))("%s", async (_name, file) => {
    const factors = await growth(file);
    // The first size may end at a limit that every document has.
    for (const factor of factors) expect(factor).toBeLessThan(MAX_GROWTH);
  });
});

describe("the work for a document ends at a limit with", () => {
  test.each(ALL.filter(([name]) => name in BOUNDED))("%s", async (_name, { kind, make }) => {
    const bytes = new Uint8Array(make(300));
    expect(await stepsOf(kind, bytes)).toBeLessThan(1_500_000 + 8 * bytes.byteLength);
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
