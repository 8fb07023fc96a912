/** The formats `json` and `extract` of version 1 are one format with one set of options. */
import { expect, test } from "vitest";
import { translateOptions, V1ScrapeOptions } from "../../../../src/http/v1/translate.ts";
import { testApp } from "../../../fakes/services/test-app.ts";

test.each([["json"], ["extract"]])("two sets of options are refused for the format %s", async (format) => {
  const response = await testApp().ask("/v1/scrape", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({
      url: "https://a.example/",
      formats: [format],
      extract: { prompt: "the title" },
      jsonOptions: { prompt: "the price" },
    }),
  });
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 400,
    body: {
      error: "extract and jsonOptions are options of one format; send one of them",
      details: [{ path: ["jsonOptions"] }],
    },
  });
});

test.each([
  {
    what: "options without their format",
    formats: ["markdown"],
    jsonOptions: { prompt: "the price" },
    path: "formats",
  },
  { what: "a format without its options", formats: ["json"], path: "jsonOptions" },
  { what: "tracking options without their format", formats: ["markdown"], changeTrackingOptions: {}, path: "formats" },
])("a batch refuses $what, as a scrape does", async ({ path, ...row }) => {
  const { what: _what, ...options } = row;
  const { post } = testApp();
  const scrape = await post("/v1/scrape", { url: "https://a.example/", ...options });
  const batch = await post("/v1/batch/scrape", { urls: ["https://a.example/"], ...options });
  const refusal = { error: expect.any(String), details: [{ path: [path] }] };
  expect({ status: scrape.status, body: await scrape.json() }).toMatchObject({ status: 400, body: refusal });
  expect({ status: batch.status, body: await batch.json() }).toMatchObject({ status: 400, body: refusal });
});

test("a check for orders to language models is an option of the format", () => {
  const options = V1ScrapeOptions.parse({ formats: ["json"], jsonOptions: { checkPromptInjection: true } });
  expect(translateOptions(options).formats).toEqual([{ type: "json", field: "json", checkPromptInjection: true }]);
});
