import { utils, write } from "#xlsx";
import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";

test.each([
  ["https://example.com/Foo_(bar)", "https://example.com/Foo_(bar)"],
  ["https://example.com/a)b", "https://example.com/a%29b"],
  ["https://example.com/a b|c", "https://example.com/a%20b%7Cc"],
])("the link of a cell to %s is readable as Markdown", async (target, address) => {
  const sheet = utils.aoa_to_sheet([["Tree"], ["Oak"]], { dense: false });
  sheet["A2"] = { ...(sheet["A2"] as object), l: { Target: target } };
  const bytes = new Uint8Array(
    write(utils.book_new(sheet, "Trees"), { type: "array", bookType: "xlsx" }) as ArrayBuffer,
  );
  const { markdown } = await readDocument("xlsx", bytes, { contentType: undefined, url: "https://example.com/a.xlsx" });
  expect(markdown).toContain(`| [Oak](${address}) |`);
});
