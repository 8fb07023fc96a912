import { describe, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const PRIVATE = [
  "http://127.0.0.1:9000/hook",
  "http://0x7f.1/hook",
  "http://localhost/hook",
  "http://[::ffff:10.0.0.1]/hook",
  "http://169.254.169.254/latest/meta-data",
  "https://hooks.internal/x",
  "https://router/x",
  "https://user:secret@hooks.example/x",
  "http://localhost:8787/v2/scrape",
];
const ROUTES: [path: string, body: object][] = [
  ["/v1/crawl", { url: "https://a.example" }],
  ["/v2/crawl", { url: "https://a.example" }],
  ["/v1/batch/scrape", { urls: ["https://a.example"] }],
  ["/v2/batch/scrape", { urls: ["https://a.example"] }],
  ["/v2/extract", { urls: ["https://a.example"], prompt: "Prices" }],
  ["/v2/agent", { prompt: "Prices" }],
  ["/v2/monitor", { name: "a", schedule: { text: "hourly" }, targets: [{ type: "scrape", urls: ["https://a.example"] }] }],
]; // prettier-ignore

/** No port that starts a job is handed in: a request that is not refused would fail. */
const { post } = testApp(testDeps({ settings: { ownHosts: ["localhost:8787"] } }));

describe("a private webhook is refused when the request is made", () => {
  test.each(ROUTES)("by %s", async (path, body) => {
    for (const url of PRIVATE) {
      const response = await post(path, { ...body, webhook: { url } });
      const { error, details } = (await response.json()) as { error: string; details: { path: string[] }[] };
      expect([response.status, details[0]?.path], `${url}: ${error}`).toEqual([400, ["webhook", "url"]]);
      expect(error).toMatch(/^webhook\.url: /);
      expect(error).not.toContain("secret");
    }
  });

  test("also as a text", async () => {
    const response = await post("/v2/crawl", { url: "https://a.example", webhook: "http://10.0.0.8/" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ details: [{ path: ["webhook"] }] });
  });
});

test.each(["/v1/crawl", "/v2/crawl"])("%s refuses a limit that no crawl can have", async (path) => {
  const response = await post(path, { url: "https://a.example", limit: 1_000_001 });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    details: [{ path: ["limit"], message: "limit must be at most 1000000" }],
  });
});
