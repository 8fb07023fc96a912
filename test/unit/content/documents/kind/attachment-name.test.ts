import { expect, test } from "vitest";
import { attachmentName } from "../../../../../src/content/documents/kind/attachment-name.ts";
import { openPage } from "../../../../../src/content/page-view.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

const nameOf = (disposition: string, url = "https://example.com/download?id=1"): string | undefined =>
  attachmentName({ url, headers: { "content-disposition": disposition } });

test.each([
  { disposition: "attachment; filename=t.csv", name: "t.csv" },
  { disposition: 'attachment; FileName = "a; \\"b\\".csv" ; size=3', name: 'a; \\"b\\".csv' },
  { disposition: "attachment; filename=\"t.bin\"; filename*=UTF-8'en'%C3%A9.csv", name: "%C3%A9.csv" },
  { disposition: "inline", name: undefined },
  { disposition: 'attachment; filename="', name: undefined },
])("the name of a file sent as $disposition is $name", ({ disposition, name }) => {
  expect(nameOf(disposition)).toBe(name);
});

test("a URL with a known extension needs no other name", () => {
  expect(nameOf("attachment; filename=t.csv", "https://example.com/t.pdf")).toBeUndefined();
  expect(nameOf("attachment; filename=t.csv", "https://example.com/get.php")).toBe("t.csv");
});

test("a file of no special type is read as its name says", async () => {
  const clean = { onlyMainContent: true, includeTags: [], excludeTags: [] };
  const page = {
    engine: "fetch",
    url: "https://example.com/download?id=1",
    statusCode: 200,
    headers: { "content-disposition": 'attachment; filename="t.csv"' },
    contentType: "application/octet-stream",
    body: new TextEncoder().encode("a,b\n1,2\n"),
    warnings: [],
  } as const;
  const view = await openPage(
    { ...page, warnings: [] },
    { clean, pdf: undefined, bytesOnly: false, budget: new WorkBudget() },
  );
  expect(view.kind).toBe("csv");
});
