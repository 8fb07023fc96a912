import { expect, test } from "vitest";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { readPdf } from "../../../../src/content/documents/pdf/pdf.ts";
import { HOSTILE_PDFS, type HostilePdf } from "../../../hostile/hostile-pdf.ts";
import { isLong, isShort, sampleCount, sampleOf, shortAndLong } from "../../../sample.ts";

const URL_OF_FILE = "https://example.com/a.pdf";
const NAMES = Object.keys(HOSTILE_PDFS).filter((name): name is HostilePdf => name in HOSTILE_PDFS);

/** A fifth of what the service allows for a small file, unless the long form is asked for. */
const LIMITS = isLong() ? {} : { steps: 300_000, bytes: 16_000_000 };

/** What reading took, and how it ended. A reader that rejects does so with a code. */
async function cost(name: HostilePdf, n: number, limits = {}): Promise<{ steps: number; bytes: number; end: string }> {
  const budget = new WorkBudget(limits);
  const end = await readPdf(new Uint8Array(HOSTILE_PDFS[name](n)), URL_OF_FILE, { budget }).then(
    ({ warning }) => warning ?? "read",
    (error: unknown) => String(Reflect.get(Object(error), "code")),
  );
  return { steps: budget.steps, bytes: budget.bytes, end };
}

test.each(sampleOf(NAMES, 6))("%s: reading ends when its budget does, or with a code", async (name) => {
  // 20 MB are beyond the limit of bytes already.
  for (const n of (name.includes(" MB") ? [1, 20] : [1, 20, 100]).slice(isShort() ? -1 : 0)) {
    const { steps, bytes, end } = await cost(name, n, { steps: 50_000, bytes: 5_000_000 });
    expect(steps).toBeLessThan(60_000);
    // The piece that passes the limit counts as well.
    expect(bytes).toBeLessThan(30_000_000);
    expect(end).not.toBe("undefined");
  }
});

test.each([
  ["one content stream that is named n times", 1_000],
  ["forms that show the next form twice, n deep", 40],
  ["a character map of n full ranges", 1_000],
  ["widths of n hundred million characters", 10],
  ["glyphs that stand for n characters", 5_000],
] as const)("%s: the answer says that it is incomplete", async (name, n) => {
  const { end } = await cost(name, n, LIMITS);
  expect(end).toMatch(/^Reading this PDF takes more work than this service allows/);
});

test("a file that unpacks to too much before it shows a page is refused with a code", async () => {
  expect((await cost("an object stream that unpacks to n MB", 40)).end).toBe("SCRAPE_WORK_LIMIT");
});

const SIZED = [
  "n annotations",
  "n notes of free text that show a form",
  "n tilings that are painted",
  "n fonts of one page",
  "forms without text that show the next form ten times, n deep",
] as const;

// The others grow, or end at a limit, in the short form of the growing documents.
for (const { tags, entries } of shortAndLong(SIZED, (name) => /annotations|tilings/.test(name)))
  test.each(entries)("%s: the steps of a file are bounded by its size", { tags }, async (name) => {
    // Ten forms in each of 3,000 use up eight steps for each of 730,000 bytes.
    const bytes = HOSTILE_PDFS[name](name.includes(" deep") ? sampleCount(100, 100, 3_000) : 3_000);
    const budget = new WorkBudget();
    await readPdf(new Uint8Array(bytes), URL_OF_FILE, { budget });
    // Eight for each byte, and what a search of a damaged file for its objects takes. pdf.js takes about half a microsecond for a step.
    expect(budget.steps).toBeLessThan(1_505_000 + 8.2 * bytes.byteLength);
  });

test("links beyond the limit of a page are left out, and the answer says so", async () => {
  const pdf = (n: number) => readPdf(new Uint8Array(HOSTILE_PDFS["n annotations"](n)), URL_OF_FILE);
  const few = await pdf(2_000);
  expect(few).toMatchObject({ markdown: "[word](https://example.com/)" });
  expect(few.warning).toBeUndefined();
  const many = await pdf(2_001);
  expect(many.markdown).toBe("[word](https://example.com/)");
  expect(many.warning).toBe("A page has too many links and notes; some of them were left out.");
});

test("text in front of forms that multiply is kept", async () => {
  const bytes = new Uint8Array(HOSTILE_PDFS["n lines of text, then forms that show the next form ten times"](45));
  const { markdown, warning } = await readPdf(bytes, URL_OF_FILE, { budget: new WorkBudget(LIMITS) });
  expect(markdown).toMatch(/^line 0 .*line 44$/);
  expect(warning).toMatch(/^Reading this PDF takes more work/);
});

test("text in front of what takes too much is kept", { tags: ["long"] }, async () => {
  const { markdown, warning } = await readPdf(
    new Uint8Array(HOSTILE_PDFS["n words all over a page"](20_100)),
    URL_OF_FILE,
  );
  expect(markdown).toContain("w0");
  expect(warning).toContain("Only 20000 pieces of text were read of page 1.");
});

test("a page that the page tree names many times is read each time", async () => {
  const { numPages, warning } = await readPdf(new Uint8Array(HOSTILE_PDFS["n pages of one page"](160)), URL_OF_FILE);
  expect({ numPages, warning }).toEqual({ numPages: 160, warning: undefined });
});
