import { request as httpRequest } from "node:http";
import { createServer as createHttpsServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EGRESS_FAILURE_HEADER, EGRESS_UPSTREAM_HEADER } from "../../../../src/core/egress-failure.ts";
import { startEgressProxy, type EgressProxy } from "../../../../src/tools/egress/egress-proxy.ts";
import { TEST_CERTIFICATE } from "../../../site/test-certificate.ts";
import { startProxies, type Proxies } from "../../../site/start-proxies.ts";
import { startEgressSite, type EgressSite } from "./egress-site.ts";

let site: EgressSite;
let secureSite: Server;
let securePort: number;
let proxies: Proxies;
let egress: EgressProxy;

const trusted = getCACertificates();

const lookup = async (name: string) => [{ address: name === "other.test" ? "10.0.0.1" : "127.0.0.1", family: 4 }];

beforeAll(async () => {
  [site, proxies] = await Promise.all([startEgressSite(), startProxies()]);
  const { key, certificate: cert, authority } = TEST_CERTIFICATE;
  setDefaultCACertificates([...trusted, authority]);
  secureSite = createHttpsServer({ key, cert }, (request, response) => response.end(`over TLS ${request.url}`));
  await new Promise<void>((listening) => secureSite.listen(0, "127.0.0.1", listening));
  securePort = (secureSite.address() as AddressInfo).port;
  const { open, locked, wrongPassword, dead, secure } = proxies;
  const upstreams = new Map(
    Object.entries({ open, locked, wrongPassword, dead, secure, unnamed: "http://other.test:3128" }),
  );
  const operatorHosts = [open, locked, wrongPassword, dead, secure].map((url) => new URL(url).host);
  const allowPrivateHosts = [`opened.test:${site.port}`, `a.test:${securePort}`, `b.test:${securePort}`];
  egress = await startEgressProxy({ allowPrivateHosts, operatorHosts, ownHosts: [], upstreams, lookup });
});
afterAll(async () => {
  setDefaultCACertificates(trusted);
  await egress.close();
  secureSite.closeAllConnections();
  secureSite.close();
  await Promise.all([site.close(), proxies.close()]);
});
beforeEach(() => {
  proxies.seen.splice(0);
  proxies.carried.splice(0);
  site.seen.splice(0);
});

async function ask(url: string, upstream: string, as: "pages" | "operator" = "operator") {
  const [host, port] = egress.workerAddresses[as].split(":");
  const headers = { "proxy-authorization": `Bearer ${egress.tokens[as]}`, [EGRESS_UPSTREAM_HEADER]: upstream };
  return await new Promise<{ status: number | undefined; failure: unknown; body: string }>((resolve, reject) => {
    const request = httpRequest({ host, port, path: url, headers, agent: false }, (response) => {
      const { statusCode: status, headers } = response;
      buffer(response).then(
        (body) => resolve({ status, failure: headers[EGRESS_FAILURE_HEADER], body: String(body) }),
        reject,
      );
    });
    request.on("error", reject).end();
  });
}

test.each(["open", "locked"])("a proxy that is %s connects to the address that was checked", async (upstream) => {
  const url = `http://opened.test:${site.port}/page`;
  expect(await ask(url, upstream)).toMatchObject({ status: 200, body: `GET opened.test:${site.port} /page` });
  expect(proxies.seen).toEqual([`127.0.0.1:${site.port}`]);
  expect(site.seen[0]?.headers).not.toHaveProperty(EGRESS_UPSTREAM_HEADER);
  await carriedAll(1);
});

/** The site tells nobody on which way a request came: the proxies do, when their connections are closed. */
async function carriedAll(connections: number): Promise<void> {
  await expect.poll(() => proxies.carried).toHaveLength(connections);
  for (const bytes of proxies.carried) expect(bytes).toBeGreaterThan(50);
}

test.each([
  ["dead", "proxy"],
  ["wrongPassword", "proxy_denied"],
  // Its name leads to a private address that the settings do not open.
  ["unnamed", "proxy"],
])("a proxy that is %s is the reason", async (upstream, failure) => {
  expect(await ask(`http://opened.test:${site.port}/`, upstream)).toMatchObject({ failure });
  expect(site.seen).toEqual([]);
});

test("the policy of pages holds before a proxy, also for servers that the settings name", async () => {
  for (const url of ["http://closed.test/", "http://10.0.0.1/", `${proxies.open}/`]) {
    expect(await ask(url, "open"), url).toMatchObject({ status: 403, failure: "refused" });
  }
  expect(proxies.seen).toEqual([]);
});

test("an unknown proxy is refused, and pages cannot choose one", async () => {
  expect(await ask(`http://opened.test:${site.port}/`, "stranger")).toMatchObject({ status: 407 });
  expect(await ask(`http://opened.test:${site.port}/`, "open", "pages")).toMatchObject({ status: 200 });
  expect(proxies.seen).toEqual([]);
  expect(site.seen[0]?.headers).not.toHaveProperty(EGRESS_UPSTREAM_HEADER);
});

test.each(["open", "locked", "secure"])(
  "a proxy that is %s carries TLS to the site, whose certificate is checked",
  async (upstream) => {
    const answer = await ask(`https://a.test:${securePort}/page`, upstream);
    expect(answer).toMatchObject({ status: 200, body: "over TLS /page" });
    expect(await ask(`https://b.test:${securePort}/`, upstream)).toMatchObject({ failure: "tls" });
    expect(proxies.seen).toEqual(Array(2).fill(`127.0.0.1:${securePort}`));
    await carriedAll(2);
  },
);
