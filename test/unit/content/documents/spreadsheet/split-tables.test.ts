import { utils, write } from "#xlsx";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

async function read(rows: (string | number | null)[][]): Promise<string> {
  const book = utils.book_new(utils.aoa_to_sheet(rows), "Trees");
  const bytes = new Uint8Array(write(book, { type: "array", bookType: "xlsx" }) as ArrayBuffer);
  const { markdown } = await readDocument("xlsx", bytes, { contentType: undefined, url: "https://example.com/a.xlsx" });
  return markdown;
}

test("tables that have no column in common are two, though no empty row is between them", async () => {
  const markdown = await read([
    ["Tree", "Age"],
    ["Oak", 300],
    ["Elm", 120],
    [null, null, null, "Bird", "Eggs"],
    [null, null, null, "Rook", 5],
  ]);
  expect(markdown).toContain(
    "| Tree | Age |\n| --- | --- |\n| Oak | 300 |\n| Elm | 120 |\n\n| Bird | Eggs |\n| --- | --- |\n| Rook | 5 |",
  );
});

test("names of groups in a column of their own stay in their table", async () => {
  const markdown = await read([
    ["Trees", null, null],
    [null, "Oak", 300],
    [null, "Elm", 120],
    ["Birds", null, null],
    [null, "Rook", 5],
  ]);
  expect(markdown.match(/---/g)?.length).toBe(3);
});

test("tables that follow one another to the right are all told apart", async () => {
  const rows = Array.from({ length: 40 }, (_, at) => {
    const left = Array.from({ length: Math.floor(at / 2) * 2 }, () => null);
    return [...left, `a${at}`, `b${at}`];
  });
  const markdown = await read(rows);
  expect(markdown.match(/\| --- \| --- \|$/gm)?.length).toBe(20);
  expect(markdown).toContain("| a38 | b38 |\n| --- | --- |\n| a39 | b39 |");
});
