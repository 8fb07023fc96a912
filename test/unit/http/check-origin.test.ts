import { describe, expect, test } from "vitest";
import { checkOrigin } from "../../../src/http/check-origin.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { testDeps } from "../../fakes/services/test-deps.ts";

const appWith = (settings: NonNullable<Parameters<typeof testDeps>[0]>["settings"]) => testApp(testDeps({ settings }));

describe("the host of a request", () => {
  const { app } = appWith({ allowedHosts: ["api.example", "ops.example:8443"] });

  test.each([
    "http://api.example/health",
    "https://api.example:9000/health",
    "http://ops.example:8443/health",
    "http://localhost:8787/health",
    "http://127.0.0.1:8787/health",
    "http://[::1]:8787/health",
  ])("is one of the service: %s", async (url) => {
    expect((await app.request(url)).status).toBe(200);
  });

  test.each([
    "http://rebound.example:8787/health",
    "http://ops.example/health",
    "http://localhost.rebound.example/health",
    "http://127.0.0.1.nip.example/health",
    "http://192.168.0.5:8787/v2/team/credit-usage",
    "http://rebound.example/openapi.json",
  ])("is refused: %s", async (url) => {
    const response = await app.request(url);
    expect(response.status).toBe(421);
    expect(await response.json()).toMatchObject({
      success: false,
      code: "HOST_NOT_ALLOWED",
      error: expect.stringContaining("ALLOWED_HOSTS"),
    });
  });

  test.each(["a@localhost:8787", "a:b@api.example", "localhost/x", "localhost#x", "localhost?x", "api.example%2f", ""])(
    "is refused when it is more than a name and a port: %s",
    async (host) => {
      const response = await app.request("http://localhost:8787/health", { headers: { host } });
      expect(response.status).toBe(421);
      expect(await response.json()).toMatchObject({ code: "HOST_NOT_ALLOWED" });
    },
  );

  test("is refused with a user in the address, also where the settings name none", async () => {
    const address = { url: "http://a@localhost:8787/health", headers: new Headers() } as unknown as Request;
    const settings = { allowedHosts: [], allowedOrigins: [], authDisabled: false };
    expect(checkOrigin(address, settings)).toMatchObject({ code: "HOST_NOT_ALLOWED" });
  });

  test("is any where the settings name none", async () => {
    expect((await appWith({}).app.request("http://any.example/health")).status).toBe(200);
  });
});

describe("pages of other origins", () => {
  const OPEN = { authDisabled: true, allowedOrigins: ["https://app.example"] };
  const ask = async (origin: string, settings: object, method = "GET") => {
    const url = "http://localhost:8787/v2/capabilities";
    const headers = { origin, ...(method === "OPTIONS" ? { "access-control-request-method": "POST" } : {}) };
    const response = await appWith(settings).app.request(url, { method, headers });
    return { status: response.status, allowed: response.headers.get("access-control-allow-origin") };
  };

  test.each(["https://evil.example", "null", "http://localhost:3000", "http://localhost"])(
    "are refused, and read nothing, where no key is asked for: %s",
    async (origin) => {
      expect(await ask(origin, OPEN)).toEqual({ status: 403, allowed: null });
      expect((await ask(origin, OPEN, "OPTIONS")).allowed).toBeNull();
    },
  );

  test.each(["https://app.example", "http://localhost:8787"])(
    "may call when they are named or its own: %s",
    async (origin) => {
      expect(await ask(origin, OPEN)).toEqual({ status: 200, allowed: origin });
      expect((await ask(origin, OPEN, "OPTIONS")).allowed).toBe(origin);
    },
  );

  test("are let in by their keys where keys are asked for", async () => {
    expect(await ask("https://anyone.example", {})).toEqual({ status: 401, allowed: "*" });
  });

  test("are not asked after when no page calls", async () => {
    const response = await appWith(OPEN).app.request("http://localhost:8787/v2/capabilities");
    expect(response.status).toBe(200);
  });
});
