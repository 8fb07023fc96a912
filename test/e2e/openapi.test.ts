import { beforeAll, describe, expect, test } from "vitest";
import { inject } from "./inject.ts";
import { call, sitePage } from "./client.ts";

interface Operation {
  summary?: string;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; required?: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>;
}

interface Description {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

let description: Description;
beforeAll(async () => {
  const response = await fetch(`${inject("serviceUrl")}/openapi.json`);
  description = (await response.json()) as Description;
});

const operations = (): [name: string, path: string, operation: Operation][] =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
      `${method} ${path}`,
      path,
      operation,
    ]),
  );

/** Every value of a JSON text, with the key that it stands under. */
function entriesOf(value: unknown): [key: string, value: unknown][] {
  if (value === null || typeof value !== "object") return [];
  const own: [string, unknown][] = Object.entries(value);
  return own.concat(own.flatMap(([, inner]) => entriesOf(inner)));
}

/** Addresses that carry their own tokens. */
const OPEN_PATHS = /^\/v2\/files\/|\/cdp\/|^\/v2\/parse\/upload\//;

describe("the OpenAPI document", () => {
  test("is of version 3.1 and leads back to the service", () => {
    expect(description.openapi).toBe("3.1.0");
    expect(description.info).toEqual(expect.objectContaining({ title: "Orbweaver", version: expect.any(String) }));
    expect(description.servers).toEqual([{ url: inject("serviceUrl") }]);
    expect(description.components.securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } });
  });

  test("describes the routes", () => {
    const names = operations().map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "get /health",
        "post /v2/scrape",
        "get /v2/scrape/{id}",
        "post /v2/parse",
        "get /v2/files/{token}",
        "post /v2/team/keys",
        "post /v1/scrape",
        "get /v1/scrape/{id}",
      ]),
    );
  });

  test("holds no reference that leads nowhere", () => {
    const references = entriesOf(description).flatMap(([key, value]) => (key === "$ref" ? [String(value)] : []));
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      const steps = reference.replace(/^#\//, "").split("/");
      const target = steps.reduce<unknown>(
        (at, step) => (at as Record<string, unknown> | undefined)?.[step],
        description,
      );
      expect(target, reference).toBeTypeOf("object");
    }
  });

  test("says of every operation what it does, what it takes and what it answers", () => {
    for (const [name, path, operation] of operations()) {
      expect(operation.summary, name).toMatch(/\w/);
      expect(operation.tags, name).toHaveLength(1);
      expect(operation.responses["200"], name).toBeDefined();
      for (const { description: words, content } of Object.values(operation.responses)) {
        expect(words, name).toMatch(/\w/);
        for (const media of Object.values(content ?? {})) expect(media.schema, name).toBeTypeOf("object");
      }
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
      const described = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(
        described.map((parameter) => parameter.name),
        name,
      ).toEqual(inPath);
    }
  });

  test("says of every operation behind a key that it needs one, and how it is refused", () => {
    for (const [name, path, { security, responses }] of operations()) {
      if (!/^\/v[12]\//.test(path) || OPEN_PATHS.test(path)) continue;
      expect(security, name).toEqual([{ bearer: [] }]);
      for (const status of ["401", "402", "403", "429", "500"]) expect(responses[status], name).toBeDefined();
    }
  });

  test("describes the bodies of what is posted", () => {
    for (const [name, , { requestBody }] of operations()) {
      // Doing something again takes nothing but its id.
      if (!name.startsWith("post") || /\/(?:replay|run|retry)$/.test(name)) continue;
      const type = name.endsWith("/v2/parse") ? "multipart/form-data" : "application/json";
      expect(requestBody?.content[type]?.schema, name).toBeTypeOf("object");
    }
  });
});

describe("what no route can take is an error in JSON", () => {
  const url = (): string => sitePage("/final");
  const json = { "content-type": "application/json" };

  test.each([
    { what: "an unknown path", path: "/nope", call: {}, status: 404, error: "Unknown route: GET /nope" },
    {
      what: "an unknown path of the API",
      path: "/v2/nope",
      call: {},
      status: 404,
      error: "Unknown route: GET /v2/nope",
    },
    {
      what: "a wrong method",
      path: "/v2/scrape",
      call: { method: "PUT" },
      status: 405,
      error: "PUT is not allowed at /v2/scrape. Use POST.",
    },
    {
      what: "JSON that breaks off",
      path: "/v2/scrape",
      call: { body: '{"url":', headers: json },
      status: 400,
      error: "Bad request, malformed JSON",
    },
    {
      what: "a list",
      path: "/v2/scrape",
      call: { body: "[]", headers: json },
      status: 400,
      error: /^Bad Request: expected an object, got an array$/,
    },
    {
      what: "null",
      path: "/v2/scrape",
      call: { body: "null", headers: json },
      status: 400,
      error: /^Bad Request: expected an object, got null$/,
    },
    {
      what: "no body",
      path: "/v2/scrape",
      call: { method: "POST" },
      status: 400,
      error: /^Bad Request: url: is required/,
    },
    {
      what: "a form",
      path: "/v2/scrape",
      call: { body: "url=x", headers: { "content-type": "application/x-www-form-urlencoded" } },
      status: 415,
      error: "The request body must be sent as application/json",
    },
    {
      what: "plain text",
      path: "/v2/scrape",
      call: { body: "{}", headers: { "content-type": "text/plain" } },
      status: 415,
      error: "The request body must be sent as application/json",
    },
    {
      what: "a body of more than 10 MB",
      path: "/v2/scrape",
      call: { body: JSON.stringify({ url: "x".repeat(10 * 1024 * 1024) }), headers: json },
      status: 413,
      error: "Request body is too large",
    },
    {
      what: "a reading that names no upload",
      path: "/v2/parse",
      call: { body: "{}", headers: json },
      status: 400,
      error: /^Bad Request: uploadRef: is required/,
    },
  ])("$what", async ({ path, call: request, status, error }) => {
    const answer = await call(path, request);
    expect({ status: answer.status, success: answer.body.success, error: answer.body.error }).toEqual({
      status,
      success: false,
      error: error instanceof RegExp ? expect.stringMatching(error) : error,
    });
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("x-response-time")).toMatch(/^\d+ms$/);
  });

  test("a body just below 10 MB is read", async () => {
    const body = JSON.stringify({ url: url(), formats: [] }) + " ".repeat(10 * 1024 * 1024 - 1000);
    expect((await call("/v2/scrape", { body, headers: json })).status).toBe(200);
  });

  test("a body that names no type is JSON", async () => {
    const body = new Blob([JSON.stringify({ url: url(), formats: [] })]);
    const response = await fetch(`${inject("serviceUrl")}/v2/scrape`, {
      method: "POST",
      headers: { authorization: `Bearer ${inject("apiKey")}` },
      body,
    });
    expect(response.status).toBe(200);
  });

  test("scripts of any origin may call the service and read its answers", async () => {
    const preflight = await fetch(`${inject("serviceUrl")}/v2/scrape`, {
      method: "OPTIONS",
      headers: {
        origin: "https://a.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
    expect(preflight.headers.get("access-control-allow-methods")).toContain("POST");
    expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
    const refused = await call("/v2/scrape", { body: {}, headers: { origin: "https://a.example" } });
    expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("the routes that need no key need none", async () => {
    for (const path of ["/", "/health", "/v0/health/liveness", "/v0/health/readiness", "/openapi.json"]) {
      const response = await fetch(`${inject("serviceUrl")}${path}`);
      expect(response.status, path).toBe(200);
      expect(response.headers.get("content-type"), path).toMatch(/^application\/json/);
    }
  });
});
