import { expect, test } from "vitest";
import { testApp } from "../../../fakes/services/test-app.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

const URL = "https://harbour.example/";
const { post } = testApp(testDeps());

test.each(["/v1/batch/scrape", "/v2/batch/scrape"])(
  "%s refuses more URLs than it reads in one request",
  async (path) => {
    const refused = await post(path, { urls: Array.from({ length: 20_001 }, () => URL) });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("urls: expected at most 20000 items, got 20001 items");
  },
);

test.each([
  { path: "/v2/crawl", field: "includePaths" },
  { path: "/v2/crawl", field: "excludePaths" },
  { path: "/v1/crawl", field: "includePaths" },
  { path: "/v2/map", field: "excludePaths" },
])("$path compiles no more than 1,000 patterns of $field", async ({ path, field }) => {
  const refused = await post(path, { url: URL, [field]: Array.from({ length: 1_001 }, () => "(") });
  expect(refused.status).toBe(400);
  const { error } = (await refused.json()) as { error: string };
  expect(error).toContain(field);
  expect(error).toContain("1000");
});

test.each(["/v2/crawl", "/v2/map", "/v1/map"])("%s takes a name for robots.txt up to 500 characters", async (path) => {
  const refused = await post(path, { url: URL, robotsUserAgent: "x-".repeat(251) });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("robotsUserAgent: expected at most 500 characters");
});

test.each([
  { path: "/v2/crawl", field: "includePaths" },
  { path: "/v1/crawl", field: "excludePaths" },
  { path: "/v2/map", field: "includePaths" },
  { path: "/v1/map", field: "excludePaths" },
])("$path compiles no more than 100 Unicode classes of $field", async ({ path, field }) => {
  const refused = await post(path, { url: URL, [field]: [String.raw`\pL`.repeat(101)] });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain(`${field} is too large: it has more than 100 Unicode classes`);
});
