import { expect, test } from "vitest";
import { dataFolder } from "../../../data-folder.ts";

test("a folder's own files are listed and read", () => {
  const folder = dataFolder("test/fixtures");
  expect(folder.names()).toEqual([]);
  expect(dataFolder("test/fixtures/documents").names()).toContain("report.pdf");
  expect(folder.bytes("documents/report.pdf").subarray(0, 5).toString()).toBe("%PDF-");
});

test("files outside of the folder are refused", () => {
  expect(() => dataFolder("test/fixtures").text("../data-folder.ts")).toThrow("is not in test/fixtures");
});
