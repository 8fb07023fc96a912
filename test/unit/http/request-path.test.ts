/** Paths match as in Firecrawl's service, and a wrong method is told apart from a wrong path. */
import { describe, expect, test } from "vitest";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const ask = async (method: string, path: string): Promise<Response> =>
  testApp(testDeps()).ask(path, {
    method,
    ...(method === "GET" ? {} : { body: "{}", headers: { "Content-Type": "application/json" } }),
  });

describe("a path", () => {
  test.each(["/v2/scrape/", "/V2/Scrape", "/v2/SCRAPE/", "/V1/scrape", "/v2/Batch/Scrape/"])(
    "%s has the route of its form without the slash and in lower case",
    async (path) => {
      const response = await ask("POST", path);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: expect.stringContaining("is required") });
    },
  );

  test("keeps the case of ids", async () => {
    const response = await ask("GET", "/V2/Crawl/NoSuchId/");
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: expect.stringContaining("Invalid job ID format") });
  });

  test("without a route is not found", async () => {
    const response = await ask("GET", "/v2/scrap");
    expect(response.status).toBe(404);
    expect(response.headers.get("Allow")).toBeNull();
  });
});

describe("a method", () => {
  test.each([
    { method: "GET", path: "/v2/scrape", allow: "POST" },
    { method: "PUT", path: "/v2/crawl", allow: "POST" },
    { method: "POST", path: "/v2/crawl/0197f6a0-7c00-7abc-8def-0123456789ab", allow: "DELETE, GET" },
    { method: "PATCH", path: "/v2/monitor", allow: "GET, POST" },
    { method: "DELETE", path: "/health", allow: "GET" },
  ])("$method is refused at $path, and Allow names $allow", async ({ method, path, allow }) => {
    const response = await ask(method, path);
    expect(response.status).toBe(405);
    expect(response.headers.get("Allow")).toBe(allow);
    expect(await response.json()).toMatchObject({ success: false, error: expect.stringContaining(`Use ${allow}.`) });
  });
});
