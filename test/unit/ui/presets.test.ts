import { beforeAll, describe, expect, test } from "vitest";
import { estimateCredits, wordsOf } from "../../../src/ui/playground/presets/estimate.ts";
import { applyPreset, BUILT_IN } from "../../../src/ui/playground/presets/presets.ts";
import { testApp } from "../../fakes/services/test-app.ts";

const CREDITS = { json: 4, markdown: 0, deterministicJson: 2 };

describe("the estimated price", () => {
  test.each([
    { operation: "post /v2/scrape", body: {}, credits: 1, isMaximum: false },
    { operation: "post /v2/scrape", body: { formats: ["markdown", { type: "json" }] }, credits: 5, isMaximum: false },
    {
      operation: "post /v2/scrape",
      body: { formats: ["markdown", { type: "changeTracking", modes: ["json"] }] },
      credits: 5,
      isMaximum: false,
    },
    {
      operation: "post /v2/scrape",
      body: { formats: ["json", { type: "changeTracking", modes: ["git-diff", "json"] }] },
      credits: 5,
      isMaximum: false,
    },
    {
      operation: "post /v2/scrape",
      body: { formats: [{ type: "changeTracking", modes: ["git-diff"] }] },
      credits: 1,
      isMaximum: false,
    },
    { operation: "post /v2/parse", body: { options: '{"formats":["json"]}' }, credits: 5, isMaximum: false },
    { operation: "post /v2/parse", body: { options: { formats: ["json"] } }, credits: 5, isMaximum: false },
    { operation: "post /v2/parse", body: { uploadRef: "u", formats: ["json"] }, credits: 5, isMaximum: false },
    { operation: "post /v2/parse", body: { options: '{"form' }, credits: 1, isMaximum: false },
    { operation: "post /v2/scrape", body: { lockdown: true, redactPII: { mode: "x" } }, credits: 9, isMaximum: false },
    {
      operation: "post /v2/scrape",
      body: { redactPII: { entities: ["PERSON"] } },
      credits: 1,
      isMaximum: false,
    },
    {
      operation: "post /v2/batch/scrape",
      body: { urls: ["a", "b"], formats: ["json"] },
      credits: 10,
      isMaximum: false,
    },
    { operation: "post /v2/crawl", body: { limit: 20 }, credits: 20, isMaximum: true },
    { operation: "post /v2/search", body: { limit: 11 }, credits: 4, isMaximum: true },
    {
      operation: "post /v2/search",
      body: { limit: 5, scrapeOptions: { formats: ["json"] } },
      credits: 27,
      isMaximum: true,
    },
    { operation: "post /v2/agent", body: { effort: "low" }, credits: 500, isMaximum: true },
    { operation: "post /v2/agent", body: { maxCredits: 30 }, credits: 30, isMaximum: true },
  ])("of $operation with $body is $credits", ({ operation, body, ...estimate }) => {
    expect(estimateCredits(operation, body, CREDITS)).toEqual(estimate);
  });

  test("is unknown where there is no price list", () => {
    expect(estimateCredits("get /v2/crawl/{id}", {}, CREDITS)).toBeUndefined();
  });
});

describe("presets", () => {
  let paths: Record<string, unknown>;
  beforeAll(async () => {
    ({ paths } = (await (await testApp().ask("http://localhost/openapi.json")).json()) as {
      paths: Record<string, unknown>;
    });
  });

  test("are for operations of the service, and have different names", () => {
    for (const { operation } of BUILT_IN) expect(paths, operation).toHaveProperty([operation.slice("post ".length)]);
    expect(new Set(BUILT_IN.map(({ operation, name }) => `${operation} ${name}`)).size).toBe(BUILT_IN.length);
  });

  test("keep the subject of the request and replace its options", () => {
    const preset = { name: "p", operation: "o", body: { maxAge: 0 } };
    expect(applyPreset(preset, { url: "u", formats: ["links"] })).toEqual({ url: "u", maxAge: 0 });
    expect(applyPreset({ ...preset, body: { url: "other" } }, { url: "u" })).toEqual({ url: "other" });
  });
});

test("an estimate is one line: ranges of pages and credits, browser time where there is any, and dollars", () => {
  const range = (low: number, expected: number, high: number) => ({ low, expected, high });
  const figures = { pages: range(118, 126, 1400), credits: range(1, 1, 1), dollars: range(0.001, 0.001312, 0.002) };
  expect(wordsOf({ ...figures, browserSeconds: range(0, 0, 0) })).toBe("118–1,400 pages, 1 credit, about $0.0013");
  expect(wordsOf({ ...figures, browserSeconds: range(2, 4.5, 9) })).toContain("about 4.5 s of browser time");
});
