import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

const get = (path: string, accept: string): Promise<Response> =>
  fetch(`${inject("serviceUrl")}${path}`, { headers: { accept } });

describe("the root URL", () => {
  test("returns the dashboard to browsers", async () => {
    const response = await get("/", BROWSER);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(await response.text()).toContain("<title>Orbweaver</title>");
  });

  test.each(["*/*", "application/json", "application/json, text/plain, */*"])(
    "returns JSON for Accept: %s",
    async (accept) => {
      const response = await get("/", accept);
      expect(await response.json()).toMatchObject({ message: "Orbweaver API" });
      expect(response.headers.get("vary")).toMatch(/accept/i);
    },
  );

  test.each(["/nope", "/index.html"])("does not serve the dashboard at %s", async (path) => {
    const response = await get(path, BROWSER);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false });
  });
});

describe("the dashboard's files", () => {
  test("have headers that allow no third-party and no inline code", async () => {
    const page = await get("/", BROWSER);
    const [script = ""] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    for (const response of [page, await get(script, "*/*")]) {
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("referrer-policy")).toBe("no-referrer");
    }
    expect((await get(script, "*/*")).headers.get("cache-control")).toContain("immutable");
  });
});
