import { expect, test, vi } from "vitest";
import { openPage, type OpenOptions } from "../../../../src/content/page-view.ts";
import type { LoadedPage } from "../../../../src/core/scrape/page.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";
import { withReader } from "../../../../src/services/parse/with-reader.ts";

const OPEN: OpenOptions = {
  clean: { onlyMainContent: true, includeTags: [], excludeTags: [] },
  pdf: undefined,
  bytesOnly: false,
};

function loaded(body: string, contentType: string): LoadedPage {
  const bytes = new TextEncoder().encode(body);
  return {
    engine: "fetch",
    url: "https://a.example/",
    statusCode: 200,
    headers: {},
    contentType,
    body: bytes,
    warnings: [],
  };
}

test("a large page of a service without a runner is read in one pass, with a warning", async () => {
  const page = loaded("<p>First</p>" + "<p>Word</p>".repeat(200_000), "text/html");
  const view = await openPage(page, withReader(OPEN, undefined));
  expect(view.markdown({ removeBase64Images: true })).toMatch(/^First\n\nWord\n/);
  expect(page.warnings).toEqual([expect.stringContaining("read in a stream")]);
  const small = loaded("<p>Word</p>".repeat(10_000), "text/html");
  (await openPage(small, withReader(OPEN, undefined))).markdown({ removeBase64Images: true });
  expect(small.warnings).toEqual([]);
});

test("its pages have a tenth of the budget, and what they take counts in the budget of the request", async () => {
  const budget = new WorkBudget();
  const { budget: own, readApart } = withReader({ ...OPEN, budget }, undefined);
  expect([own?.left.steps, readApart]).toEqual([5_000_000, undefined]);
  own?.take(100);
  own?.cut("tables");
  expect([budget.steps, budget.warning]).toEqual([100, expect.stringContaining("tables")]);
});

test("with a runner, the budget is the whole, and small pages have a part of it here", () => {
  const budget = new WorkBudget();
  const readApart = () => Promise.resolve(undefined);
  expect(withReader({ ...OPEN, budget }, readApart)).toEqual({ ...OPEN, budget, readApart, stepsHere: 600_000 });
});

test.each(["apart", "here"])("the source of a large page that is read %s is decoded a piece at a time", async (where) => {
  const page = loaded(`<p>é</p><script>${"x".repeat(2_000_000)}</script>`, "text/html; charset=utf-8");
  const read = { document: undefined, isStreamed: false, warnings: [], parts: [], values: [] };
  const readApart = () => Promise.resolve(where === "apart" ? read : undefined);
  const decode = vi.spyOn(TextDecoder.prototype, "decode");
  try {
    const view = await openPage(page, withReader(OPEN, readApart));
    expect((await view.rawText()).length).toBe(page.body.length - 1);
    expect(Math.max(...decode.mock.calls.map(([piece]) => piece?.byteLength ?? 0))).toBe(1_000_000);
  } finally {
    decode.mockRestore();
  }
}); // prettier-ignore
