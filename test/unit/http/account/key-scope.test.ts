import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ENDPOINTS, type Endpoint } from "../../../../src/core/account/api-key.ts";
import { sha256Hex } from "../../../../src/core/text/hash.ts";
import { TOOLS } from "../../../../src/mcp/tools.ts";
import { findJob } from "../../../../src/services/jobs/find-job.ts";
import type { KeyScope } from "../../../../src/http/account/key-scope.ts";
import { callTool, mcpClient, texts } from "../../../fakes/services/mcp-client.ts";
import { testApp } from "../../../fakes/services/test-app.ts";
import { isShort } from "../../../sample.ts";
import { testDeps } from "../../../fakes/services/test-deps.ts";

interface Operation {
  method: string;
  path: string;
  keyScope: KeyScope | undefined;
  security: unknown[];
}

const ID = "019a9f6e-2b1c-7c55-9e0d-3f1f6f0a2c11";
const RESTRICTED = "This API key is restricted to the following endpoints";
const METHODS = new Set(["get", "post", "put", "patch", "delete"]);

/** The service with a key for each endpoint that may use it alone. */
async function limitedKeys() {
  const deps = testDeps();
  const keys = new Map<Endpoint, string>();
  for (const [index, endpoint] of ENDPOINTS.entries()) {
    const text = `fc-${String(index).padStart(32, "0")}`;
    keys.set(endpoint, text);
    await deps.keys.insert(limitedKey(endpoint), await sha256Hex(text));
  }
  return { ...testApp(deps), keyFor: (endpoint: Endpoint) => keys.get(endpoint) ?? "" };
}

const limitedKey = (endpoint: Endpoint) => ({
  id: `key-${endpoint}`,
  teamId: "team",
  name: endpoint,
  prefix: "fc-000000",
  scopes: { admin: false, endpoints: [endpoint] },
  limits: {},
  monthlyCredits: undefined,
  maxConcurrency: undefined,
  createdAtMs: 0,
  expiresAtMs: undefined,
  revokedAtMs: undefined,
});

let service: Awaited<ReturnType<typeof limitedKeys>>;
let operations: Operation[];
beforeAll(async () => {
  service = await limitedKeys();
  const document = (await (await service.app.request("/openapi.json")).json()) as {
    paths: Record<string, Record<string, { "x-key-scope"?: KeyScope; security: unknown[] }>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, { "x-key-scope": keyScope, security }]) => ({ method, path, keyScope, security })),
  );
});

async function call({ method, path }: Operation, key: string): Promise<string> {
  const url = path.replaceAll(/\{\w+\}/g, ID);
  const body = method === "get" || method === "delete" ? {} : { body: "{}" };
  const response = await service.ask(url, {
    key,
    method: method.toUpperCase(),
    headers: { "Content-Type": "application/json" },
    ...body,
  });
  const { error = "" } = (await response.json()) as { error?: string };
  return response.status === 403 && error.startsWith(RESTRICTED) ? "restricted" : "passed";
}

describe("the scope of every operation", () => {
  test("is declared, and asks for a key exactly where the operation does", () => {
    expect(operations.length).toBeGreaterThan(90);
    for (const { method, path, keyScope, security } of operations) {
      expect(keyScope, `${method} ${path}`).toBeDefined();
      expect(security.length, `${method} ${path}`).toBe(keyScope === "public" || keyScope === "url" ? 0 : 1);
    }
  });

  test("is declared with the route: nothing else makes routes", () => {
    const folder = join(import.meta.dirname, "../../../../src/http");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    const makers = files.filter((name) =>
      /\bcreateRoute\b[^;]*from "@hono\/zod-openapi"/.test(readFileSync(join(folder, name), "utf8")),
    );
    expect(makers).toEqual(["account/key-scope.ts"]);
  });

  test("keeps out the keys of every other endpoint, and lets its own keys in", async () => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const { method, path, keyScope } = operation;
      if (keyScope === undefined || ["public", "url", "key", "admin"].includes(String(keyScope))) continue;
      const allowed = new Set<string>([keyScope].flat());
      for (const [at, endpoint] of ENDPOINTS.entries()) {
        // In the short form, each operation has every third of the other keys, and each key every third operation.
        if (isShort() && !allowed.has(endpoint) && (at + operations.indexOf(operation)) % 3 !== 0) continue;
        const outcome = await call(operation, service.keyFor(endpoint));
        const expected = allowed.has(endpoint) ? "passed" : "restricted";
        if (outcome !== expected) wrong.push(`${method} ${path} with a key for ${endpoint}: ${outcome}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("keeps keys without the admin scope from managing keys", async () => {
    const admin = operations.filter(({ keyScope }) => keyScope === "admin");
    expect(admin.length).toBe(5);
    for (const { method, path } of admin) {
      const init = method === "post" ? { body: "{}" } : {};
      const headers = { "Content-Type": "application/json" };
      const url = path.replace("{id}", ID);
      const response = await service.ask(url, { method: method.toUpperCase(), headers, ...init });
      expect([response.status, ((await response.json()) as { error: string }).error], path).toEqual([
        403,
        "Forbidden: this needs a key with the admin scope",
      ]);
    }
  });

  test.each(["scrape", "crawl"] as const)("a key for %s sees no sessions and ends none", async (endpoint) => {
    const key = service.keyFor(endpoint);
    for (const [method, path] of [
      ["GET", "/v2/browser"],
      ["GET", "/v2/interact"],
      ["DELETE", `/v2/browser/${ID}`],
    ] as const) {
      // prettier-ignore
      expect((await service.ask(path, { key, method })).status, `${method} ${path}`).toBe(403);
    }
  });
});

describe("what follows a route's scope", () => {
  test("every MCP tool is refused to a key that its route is refused to", async () => {
    const { app, keyFor } = await limitedKeys();
    const client = await mcpClient(app, keyFor("account"));
    const limited = TOOLS.filter(({ method, path }) => {
      const operation = operations.find((each) => each.path === path && each.method === method.toLowerCase());
      return operation?.keyScope !== "key" && operation?.keyScope !== "account";
    });
    expect(limited.length).toBeGreaterThan(15);
    for (const { name } of limited) {
      const { isError, ...result } = await callTool(client, name, { id: ID, checkId: ID });
      expect([isError, texts(result).join("")], name).toEqual([true, expect.stringContaining(RESTRICTED)]);
    }
  });

  test.each([
    { kind: "crawl", endpoint: "batch_scrape" },
    { kind: "batch_scrape", endpoint: "crawl" },
    { kind: "agent", endpoint: "extract" },
    { kind: "deep_research", endpoint: "extract" },
  ] as const)(
    "a job of kind $kind, which sockets tell of too, is refused to a key for $endpoint",
    async ({ kind, endpoint }) => {
      const job = { id: ID, teamId: "team", kind, expiresAtMs: Number.MAX_SAFE_INTEGER };
      const deps = { ...testDeps(), jobs: { find: async () => job } as never };
      const kinds = ["crawl", "batch_scrape", "extract", "agent", "deep_research"] as const;
      const find = (keyEndpoint: Endpoint) => findJob(deps, { key: limitedKey(keyEndpoint) }, { id: ID, kinds });
      await expect(find(endpoint)).rejects.toMatchObject({ code: "ENDPOINT_RESTRICTED" });
      await expect(find(kind === "deep_research" ? "agent" : kind)).resolves.toMatchObject({ id: ID });
    },
  );

  test("a list of activity holds what the endpoints of the key did", async () => {
    const { ask, deps, keyFor } = await limitedKeys();
    const record = { apiVersion: "v2" as const, target: "https://a.example/", ms: 1, hasFailed: false, pages: 1 };
    const { toReceipt } = await import("../../../../src/core/account/receipt.ts");
    for (const endpoint of ["scrape", "crawl", "browser"]) {
      const id = crypto.randomUUID();
      await deps.keyLedger.record("key-scrape", {
        ...record,
        requestId: id,
        id,
        endpoint,
        receipt: toReceipt(deps.meter.counts),
      });
    }
    const list = async (query: string) => {
      const response = await ask(`/v2/team/activity${query}`, { key: keyFor("scrape") });
      const { data = [] } = (await response.json()) as { data?: { endpoint: string }[] };
      return { status: response.status, endpoints: data.map(({ endpoint }) => endpoint) };
    };
    expect(await list("")).toEqual({ status: 200, endpoints: ["scrape"] });
    expect(await list("?endpoint=crawl")).toEqual({ status: 403, endpoints: [] });
  });
});
