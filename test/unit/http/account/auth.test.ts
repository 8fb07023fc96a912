import { describe, expect, test } from "vitest";
import { testApp } from "../../../fakes/services/test-app.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../../fakes/services/test-deps.ts";

const PROTECTED = "/v2/team/keys";

describe("a route behind authentication", () => {
  test.each([
    { why: "no header", header: undefined, error: "Unauthorized" },
    { why: "a scheme without a token", header: "Bearer", error: "Unauthorized: Token missing" },
    { why: "a scheme and a space", header: "Bearer ", error: "Unauthorized: Token missing" },
    { why: "a key without a scheme", header: FIRST_KEY, error: "Unauthorized: Token missing" },
    { why: "a token that is no key", header: "Bearer undefined", error: "Unauthorized: Invalid token" },
    { why: "a key that nobody has", header: `Bearer fc-${"9".repeat(32)}`, error: "Unauthorized: Invalid token" },
    { why: "a part of a key", header: `Bearer ${FIRST_KEY.slice(0, 20)}`, error: "Unauthorized: Invalid token" },
  ])("refuses $why", async ({ header, error }) => {
    const { app } = testApp();
    const response = await app.request(PROTECTED, { headers: header === undefined ? {} : { Authorization: header } });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual({ success: false, error });
  });

  test.each(["Bearer", "bearer", "BEARER"])("takes a key behind the scheme %s", async (scheme) => {
    const { app } = testApp();
    const response = await app.request(PROTECTED, { headers: { Authorization: `${scheme} ${ADMIN_KEY}` } });
    expect(response.status).toBe(200);
    expect(response.headers.get("WWW-Authenticate")).toBeNull();
  });

  test.each(["/v1/scrape", "/v2/scrape", "/v2/no-such-route", "/v1", "/v2/team/keys", "/v2/files"])(
    "does not say without a key whether it exists: %s",
    async (path) => {
      const { app } = testApp();
      expect((await app.request(path)).status).toBe(401);
      expect((await app.request(path, { method: "POST" })).status).toBe(401);
    },
  );

  test("does not read the body of somebody without a key", async () => {
    const { app } = testApp();
    let chunks = 0;
    const endless = new ReadableStream({
      pull(controller) {
        chunks++;
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const response = await app.request(PROTECTED, { method: "POST", body: endless, duplex: "half" } as RequestInit);
    expect(response.status).toBe(401);
    expect(chunks).toBeLessThan(3);
  });
});

test.each(["/health", "/v0/health/liveness", "/v0/health/readiness", "/openapi.json", "/"])(
  "%s answers without a key",
  async (path) => {
    expect((await testApp().app.request(path)).status).toBe(200);
  },
);

describe("a signed file URL", () => {
  const files = { find: async () => undefined, put: async () => "" };

  test("needs no key", async () => {
    const { app } = testApp({ ...testDeps(), files });
    const response = await app.request("/v2/files/some-token");
    expect(response.status).toBe(404);
  });

  test.each(["POST", "DELETE", "PUT"])("is not a way past authentication for %s", async (method) => {
    const { app } = testApp({ ...testDeps(), files });
    expect((await app.request("/v2/files/some-token", { method })).status).toBe(401);
  });

  test("is not a way past authentication for paths that climb out of it", async () => {
    const { app } = testApp({ ...testDeps(), files });
    for (const path of ["/v2/files/../team/keys", "/v2/files/%2e%2e/team/keys"]) {
      expect((await app.request(path)).status).toBe(401);
    }
  });
});

describe("with authentication switched off", () => {
  const anyone = () => testApp(testDeps({ settings: { authDisabled: true } }));

  test.each([undefined, "Bearer", "Bearer ", "Bearer undefined", "Bearer fc-nonsense", `Bearer ${FIRST_KEY}`, "junk"])(
    "a route answers to the header: %s",
    async (header) => {
      const { app } = anyone();
      const headers: Record<string, string> = header === undefined ? {} : { Authorization: header };
      const response = await app.request("/v2/no-such-route", { headers });
      expect(response.status).toBe(404);
    },
  );

  test("keys cannot be made, which would outlive it", async () => {
    const { app, deps } = anyone();
    const response = await app.request(PROTECTED, {
      method: "POST",
      body: JSON.stringify({ name: "mine", scopes: { admin: true } }),
      headers: { "Content-Type": "application/json" },
    });
    expect(response.status).toBe(403);
    expect(await deps.keys.listAll()).toEqual([]);
  });
});
