import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { buildDeps, layFoundation } from "../../src/compose.ts";
import { createApp } from "../../src/http/app.ts";
import { takeDeepestChain } from "../platform/call-chain.ts";
import { edgeError, edgeFetch } from "../platform/edge-fetch.ts";
import { inInvocation, Invocation } from "../platform/invocation.ts";
import { ADMIN_KEY, API_KEY } from "./keys.ts";

const KEYS = { API_KEY, ADMIN_KEY };
const TEXT = `<main><h1>Page</h1><p>${"A sentence of the page that is read. ".repeat(20)}</p></main>`;
const html = (body: string, init: ResponseInit = {}) =>
  new Response(`<html><head><title>Page</title></head><body>${body}</body></html>`, {
    ...init,
    headers: { "content-type": "text/html", ...init.headers },
  });

const platformFetch = globalThis.fetch;
afterEach(() => {
  globalThis.fetch = platformFetch;
});

describe("the bindings of the tests refuse what the platform's refuse", () => {
  test("in D1: values over 2 MB, more than 100 parameters, more than 1,000 queries of an invocation", async () => {
    const statement = env.DB.prepare("SELECT ? AS value");
    expect(() => statement.bind("x".repeat(2_000_001))).toThrow("SQLITE_TOOBIG");
    expect(() => statement.bind("é".repeat(1_000_001))).toThrow("SQLITE_TOOBIG");
    expect(await statement.bind("x".repeat(1_999_000)).first("value")).toHaveLength(1_999_000);
    expect(() => statement.bind(...Array.from({ length: 101 }, () => 1))).toThrow("too many SQL variables");
    const ask = () => env.DB.prepare("SELECT 1").run();
    const asking = inInvocation(async () => {
      for (let query = 0; query < 1_000; query += 50)
        await env.DB.batch(Array.from({ length: 50 }, () => env.DB.prepare("SELECT 1")));
      await ask();
    });
    await expect(asking).rejects.toThrow("Too many API requests by single worker invocation");
  });

  test("in objects: values and rows over 2 MB", async () => {
    await runInDurableObject(env.KEY_LEDGER.getByName("limits"), (_, { storage }) => {
      expect(() => storage.sql.exec("SELECT ?", new Uint8Array(2_000_001))).toThrow("SQLITE_TOOBIG");
      storage.sql.exec("CREATE TABLE pairs (one TEXT, two TEXT)");
      const insert = (bytes: number) =>
        storage.sql.exec("INSERT INTO pairs VALUES (?, ?)", "x".repeat(bytes), "x".repeat(bytes));
      insert(999_000);
      expect(() => insert(1_000_001)).toThrow("SQLITE_TOOBIG");
      expect(() => storage.kv.put("key", { text: "x".repeat(2_000_000) })).toThrow("SQLITE_TOOBIG");
    });
  });

  test("in queues: messages over 128 kB, batches over 100 messages or 256 kB", async () => {
    expect(() => env.TASKS.send("x".repeat(128_000))).toThrow("message length");
    expect(() => env.TASKS.sendBatch(Array.from({ length: 101 }, () => ({ body: 1 })))).toThrow("101 messages");
    expect(() => env.TASKS.sendBatch(Array.from({ length: 3 }, () => ({ body: "x".repeat(100_000) })))).toThrow(
      "bytes",
    );
  });

  test("in R2: keys over 1,024 bytes, and a second write of a key within a second", async () => {
    expect(() => env.BUCKET.put("k".repeat(1_025), "value")).toThrow("not valid");
    await env.BUCKET.put("often", "value");
    expect(() => env.BUCKET.put("often", "value")).toThrow("10058");
  });

  test("and end a chain of more than 32 calls", async () => {
    const read = () => env.KEY_LEDGER.getByName("chain").usage();
    await expect(inInvocation(read, new Invocation(31))).resolves.toBeDefined();
    await expect(inInvocation(read, new Invocation(32))).rejects.toThrow("depth limit exceeded");
  });

  test("and hold back the seventh request that waits for headers", async () => {
    const invocation = new Invocation();
    const open: (() => void)[] = [];
    const fetcher = () => new Promise<void>((resolve) => open.push(resolve));
    const requests = inInvocation(async () => {
      await Promise.all(Array.from({ length: 7 }, () => invocation.connect(fetcher)));
    }, invocation);
    expect(open).toHaveLength(6);
    open.shift()?.();
    await vi.waitFor(() => expect(open).toHaveLength(6));
    for (const reply of open) reply();
    await requests;
    expect(invocation).toMatchObject({ peak: 6, heldBack: 1 });
  });
});

test("a picture that several pages have at once is stored for each of them", async () => {
  const { files } = buildDeps(
    layFoundation({ ...env, ...KEYS } as never),
    { url: "http://service.example/" },
    () => undefined,
  );
  const expiresAtMs = Date.now() + 60_000;
  const file = { bytes: new TextEncoder().encode("the same picture"), contentType: "image/png" };
  const tokens = await Promise.all([1, 2, 3].map(() => files.put(file, { teamId: "team", expiresAtMs })));
  expect(new Set(tokens).size).toBe(1);
});

/** The service, with sites as the edge shows them. */
function service(sites: Parameters<typeof edgeFetch>[0]) {
  // Not a spy, which would keep the responses of other invocations.
  globalThis.fetch = edgeFetch(sites);
  const deferred: Promise<unknown>[] = [];
  const foundation = layFoundation({ ...env, ...KEYS, BROWSER: undefined } as never);
  const app = createApp((request) => buildDeps(foundation, request, (work) => void deferred.push(work)));
  const call = async <Body>(path: string, body?: object) => {
    const headers = { authorization: `Bearer ${KEYS.API_KEY}`, "content-type": "application/json" };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await app.request(`http://service.example${path}`, init);
    await Promise.all(deferred.splice(0));
    return { status: response.status, ...((await response.json()) as Body) };
  };
  return { call };
}

interface Scraped {
  success: boolean;
  code?: string;
  data?: { markdown?: string; metadata: { statusCode: number; creditsUsed: number } };
}

describe("errors of the edge", () => {
  test.each([
    ["refused", "SCRAPE_SITE_ERROR"],
    ["timeout", "SCRAPE_TIMEOUT"],
    ["certificate", "SCRAPE_SSL_ERROR"],
    ["handshake", "SCRAPE_SSL_ERROR"],
  ] as const)("a site whose connection is %s is no page, but %s", async (fault, code) => {
    const { call } = service({ "site.example": fault });
    expect(await call<Scraped>("/v2/scrape", { url: "https://site.example/", maxAge: 0 })).toMatchObject({
      success: false,
      code,
    });
  });

  test("a name that does not resolve is a DNS error", async () => {
    const { call } = service({});
    const answer = await call<Scraped>("/v2/scrape", { url: "https://gone.example/", maxAge: 0 });
    expect(answer).toMatchObject({ success: false, code: "SCRAPE_DNS_RESOLUTION_ERROR" });
  });

  test("pages that only bear the server's name stay pages", async () => {
    const headers = { server: "cloudflare" };
    const { call } = service({ "site.example": () => html(TEXT, { status: 403, headers }) });
    const answer = await call<Scraped>("/v2/scrape", { url: "https://site.example/", maxAge: 0 });
    expect(answer).toMatchObject({ success: true, data: { metadata: { statusCode: 403 } } });
  });

  test(
    "a crawl counts them as errors, not as pages, and charges nothing for them",
    { tags: ["long"], timeout: 60_000 },
    async () => {
      takeDeepestChain();
      const links = ["ok", "tls", "down"].map((name) => `<a href="/${name}">${name}</a>`).join("");
      const { call } = service({
        "site.example": ({ url }) => {
          const { pathname } = new URL(url);
          if (pathname === "/") return html(TEXT + links);
          if (pathname === "/tls") return edgeError(526);
          if (pathname === "/down") return edgeError(521);
          return pathname === "/ok" ? html(TEXT) : new Response("", { status: 404 });
        },
      });
      const { id } = await call<{ id: string }>("/v2/crawl", {
        url: "https://site.example/",
        limit: 10,
        sitemap: "skip",
      });
      const read = () => call<{ status: string; completed: number; creditsUsed: number }>(`/v2/crawl/${id}`);
      await vi.waitFor(async () => expect(await read()).toMatchObject({ status: "completed" }), { timeout: 50_000 });
      // An alarm starts each run: its chain is the frontier, the run, and the objects that either calls.
      expect([4, 5]).toContain(takeDeepestChain());
      expect(await read()).toMatchObject({ completed: 2, creditsUsed: 2 });
      const { errors } = await call<{ errors: { url: string }[] }>(`/v2/crawl/${id}/errors`);
      expect(errors.map(({ url }) => new URL(url).pathname).toSorted()).toEqual(["/down", "/tls"]);
    },
  );
});
