/** The formats `json` and `extract` of version 1 are one format with one set of options. */
import { expect, test } from "vitest";
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
