import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { call, type Answer } from "./client.ts";
import { startFetchService, type FetchService } from "../site/start-fetch-service.ts";
import { startProxies, type Proxies } from "../site/start-proxies.ts";
import { startService, type TestService } from "./service.ts";

/**
 * Names that only the service's egress proxy can resolve, as this machine knows none of them: whatever reaches the site by
 * such a name came through the proxy.
 */
const PUBLIC = "93.184.215.14";
const PRIVATE = "127.0.0.1";

let service: TestService;
let proxies: Proxies;
let relay: FetchService;
/** A site that the machine itself can reach, for the fetch service. */
let plain: Server;
let plainUrl: string;
/** Target of its page `/redirect`. */
const plainRedirect = "http://10.0.0.1/";
let site: Server;
let port: number;
/** Requests that arrived, as `host path`; WebSockets as `upgrade host path`. */
const arrived: string[] = [];
const lookups: string[] = [];
/** Lookups of a name that one test alone asks for, also when it is tried again: pages of earlier tests may still look up theirs. */
let onceLookups = 0;

/** `opened.test` and `once.test` are opened by the operator; `first-public-*` changes its address after it was asked for once. */
async function lookup(name: string): Promise<{ address: string; family: number }[]> {
  lookups.push(name);
  if (name === "once.test") onceLookups += 1;
  const isFirst = lookups.filter((asked) => asked === name).length === 1;
  return [{ address: name.startsWith("first-public") && isFirst ? PUBLIC : PRIVATE, family: 4 }];
}

beforeAll(async () => {
  site = createServer((request, response) => {
    const { host = "" } = request.headers;
    arrived.push(`${host.split(":")[0]} ${request.url}`);
    const target = new URL(request.url ?? "/", `http://${host}`);
    response.setHeader("access-control-allow-origin", "*");
    if (target.pathname === "/redirect") return response.writeHead(302, { location: target.search.slice(1) }).end();
    if (target.pathname === "/stream") return void stream(response);
    response.setHeader("content-type", "text/html");
    response.end(
      target.pathname === "/attack" ? attack(target.search.slice(1)) : "<title>Site</title><p>It is here.</p>",
    );
  });
  site.on("upgrade", (request, socket) => {
    arrived.push(`upgrade ${request.headers.host?.split(":")[0]} ${request.url}`);
    socket.end();
  });
  await new Promise<void>((listening) => {
    site.listen(0, "127.0.0.1", listening);
  });
  ({ port } = site.address() as AddressInfo);
  proxies = await startProxies();
  relay = await startFetchService("a token");
  plain = createServer((request, response) => {
    arrived.push(`plain ${request.url}`);
    if (request.url === "/redirect") return response.writeHead(302, { location: plainRedirect }).end();
    response.setHeader("content-type", "text/html").end("<title>Plain</title><p>By another way.</p>");
  });
  await new Promise<void>((listening) => plain.listen(0, "127.0.0.1", listening));
  const plainHost = `127.0.0.1:${(plain.address() as AddressInfo).port}`;
  plainUrl = `http://${plainHost}`;
  const { open, locked, wrongPassword, dead } = proxies;
  const routes = {
    office: { kind: "proxy", urls: [locked] },
    stranger: { kind: "proxy", urls: [wrongPassword] },
    gone: { kind: "proxy", urls: [dead] },
    pair: { kind: "proxy", urls: [dead, open] },
    relay: { kind: "service", url: relay.url, token: "a token" },
    mute: { kind: "service", url: relay.url, token: "another" },
  };
  const rules = [{ hosts: ["ruled.test"], route: "office" }];
  service = await startService({
    lookup,
    settings: {
      ALLOW_PRIVATE_HOSTS: `opened.test:${port},once.test:${port},ruled.test:${port},${plainHost}`,
      EGRESS_ROUTES: JSON.stringify({ routes, rules, enhanced: ["pair"] }),
    },
  });
});
afterAll(async () => {
  await service.stop();
  await proxies.close();
  relay.stop();
  plain.closeAllConnections();
  plain.close();
  site.closeAllConnections();
  site.close();
});
beforeEach(() => {
  arrived.length = 0;
  lookups.length = 0;
  proxies.seen.length = 0;
  proxies.carried.length = 0;
});

const at = (host: string, path: string): string => `http://${host}:${port}${path}`;

function scrape(url: string, options: object = {}): Promise<Answer> {
  return call("/v2/scrape", {
    body: { url, maxAge: 0, onlyMainContent: false, formats: ["html"], ...options },
    service,
  });
}

/** A page that tries each way to the host that is given: a picture, a request, sockets, and the same from a worker. */
function attack(host: string): string {
  const knock = (from: string): string => `
    fetch("http://${host}:${port}/${from}-fetch", { mode: "no-cors" }).catch(() => undefined);
    try { new WebSocket("ws://${host}:${port}/${from}-socket") } catch {}`;
  return `<!doctype html><title>Attack</title><img src="http://${host}:${port}/image">
    <iframe src="http://${host}:${port}/frame"></iframe>
    <script>${knock("page")}
      new Worker(URL.createObjectURL(new Blob([${JSON.stringify(knock("worker"))}])));</script>`;
}

function stream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/html", "content-length": 1000 });
  response.write("<p>The first part");
  setTimeout(() => response.destroy(), 50);
}

describe("a name that leads to a private address", () => {
  test.each([
    ["without a browser", {}],
    ["in a browser", { waitFor: 1 }],
  ])("is refused %s", async (_how, options) => {
    const { status, body } = await scrape(at("hidden.example.test", "/"), options);
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
    expect(body.error).toContain("hidden.example.test resolves to the private address 127.0.0.1");
    expect(arrived).toEqual([]);
  });

  test("is refused behind a redirect", async () => {
    const { status, body } = await scrape(at("opened.test", `/redirect?${at("hidden.example.test", "/")}`));
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
    expect(arrived).toEqual([expect.stringContaining("opened.test /redirect")]);
  });
});

describe("a name that changes its address between check and use", () => {
  test("is not reached by a navigation", async () => {
    const { status, body } = await scrape(at("first-public-1.example.test", "/"), { waitFor: 1 });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
    expect(lookups.length).toBeGreaterThanOrEqual(2);
    expect(arrived).toEqual([]);
  });

  test("is not reached by a navigation over TLS", async () => {
    const url = `https://first-public-3.example.test:${port}/`;
    const { status, body } = await scrape(url, { waitFor: 1 });
    expect({ status, code: body.code }).toEqual({ status: 403, code: "SAFE_MODE_BLOCKED" });
    expect(arrived).toEqual([]);
  });

  test("is not reached by what a page loads, nor by its workers and sockets", async () => {
    const { body } = await scrape(at("opened.test", "/attack?first-public-2.example.test"), { waitFor: 1500 });
    expect(body.success).toBe(true);
    expect(lookups.filter((name) => name.startsWith("first-public-2")).length).toBeGreaterThanOrEqual(2);
    expect(arrived.filter((line) => line.startsWith("first-public") || line.startsWith("upgrade"))).toEqual([]);
  });
});

describe("a host that the operator opened", () => {
  test("is resolved once for a plain request, by the proxy", async () => {
    const { body } = await scrape(at("once.test", "/"));
    expect(body.data.html).toContain("It is here.");
    expect(arrived.filter((line) => line.startsWith("once.test"))).toEqual(["once.test /"]);
    expect(onceLookups).toBe(1);
  });

  test("is reached from a page by every way that is open to pages", { tags: ["long"] }, async () => {
    const { body } = await scrape(at("opened.test", "/attack?opened.test"), { waitFor: 1500 });
    expect(body.success).toBe(true);
    expect(arrived).toEqual(
      expect.arrayContaining([
        "opened.test /image",
        "opened.test /frame",
        "opened.test /page-fetch",
        "opened.test /worker-fetch",
        "upgrade opened.test /page-socket",
      ]),
    );
  });

  test("is not opened on another port, and the service itself is not either", async () => {
    const { body } = await scrape(`http://opened.test:${port + 1}/`);
    expect(body.code).toBe("SAFE_MODE_BLOCKED");
  });
});

test("a body that breaks off is broken for the service as well", async () => {
  const { body } = await scrape(at("opened.test", "/stream"), { fastMode: true });
  expect(arrived).toContain("opened.test /stream");
  expect(body.success ? body.data.warning : body.error).toMatch(/broke|incomplete|cut|reset/i);
});

test("a name that does not exist is told", async () => {
  const { body } = await scrape("http://nowhere.invalid/");
  expect(body.code).toBe("SCRAPE_DNS_RESOLUTION_ERROR");
});

describe("an egress route", () => {
  const fresh = { maxAge: 0 };

  test("carries a page when `proxy` names it, and the answer says so", async () => {
    const { body } = await scrape(at("opened.test", "/page"), { ...fresh, proxy: "office" });
    expect(body.data?.metadata).toMatchObject({
      proxyUsed: "basic",
      egressRoute: "office",
      attempts: [{ engine: "fetch", outcome: "loaded", proxy: "office" }],
    });
    expect(proxies.seen).toEqual([`127.0.0.1:${port}`]);
    expect(arrived).toEqual(["opened.test /page"]);
    // The request itself went through the tunnel.
    await expect.poll(() => proxies.carried).toEqual([expect.any(Number)]);
    expect(proxies.carried[0]).toBeGreaterThan(50);
  });

  test("is used for the hosts of its rule, by scrapes and for the links of a map", async () => {
    const { body } = await scrape(at("ruled.test", "/page"), fresh);
    expect(body.data?.metadata).toMatchObject({ proxyUsed: "basic", egressRoute: "office" });
    await call("/v2/map", { body: { url: at("ruled.test", "/") }, service });
    expect(arrived.length).toBeGreaterThan(1);
    expect(proxies.seen).toHaveLength(arrived.length);
  });

  test("of `enhanced` names the proxy that failed before the one that worked", async () => {
    const { body } = await scrape(at("opened.test", "/page"), { ...fresh, proxy: "enhanced" });
    expect(body.data?.metadata).toMatchObject({
      proxyUsed: "stealth",
      attempts: [
        { engine: "fetch", outcome: "failed", reason: "SCRAPE_PROXY_UNREACHABLE", proxy: "pair#1" },
        { engine: "fetch", outcome: "loaded", proxy: "pair#2" },
      ],
    });
    expect(body.data?.warning).toBeUndefined();
  });

  test("that is a fetch service loads the page itself", async () => {
    const { body } = await scrape(`${plainUrl}/page`, { ...fresh, proxy: "relay" });
    expect(body.data?.metadata).toMatchObject({
      proxyUsed: "basic",
      egressRoute: "relay",
      statusCode: 200,
      title: "Plain",
    });
    expect(arrived).toEqual(["plain /page"]);
  });

  test.each([
    ["gone", 502, "SCRAPE_PROXY_UNREACHABLE"],
    ["stranger", 500, "SCRAPE_PROXY_DENIED"],
    ["mute", 500, "SCRAPE_PROXY_DENIED"],
    ["nobody", 400, "BAD_REQUEST"],
  ])("%s is refused with one clear error, and nothing leaves directly", async (proxy, status, code) => {
    const answer = await scrape(at("opened.test", "/page"), { ...fresh, proxy });
    expect(answer).toMatchObject({ status, body: { code, error: expect.stringContaining(proxy) } });
    expect(arrived).toEqual([]);
  });

  test("that is unknown is refused before a crawl starts", async () => {
    const body = { url: at("opened.test", "/"), scrapeOptions: { proxy: "nobody" } };
    expect(await call("/v2/crawl", { body, service })).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
  });

  test.each(["office", "relay"])("%s leaves the outbound policy in force", async (proxy) => {
    for (const url of [at("closed.test", "/"), at("127.0.0.1", "/"), `${plainUrl}/redirect`]) {
      expect((await scrape(url, { ...fresh, proxy })).body.code, url).toBe("SAFE_MODE_BLOCKED");
    }
  });
});
