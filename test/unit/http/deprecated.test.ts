import { expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { ADMIN_KEY } from "../../fakes/services/test-deps.ts";

const ROUTES = [
  { method: "POST", path: "/v1/extract", link: '</v2/scrape>; rel="successor-version"' },
  { method: "POST", path: "/v2/extract", link: '</v2/scrape>; rel="successor-version"' },
  { method: "DELETE", path: `/v2/extract/${crypto.randomUUID()}`, link: '</v2/scrape>; rel="successor-version"' },
  { method: "POST", path: "/v1/deep-research", link: '</v2/scrape>; rel="successor-version"' },
  { method: "GET", path: `/v1/llmstxt/${crypto.randomUUID()}`, link: null },
];

test.each(ROUTES)("$method $path is marked as deprecated for every caller", async ({ method, path, link }) => {
  const { app, ask, post } = testApp();
  const made = await post("/v2/team/keys", { name: "one", scopes: { endpoints: ["map"] } }, { key: ADMIN_KEY });
  const { data } = await made.json<{ data: { key: string } }>();
  const responses = [
    await app.request(path, { method }),
    await ask(path, { method, key: "fc-x" }),
    await ask(path, { method, key: data.key }),
    await ask(path, { method }),
  ];
  expect(responses.map(({ status }) => status).slice(0, 3)).toEqual([401, 401, 403]);
  for (const { headers } of responses) {
    expect([headers.get("Deprecation"), headers.get("Link")]).toEqual(["true", link]);
    expect(headers.get("Warning")).toMatch(/^299 - "The .+ endpoint is deprecated/);
  }
  expect(await responses[0]?.json()).toMatchObject({
    success: false,
    warnings: [expect.stringContaining("deprecated")],
  });
});

test("no other route is", async () => {
  expect((await testApp().ask("/v2/extracts")).headers.get("Deprecation")).toBeNull();
});
