import { createConfig, lintFromString } from "@redocly/openapi-core";
import { beforeAll, expect, test } from "vitest";
import { testApp } from "../../fakes/test-app.ts";

interface Operation {
  operationId?: string;
  requestBody?: unknown;
  responses: Record<string, unknown>;
}

let text: string;
let paths: Record<string, Record<string, Operation>>;
beforeAll(async () => {
  text = await (await testApp().app.request("/openapi.json")).text();
  ({ paths } = JSON.parse(text) as { paths: typeof paths });
});

const operations = (): [name: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );

test("the linter finds nothing wrong with the OpenAPI document", async () => {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      // A description of a tag, and a failure of a health check, would tell nobody anything.
      "tag-description": "off",
      "operation-4xx-response": "off",
      // Every start prints another address; the document names the one that it was read from.
      "no-server-example.com": "off",
    },
  });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test("every operation has a name of its own", () => {
  const names = operations().map(([, { operationId }]) => operationId);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(["postV2Scrape", "getV2CrawlByIdUrls"]));
});

test("every body says how it is refused before it is read", () => {
  for (const [name, { requestBody, responses }] of operations()) {
    if (requestBody === undefined) continue;
    expect(Object.keys(responses), name).toEqual(expect.arrayContaining(["413", "415"]));
  }
});
