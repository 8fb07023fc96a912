import { HTTPException } from "hono/http-exception";
import { describe, expect, test, vi } from "vitest";
import { AppError, ERRORS, type ErrorCode } from "../../../src/core/errors.ts";
import { createApp } from "../../../src/http/app.ts";
import { testApp } from "../../fakes/services/test-app.ts";
import { ADMIN_KEY, FIRST_KEY, testDeps } from "../../fakes/services/test-deps.ts";

const ROUTE = "/v2/team/keys";
const JSON_TYPE = { "Content-Type": "application/json" };
const MAX_BYTES = 10 * 1024 * 1024;

/** The service with one more route, which throws what it is given. */
function throwing(error: unknown) {
  const events: Record<string, unknown>[] = [];
  const service = testApp(testDeps({ log: (event) => void events.push(event) }));
  service.app.get("/v2/boom", () => {
    throw error;
  });
  return { ...service, events };
}

function post(body: BodyInit | null, headers: Record<string, string> = JSON_TYPE) {
  const { ask } = testApp();
  return ask(ROUTE, { key: ADMIN_KEY, method: "POST", body, headers });
}

describe("a body that cannot be used", () => {
  test.each([
    { why: "cut off", body: '{"name": "a' },
    { why: "not quoted", body: "{name: 1}" },
    { why: "plain text", body: "hello" },
    { why: "followed by something", body: '{"name":"a"} x' },
  ])("is malformed JSON when it is $why", async ({ body }) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      success: false,
      code: "BAD_REQUEST_INVALID_JSON",
      error: "Bad request, malformed JSON",
    });
  });

  test("is logged with the code of its response", async () => {
    const { ask, events } = throwing(new Error("unused"));
    await ask(ROUTE, { key: ADMIN_KEY, method: "POST", body: "[", headers: JSON_TYPE });
    expect(events).toContainEqual(
      expect.objectContaining({ event: "request", status: 400, code: "BAD_REQUEST_INVALID_JSON" }),
    );
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml"])(
    "is refused when it comes as %s",
    async (type) => {
      const response = await post('{"name":"a"}', { "Content-Type": type });
      expect(response.status).toBe(415);
      expect(await response.json()).toEqual({ success: false, error: ERRORS.UNSUPPORTED_MEDIA_TYPE.message });
    },
  );

  test.each([
    { why: "no body and no type", body: null, headers: {} },
    { why: "no body, called JSON", body: null, headers: JSON_TYPE },
    { why: "an empty body, called JSON", body: "", headers: JSON_TYPE },
    { why: "an empty object", body: "{}", headers: JSON_TYPE },
  ])("misses its fields when there is $why", async ({ body, headers }) => {
    const response = await post(body, headers);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      success: false,
      code: "BAD_REQUEST",
      error: expect.stringContaining("Bad Request: name: is required"),
      details: [{ code: "invalid_type", path: ["name"] }],
    });
  });

  test.each(["[]", "null", '"text"', "17"])("is no object: %s", async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: "BAD_REQUEST", details: [{ code: "invalid_type", path: [] }] });
  });

  test("names the rule for unknown keys, whatever else is wrong", async () => {
    const response = await post(JSON.stringify({ name: "", colour: "red" }));
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body).toMatchObject({
      code: "BAD_REQUEST",
      error: 'Unrecognized key in body -- please review the v2 API documentation for request body changes: "colour"',
    });
    expect(body).toHaveProperty("details", expect.arrayContaining([expect.objectContaining({ keys: ["colour"] })]));
  });
});

test.each(["/v1/crawl", "/v2/crawl"])(
  "%s says that a delay is in seconds when it must be milliseconds",
  async (path) => {
    const response = await testApp().post(path, { url: "https://a.example/", delay: 1500 });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "BAD_REQUEST",
      error: "delay is in seconds, and at most 60 seconds; divide milliseconds by 1000",
    });
  },
);

describe("a body that can be used", () => {
  test.each([
    { why: "with a charset", headers: { "Content-Type": "application/json; charset=utf-8" } },
    { why: "in capitals", headers: { "Content-Type": "Application/JSON" } },
  ])("is JSON $why", async ({ headers }) => {
    expect((await post('{"name":"a"}', headers)).status).toBe(200);
  });

  test("is taken for JSON when its type is not told", async () => {
    expect((await post(new TextEncoder().encode('{"name":"a"}'), {})).status).toBe(200);
  });

  test("may be as long as 10 MB", async () => {
    const body = `{"name":"a"${" ".repeat(MAX_BYTES - 12)}}`;
    expect((await post(body)).status).toBe(200);
  });

  test.each(["GET", "DELETE"])("is ignored where none is wanted: %s", async (method) => {
    const { app } = testApp();
    // The Fetch standard forbids a body on GET; what clients then send is a type without one.
    const body = method === "GET" ? null : '{"integration":"n8n"}';
    const headers = { Authorization: `Bearer ${ADMIN_KEY}`, ...JSON_TYPE };
    const response = await app.request(method === "GET" ? ROUTE : `${ROUTE}/none`, { method, body, headers });
    expect(response.status).toBe(method === "GET" ? 200 : 404);
  });
});

describe("a body over 10 MB", () => {
  const chunked = (bytes: number) => {
    let left = bytes;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = Math.min(left, 65_536);
        left -= size;
        if (size === 0) controller.close();
        else controller.enqueue(new Uint8Array(size).fill(0x20));
      },
    });
  };
  const tooLarge = { success: false, error: "Request body is too large" };

  test.each([
    { why: "that says so", body: () => " ".repeat(MAX_BYTES + 1), headers: {} },
    { why: "in chunks, without a length", body: () => chunked(MAX_BYTES + 1), headers: {} },
    { why: "that claims to be short", body: () => chunked(MAX_BYTES + 1), headers: { "Content-Length": "12" } },
    { why: "of another type", body: () => " ".repeat(MAX_BYTES + 1), headers: { "Content-Type": "text/plain" } },
    { why: "by its length alone", body: () => "{}", headers: { "Content-Length": String(MAX_BYTES + 1) } },
  ])("is refused: $why", async ({ body, headers }) => {
    const { app } = testApp();
    const response = await app.request(ROUTE, {
      method: "POST",
      body: body(),
      duplex: "half",
      headers: { Authorization: `Bearer ${ADMIN_KEY}`, ...JSON_TYPE, ...headers },
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.json()).toEqual(tooLarge);
  });

  test("is not read to its end", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1_000_000;
        controller.enqueue(new Uint8Array(1_000_000));
      },
    });
    const { app } = testApp();
    const headers = { Authorization: `Bearer ${FIRST_KEY}`, ...JSON_TYPE };
    const response = await app.request(ROUTE, {
      method: "POST",
      body: endless,
      duplex: "half",
      headers,
    } as RequestInit);
    expect(response.status).toBe(413);
    expect(sent).toBeLessThan(14_000_000);
  });
});

describe("an unknown route", () => {
  test.each([
    { method: "GET", path: "/v2/no-such-route" },
    { method: "POST", path: "/v2/no-such-route" },
    { method: "POST", path: "/v1/no-such-route" },
    { method: "GET", path: "/elsewhere" },
  ])("answers in JSON: $method $path", async ({ method, path }) => {
    const { ask } = testApp();
    const response = await ask(path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ success: false, error: `Unknown route: ${method} ${path}` });
  });
});

describe("what a handler throws", () => {
  const codes = Object.keys(ERRORS) as ErrorCode[];

  test.each(codes)("%s has the status of the table and its text", async (code) => {
    const { ask } = throwing(new AppError(code));
    const response = await ask("/v2/boom");
    const body = await response.json();
    expect(response.status).toBe(ERRORS[code].status);
    expect(body).toMatchObject({ success: false, error: ERRORS[code].message });
  });

  test.each(codes.filter((code) => ERRORS[code].status >= 500))("%s tells its code, like every 5xx", async (code) => {
    const { ask } = throwing(new AppError(code));
    expect(await (await ask("/v2/boom")).json()).toHaveProperty("code", code);
  });

  test("carries details and the time to wait", async () => {
    const { ask } = throwing(new AppError("SCRAPE_TIMEOUT", "Slow", { details: { a: 1 }, retryAfterSeconds: 7 }));
    const response = await ask("/v2/boom");
    expect(response.headers.get("Retry-After")).toBe("7");
    expect(await response.json()).toEqual({ success: false, code: "SCRAPE_TIMEOUT", error: "Slow", details: { a: 1 } });
  });

  test.each(codes.filter((code) => ERRORS[code].status === 429 && code !== "RATE_LIMITED"))(
    "%s says when to try again",
    async (code) => {
      const response = await throwing(new AppError(code)).ask("/v2/boom");
      expect(Number(response.headers.get("Retry-After"))).toBeGreaterThan(0);
    },
  );

  test("keeps its code after a Durable Object call, which loses the class", async () => {
    const travelled = Object.assign(new Error("busy"), { code: "SERVICE_UNAVAILABLE" });
    const response = await throwing(travelled).ask("/v2/boom");
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ success: false, code: "SERVICE_UNAVAILABLE", error: "busy" });
  });

  test.each([new Error("the password is 1234"), "1234", 1234, new HTTPException(500, { message: "1234" })])(
    "is hidden from the caller and logged when it is unexpected: %s",
    async (error) => {
      const { ask, events } = throwing(error);
      const response = await ask("/v2/boom");
      expect(response.status).toBe(500);
      const text = await response.text();
      expect(text).not.toContain("1234");
      expect(JSON.parse(text)).toMatchObject({ success: false, code: "UNKNOWN_ERROR" });
      expect(JSON.stringify(events)).toContain("1234");
    },
  );

  test("tells an id that is in the log too", async () => {
    const { ask, events } = throwing(new Error("odd"));
    const { error } = (await (await ask("/v2/boom")).json()) as { error: string };
    expect(events.map(({ event }) => event)).toEqual(["error", "request"]);
    expect(error).toContain(String(events[0]?.["requestId"]));
    expect(events[1]?.["requestId"]).toBe(events[0]?.["requestId"]);
  });

  test("answers in JSON even when the dependencies cannot be made, and leaves the reason in the console", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    const app = createApp(() => {
      throw new Error("a setting is bad");
    });
    const response = await app.request("/health");
    expect(response.status).toBe(500);
    expect(response.headers.get("X-Response-Time")).toMatch(/^\d+ms$/);
    expect(await response.json()).toMatchObject({ success: false, code: "UNKNOWN_ERROR" });
    expect(logged.mock.calls.flat().join()).toContain("a setting is bad");
    logged.mockRestore();
  });
});

describe("every answer", () => {
  test.each([
    { what: "a success", path: "/health", init: {} },
    { what: "an unknown route", path: "/v2/nothing", init: {} },
    { what: "a refusal", path: "/v2/team/keys", init: { key: "junk" } },
    { what: "a bad body", path: "/v2/team/keys", init: { method: "POST", body: "{", headers: JSON_TYPE } },
    { what: "a HEAD request", path: "/health", init: { method: "HEAD" } },
    { what: "a preflight", path: "/v2/scrape", init: { method: "OPTIONS" } },
    { what: "a crash", path: "/v2/boom", init: {} },
  ])("tells its time and is open to every origin: $what", async ({ path, init }) => {
    const { ask } = throwing(new Error("odd"));
    const response = await ask(path, init);
    expect(response.headers.get("X-Response-Time")).toMatch(/^\d+ms$/);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const exposed = response.headers.get("Access-Control-Expose-Headers")?.split(",");
    expect(exposed).toEqual(
      expect.arrayContaining(["Content-Disposition", "Deprecation", "Link", "Mcp-Session-Id", "Warning"]),
    );
  });

  test("in JSON names its charset", async () => {
    const { ask } = testApp();
    for (const path of ["/health", "/nothing"]) {
      expect((await ask(path)).headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    }
  });

  test.each(["/v2/scrape", "/v1/crawl/1", "/health", "/nothing"])("to a preflight needs no key: %s", async (path) => {
    const { app } = testApp();
    const headers = {
      Origin: "https://app.example",
      "Access-Control-Request-Method": "DELETE",
      "Access-Control-Request-Headers": "authorization, content-type",
    };
    const response = await app.request(path, { method: "OPTIONS", headers });
    expect(response.status).toBe(204);
    expect(response.headers.get("Access-Control-Allow-Methods")).toContain("DELETE");
    expect(response.headers.get("Access-Control-Allow-Headers")).toContain("authorization");
  });

  test("to HEAD has no body", async () => {
    const { ask } = testApp();
    const response = await ask("/health", { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });
});
