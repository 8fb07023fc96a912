import { afterAll, beforeAll, expect, test } from "vitest";
import { startSampleSite, type SampleSite } from "../../../../src/tools/setup/sample-site.ts";

let site: SampleSite;
beforeAll(async () => {
  site = await startSampleSite();
});
afterAll(() => site.close());

test.each([
  ["the sample page", "", 200],
  ["a page that it leads to", "/silk", 200],
  ["nothing else", "/other", 404],
  ["no property that all objects have", "/constructor", 404],
  ["no method that all objects have", "/toString", 404],
  ["no prototype", "/__proto__", 404],
])("serves %s", async (_, path, status) => {
  const response = await fetch(`${site.url}${path}`, { redirect: "manual" });
  await response.arrayBuffer();
  expect(response.status).toBe(status);
});
