import { createServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startProxies, type Proxies } from "../../../site/start-proxies.ts";
import { TEST_CERTIFICATE } from "../../../site/test-certificate.ts";
import { startTlsSite } from "../../../worker/scrape/tls-site.ts";
import { startRoutedWorker, type RoutedWorker } from "./workerd/start-worker.ts";

const onRequest: RequestListener = (request, response) => {
  if (request.url?.toLowerCase().endsWith("gzip")) {
    return void response.writeHead(200, { "content-encoding": request.url.slice(1) }).end(gzipSync("packed words"));
  }
  if (request.url === "/away") return void response.writeHead(302, { location: "http://10.0.0.1/" }).end();
  if (request.url === "/moved") return void response.writeHead(302, { location: "/arrived" }).end();
  if (request.url === "/long")
    return void response.writeHead(200, { "content-length": 300_000 }).end("x".repeat(300_000));
  if (request.url === "/cut") {
    response.writeHead(200, { "content-length": 1000 }).write("half");
    return void setTimeout(() => response.destroy(), 20);
  }
  if (request.url === "/early") {
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
  }
  void buffer(request).then((body) => {
    // Without a length, in chunks.
    response.write(`${request.method} ${request.headers.host} ${request.url} `);
    response.end(`${body.toString()} ${request.headers["proxy-authorization"] ?? "no secret"}`);
  });
};

const site = createServer(onRequest);
const secureSite = createHttpsServer({ key: TEST_CERTIFICATE.key, cert: TEST_CERTIFICATE.certificate }, onRequest);
const service = createServer((request, response) => {
  void buffer(request).then((body) => {
    if (request.headers.authorization !== "Bearer token") return response.writeHead(401).end();
    const asked = JSON.parse(body.toString()) as { url: string; method: string; body?: string };
    if (asked.url.includes("nowhere")) return response.writeHead(502, { "x-fetch-outcome": "dns" }).end();
    const words = `the service loaded ${asked.method} ${asked.url} ${atob(asked.body ?? "")}`;
    response.writeHead(203, { "x-fetch-outcome": "response", "set-cookie": ["a=1", "b=2"] }).end(words);
  });
});
let proxies: Proxies;
let worker: RoutedWorker;
let ports: Record<"site" | "secureSite" | "service", number>;

beforeAll(async () => {
  const listen = async (server: Server): Promise<number> => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    return (server.address() as AddressInfo).port;
  };
  ports = { site: await listen(site), secureSite: await listen(secureSite), service: await listen(service) };
  proxies = await startProxies();
  worker = await startRoutedWorker();
});
afterAll(async () => {
  await worker.stop();
  await proxies.close();
  for (const server of [site, secureSite, service]) {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  }
});
beforeEach(() => void proxies.seen.splice(0));

const proxy = (...urls: string[]) => ({ kind: "proxy", urls });

/** Sends a request by a route of this name; hosts of the tests may be private unless it says otherwise. */
async function ask(
  request: { url: string; method?: "POST" | "HEAD"; body?: string },
  route: object,
  { name = "office", allowPrivateHosts = ["127.0.0.1", "localhost", "a.test"] } = {},
): Promise<Record<string, unknown>> {
  return await worker.ask({
    routes: { routes: { [name]: route } },
    allowPrivateHosts,
    request: { ...request, route: name },
  });
}

const url = (path: string) => `http://127.0.0.1:${ports.site}${path}`;
const secureUrl = (path: string) => `https://localhost:${ports.secureSite}${path}`;
const text = (outcome: Record<string, unknown>) => (outcome["response"] as { text: string } | undefined)?.text;

describe("an HTTP proxy, by connect() and startTls() of workerd", () => {
  test.each(["open", "locked"] as const)(
    "that is %s carries requests, and keeps its password from sites",
    async (kind) => {
      const outcome = await ask({ url: url("/a?b=c") }, proxy(proxies[kind]));
      expect(text(outcome)).toBe(`GET 127.0.0.1:${ports.site} /a?b=c  no secret`);
      expect(outcome).toMatchObject({ proxy: "office", response: { statusCode: 200 } });
      expect(proxies.seen).toEqual([url("/a?b=c")]);
    },
  );

  test.each(["open", "locked"] as const)("that is %s opens tunnels to sites with TLS", async (kind) => {
    const outcome = await ask({ url: secureUrl("/a"), method: "POST", body: "words" }, proxy(proxies[kind]));
    expect(text(outcome)).toBe(`POST localhost:${ports.secureSite} /a words no secret`);
    expect(proxies.seen).toEqual([`localhost:${ports.secureSite}`]);
  });

  test("with TLS of its own cannot carry TLS to a site, which is said", async () => {
    expect(await ask({ url: secureUrl("/") }, proxy(proxies.secure))).toMatchObject({
      code: "SCRAPE_PROXY_SELECTION_ERROR",
    });
  });

  test("brings compressed, long and moved pages, and the final response alone", async () => {
    for (const coding of ["gzip", "x-gzip", "GZIP"])
      expect(text(await ask({ url: secureUrl(`/${coding}`) }, proxy(proxies.open)))).toBe("packed words");
    expect(text(await ask({ url: url("/long") }, proxy(proxies.open)))).toHaveLength(300_000);
    expect(text(await ask({ url: secureUrl("/early") }, proxy(proxies.open)))).toContain("GET localhost");
    const moved = await ask({ url: url("/moved") }, proxy(proxies.open));
    expect(moved).toMatchObject({ response: { url: url("/arrived"), redirects: 1 } });
    expect(await ask({ url: url("/a"), method: "HEAD" }, proxy(proxies.open))).toMatchObject({
      response: { statusCode: 200, text: "" },
    });
  });

  test("does not pass off half a page as a whole one", async () => {
    expect(await ask({ url: secureUrl("/cut") }, proxy(proxies.open))).toMatchObject({ code: "SCRAPE_SITE_ERROR" });
  });

  test("that is dead, or refuses the password, is named", async () => {
    for (const target of [url("/"), secureUrl("/")]) {
      expect(await ask({ url: target }, proxy(proxies.dead))).toMatchObject({
        code: "SCRAPE_PROXY_UNREACHABLE",
        message: "The proxy office could not be reached",
        proxy: "office",
      });
      expect(await ask({ url: target }, proxy(proxies.wrongPassword))).toMatchObject({
        code: "SCRAPE_PROXY_DENIED",
        message: "The proxy office refused its user and password",
      });
    }
  });

  test("does not make a site's bad certificate good", async () => {
    const sealed = await startTlsSite();
    const outcome = await ask({ url: `${sealed.url}/` }, proxy(proxies.open)).finally(() => sealed.close());
    expect(outcome).toMatchObject({ kind: "failed", code: "SCRAPE_SSL_ERROR" });
  });
});

test("proxies of a route take turns, and one that failed rests", async () => {
  const route = proxy(proxies.open, proxies.dead, proxies.locked);
  const used: unknown[] = [];
  for (let turn = 0; turn < 6; turn++) used.push((await ask({ url: url("/") }, route, { name: "turns" }))["proxy"]);
  expect(used).toEqual(["turns#1", "turns#2", "turns#3", "turns#1", "turns#3", "turns#1"]);
});

describe("a fetch service", () => {
  const route = (token?: string) => ({ kind: "service", url: `http://127.0.0.1:${ports.service}/fetch`, token });

  test("receives the request and returns the site's response", async () => {
    const outcome = await ask({ url: url("/a"), method: "POST", body: "words" }, route("token"));
    expect(text(outcome)).toBe(`the service loaded POST ${url("/a")} words`);
    expect(outcome).toMatchObject({ proxy: "office", response: { statusCode: 203 } });
  });

  test("names failures of sites and of itself", async () => {
    const nowhere = await ask({ url: url("/nowhere") }, route("token"));
    expect(nowhere).toMatchObject({ code: "SCRAPE_DNS_RESOLUTION_ERROR", proxy: "office" });
    expect(await ask({ url: url("/") }, route("guess"))).toMatchObject({ code: "SCRAPE_PROXY_DENIED" });
    const dead = { kind: "service", url: proxies.dead };
    expect(await ask({ url: url("/") }, dead)).toMatchObject({ code: "SCRAPE_PROXY_UNREACHABLE" });
    const none = { kind: "service", url: url("/") };
    expect(await ask({ url: url("/") }, none)).toMatchObject({ code: "SCRAPE_PROXY_UNREACHABLE" });
  });
});

test("a binding of the Worker carries requests, and is missed by name", async () => {
  const outcome = await ask({ url: url("/a") }, { kind: "binding", binding: "OFFICE" });
  expect(text(outcome)).toBe(`the binding loaded ${url("/a")}`);
  expect(await ask({ url: url("/a") }, { kind: "binding", binding: "NOWHERE" })).toMatchObject({
    code: "SCRAPE_PROXY_SELECTION_ERROR",
    message: "The egress route office needs the binding NOWHERE, which this deployment has not",
  });
});

describe("the outbound policy", () => {
  const routes = (): [string, object][] => [
    ["proxy", proxy(proxies.open)],
    ["service", { kind: "service", url: `http://127.0.0.1:${ports.service}/`, token: "token" }],
    ["binding", { kind: "binding", binding: "OFFICE" }],
  ];

  test("holds before every route: for addresses, names, and redirects", async () => {
    for (const [kind, route] of routes()) {
      const closed = { allowPrivateHosts: [] };
      const refused = { code: "SAFE_MODE_BLOCKED" };
      expect(await ask({ url: url("/") }, route, closed), kind).toMatchObject(refused);
      // The resolver of this test leads every name to 127.0.0.1.
      expect(await ask({ url: "http://somewhere.example/" }, route, closed), kind).toMatchObject(refused);
    }
    expect(proxies.seen).toEqual([]);
    expect(await ask({ url: url("/away") }, proxy(proxies.open))).toMatchObject({ code: "SAFE_MODE_BLOCKED" });
  });
});
