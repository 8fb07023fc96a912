import { expect, test } from "vitest";
import { isAppError } from "../../../../src/core/errors.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { readDocument } from "../../../../src/content/documents/read-document.ts";
import { HOSTILE_FILES } from "../../../hostile/hostile-office.ts";
import { isLong, sampleOf } from "../../../sample.ts";

const FILES = sampleOf(Object.entries(HOSTILE_FILES), 6);

/** An eighth of the steps that the service allows, unless the long form is asked for. */
const LIMITS = isLong() ? {} : { steps: 200_000 };

/** What reading took, and how it ended: with a document, or with an error of the table in core/errors.ts. */
async function cost({ kind, make }: (typeof FILES)[number][1], n: number, limits = {}) {
  const budget = new WorkBudget(limits);
  const options = { url: "https://example.com/file", contentType: undefined, budget };
  const end = await readDocument(kind, make(n), options).then(
    ({ warning }) => warning ?? budget.warning ?? "read",
    (error: unknown) => (isAppError(error) ? error.code : `no code: ${String(error)}`),
  );
  return { steps: budget.steps, bytes: budget.bytes, end };
}

test.each(FILES)("%s: reading ends with what was read, or with a code", async (_name, file) => {
  for (const n of [1, 30, 300]) expect((await cost(file, n, LIMITS)).end).not.toMatch(/^no code/);
});

test.each(FILES)("%s: reading ends soon after a small budget does", async (_name, file) => {
  const { steps, end } = await cost(file, 300, { steps: 20_000, bytes: 2_000_000 });
  expect(steps).toBeLessThan(40_000);
  expect(end).not.toMatch(/^no code/);
});

test.each(["xlsx: n links over a whole sheet", "xlsx: n links of one cell each"] as const)(
  "%s: cells are read without the links beyond the limit",
  async (name) => {
    const { kind, make } = HOSTILE_FILES[name];
    const budget = new WorkBudget();
    const read = await readDocument(kind, make(100_000), {
      url: "https://example.com/file",
      contentType: undefined,
      budget,
    });
    expect(read.markdown).toContain("## S");
    expect(read.markdown.endsWith("1")).toBe(true);
    expect(read.warning).toContain("Links of more than 50000 cells were left out.");
    expect(budget.steps).toBeLessThan(1_000_000);
  },
);

test("overlapping chains of sectors are followed for the streams of the workbook alone", async () => {
  const { steps, end } = await cost(HOSTILE_FILES["xls: n sectors whose chains overlap"], 5_000);
  expect({ steps: steps < 100, end }).toEqual({ steps: true, end: "The file has no text." });
});

test("a workbook whose stream ends in a circle of sectors is damaged", async () => {
  const { steps, end } = await cost(HOSTILE_FILES["xls: n sectors of a circle that a stream enters"], 5_000);
  expect({ steps: steps < 100, end }).toEqual({ steps: true, end: "SCRAPE_DOCUMENT_PREFETCH_FAILED" });
});
