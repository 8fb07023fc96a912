import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EGRESS_FAILURE_HEADER, EGRESS_REPORT_URL } from "../../../../src/core/egress-failure.ts";
import { pinAddresses } from "../../../../src/tools/egress/egress-policy.ts";
import { startEgressProxy, type EgressProxy } from "../../../../src/tools/egress/egress-proxy.ts";
import type { Lookup } from "../../../../src/tools/egress/resolve-name.ts";
import { listen, startEgressSite, type EgressSite } from "./egress-site.ts";

/** Every name leads to this machine, unless other answers wait to be given. Those of `slow.` come late. */
const lookup: Lookup = async (name) => {
  lookups.push(name);
  if (name.startsWith("slow.")) await sleep(300);
  return [{ address: answers.shift() ?? "127.0.0.1", family: 4 }];
};

let site: EgressSite;
let port: number;
let seen: IncomingMessage[];
let proxy: EgressProxy;
let lookups: string[];
let answers: string[];

beforeEach(async () => {
  [lookups, answers] = [[], []];
  site = await startEgressSite();
  ({ port, seen } = site);
  proxy = await startEgressProxy({
    allowPrivateHosts: [`opened.test:${port}`, `slow.opened.test:${port}`],
    operatorHosts: [`named.test:${port}`],
    ownHosts: ["api.example.com:443"],
    lookup,
  });
});
afterEach(async () => {
  await proxy.close();
  await site.close();
});

interface Reply {
  status: number | undefined;
  message: string | undefined;
  headers: IncomingMessage["headers"];
  failure: string | string[] | undefined;
  body: string;
  bytes: Buffer;
}

interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  as?: "pages" | "operator" | "browser" | "nobody";
}

/** An absolute-form request to the proxy. */
async function ask(url: string, { method = "GET", headers = {}, body, as = "pages" }: Ask = {}): Promise<Reply> {
  const { pages, operator } = proxy.workerAddresses;
  const [host, proxyPort] = { pages, operator, nobody: pages, browser: proxy.browserAddress }[as].split(":");
  const credential = as === "pages" || as === "operator" ? { "proxy-authorization": `Bearer ${proxy.tokens[as]}` } : {};
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host, port: proxyPort, path: url, method, headers: { ...headers, ...credential }, agent: false },
      (response) => {
        const { statusCode: status, statusMessage: message, headers } = response;
        buffer(response).then((bytes) => {
          resolve({ status, message, headers, failure: headers[EGRESS_FAILURE_HEADER], body: String(bytes), bytes });
        }, reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

/** Sends bytes to a listener of the proxy and reads until it ends or `until` came. */
async function raw(address: string, bytes: string, until?: string): Promise<string> {
  const socket = connect(Number(address.split(":")[1]), "127.0.0.1");
  socket.write(bytes);
  let all = "";
  for await (const chunk of socket) {
    all += String(chunk);
    if (until !== undefined && all.includes(until)) break;
  }
  socket.destroy();
  return all;
}

const opened = (path: string): string => `http://opened.test:${port}${path}`;

describe("a request", () => {
  test("is handed on with its path, its host and its headers, and without what is between neighbours", async () => {
    const headers = { "X-Mine": "1", connection: "x-secret, content-length", "x-secret": "2", te: "trailers" };
    const { status, body } = await ask(opened("/a%20b?q=%2e%2e#x"), { headers });
    expect({ status, body }).toEqual({ status: 200, body: `GET opened.test:${port} /a%20b?q=%2e%2e` });
    expect(seen[0]?.rawHeaders).toEqual(expect.arrayContaining(["X-Mine", "1"]));
    for (const name of ["proxy-authorization", "x-secret", "te"]) expect(seen[0]?.headers[name]).toBeUndefined();
  });

  test("keeps its body, whether its length is known or not", async () => {
    expect(
      (await ask(opened("/echo"), { method: "POST", body: "known", headers: { "content-length": "5" } })).body,
    ).toBe("known");
    const chunked = await ask(opened("/echo"), {
      method: "PUT",
      body: "x".repeat(300_000),
      headers: { "transfer-encoding": "chunked" },
    });
    expect(chunked.body).toHaveLength(300_000);
    expect(seen.map(({ headers }) => headers["content-length"] ?? headers["transfer-encoding"])).toEqual([
      "5",
      "chunked",
    ]);
  });

  test("goes out on the same connection as one before it to the same host", async () => {
    for (const path of ["/1", "/2"]) await ask(opened(path));
    expect(seen[1]?.socket.remotePort).toBe(seen[0]?.socket.remotePort);
  });

  test("is answered with the site's status, headers and body as they are", async () => {
    const { status, message, headers } = await ask(opened("/cookies"));
    expect({ status, message, cookies: headers["set-cookie"] }).toEqual({
      status: 203,
      message: "Very Well",
      cookies: ["a=1", "b=2"],
    });
    const moved = await ask(opened("/moved"));
    expect([moved.status, moved.headers.location]).toEqual([302, "http://10.0.0.1/"]);
  });

  test("is answered with the very bytes of headers", async () => {
    const { headers } = await ask(opened("/bytes"));
    expect(Buffer.from(headers.location ?? "", "latin1").toString("utf8")).toBe("/caf\u00e9");
  });

  test("is told of a reset, and asked once", async () => {
    expect((await ask(opened("/reset"))).failure).toBe("reset");
    expect(seen).toHaveLength(1);
  });

  test("that finds its kept connection closed is asked once more on a new one", async () => {
    await ask(opened("/1"));
    site.resetsNext = true;
    expect((await ask(opened("/2"))).status).toBe(200);
    expect(seen.map(({ url }) => url)).toEqual(["/1", "/2", "/2"]);
    expect(seen.map(({ socket }) => socket === seen[0]?.socket)).toEqual([true, true, false]);
  });

  test.each(["000", "099", "101"])("whose answer has the status %s fails, and the proxy goes on", async (status) => {
    expect(await ask(opened(`/status-${status}`))).toMatchObject({ status: 502, failure: "malformed" });
    expect((await ask(opened("/"))).status).toBe(200);
  });

  test.each([
    ["/garbage", /not valid HTTP/],
    ["/two-lengths", /not valid HTTP/],
    ["/long-head", /headers of the site's response are too long/],
    ["/endless-early", /more than 32 interim responses/],
  ])("whose response is not HTTP fails with this reason: %s", async (path, reason) => {
    const { status, failure, body } = await ask(opened(path));
    expect([status, failure]).toEqual([502, "malformed"]);
    expect(body).toMatch(reason);
  });

  test.each(["/two-responses", "/more-than-said"])(
    "is answered without what the site sends behind the response: %s",
    async (path) => {
      for (const as of ["pages", "browser"] as const) {
        const { status, body } = await ask(opened(path), { as });
        expect([status, body]).toEqual([200, "first"]);
      }
    },
  );

  test("is answered with what follows interim responses", async () => {
    expect(await ask(opened("/early"))).toMatchObject({ status: 200, body: "late" });
  });

  test("is answered in the encoding that the site chose", async () => {
    const { headers, bytes } = await ask(opened("/gzip"));
    expect(headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(bytes).toString()).toBe("packed");
  });

  test.each(["/cut", "/cut-chunks"])("whose answer breaks off is broken off: %s", async (path) => {
    await expect(ask(opened(path))).rejects.toThrow("aborted");
  });

  test.each([10_000, 2_000])(
    "that its sender gives up is given up at the site, and a slow reader slows the site down, which sends chunks of %i bytes",
    async (bytes) => {
      const [host, proxyPort] = proxy.workerAddresses.pages.split(":");
      const headers = { "proxy-authorization": `Bearer ${proxy.tokens.pages}` };
      const request = httpRequest({ host, port: proxyPort, path: opened(`/endless-${bytes}`), headers });
      request.on("error", () => undefined).end();
      // Nobody reads the answer.
      await new Promise((answered) => {
        request.once("response", answered);
      });
      const sent = (): number => site.endless?.bytesWritten ?? 0;
      let before = -1;
      await expect.poll(() => before === (before = sent()), { interval: 200 }).toBe(true);
      expect(sent()).toBeLessThan(30_000_000);
      request.destroy();
      await expect.poll(() => site.endless?.destroyed).toBe(true);
    },
  );

  test.each(["", "Connection: Upgrade\r\nUpgrade: echo\r\n"])(
    "that its sender gives up while the name is resolved is not made (%j)",
    async (headers) => {
      const socket = connect(Number(proxy.workerAddresses.pages.split(":")[1]), "127.0.0.1");
      const authorization = `Proxy-Authorization: Bearer ${proxy.tokens.pages}\r\n`;
      socket.write(`GET http://slow.opened.test:${port}/ HTTP/1.1\r\n${authorization}${headers}\r\n`);
      await expect.poll(() => lookups).toEqual(["slow.opened.test"]);
      socket.destroy();
      await sleep(600);
      expect(seen.map(({ url }) => url)).toEqual([]);
    },
  );

  test("for another protocol that its sender gives up is given up at the site", async () => {
    const socket = connect(Number(proxy.workerAddresses.pages.split(":")[1]), "127.0.0.1");
    const authorization = `Proxy-Authorization: Bearer ${proxy.tokens.pages}\r\n`;
    socket.write(`GET ${opened("/silent")} HTTP/1.1\r\n${authorization}Connection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    await expect.poll(() => seen).toHaveLength(1);
    socket.destroy();
    await expect.poll(() => seen[0]?.socket.destroyed).toBe(true);
  });

  test("is not believed when a site claims to be the proxy", async () => {
    const { status, failure, body } = await ask(opened("/forged"));
    expect({ status, failure, body }).toEqual({ status: 200, failure: undefined, body: "mine" });
  });

  test("for another protocol is joined, and a refusal of it is handed back", async () => {
    const head = (path: string): string =>
      `GET ${opened(path)} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n` +
      `Proxy-Authorization: Bearer ${proxy.tokens.pages}\r\n\r\n`;
    const { pages } = proxy.workerAddresses;
    expect(await raw(pages, `${head("/")}hello`, "hello")).toMatch(/^HTTP\/1.1 101 [^]*\r\n\r\nhello$/);
    expect(await raw(pages, head("/refused"))).toMatch(/^HTTP\/1.1 401 No\r\n[^]*no$/);
    expect(await raw(pages, head("/").replace(proxy.tokens.pages, "0"))).toMatch(/^HTTP\/1.1 407 /);
    expect(seen).toHaveLength(2);
  });
});

describe("a target", () => {
  test.each([
    ["a name that leads to a private address", () => `http://hidden.example.com:${port}/`],
    ["an opened name on another port", () => `http://opened.test:${port + 1}/`],
    ["a loopback address", () => `http://127.0.0.1:${port}/`],
    ["decimal", () => `http://2130706433:${port}/`],
    ["octal", () => `http://0177.0.0.1:${port}/`],
    ["IPv4 inside IPv6", () => `http://[::ffff:7f00:1]:${port}/`],
    ["IPv6 loopback over TLS", () => `https://[::1]:${port}/`],
    ["a cloud's metadata", () => "http://169.254.169.254/latest"],
    ["Azure's host", () => "http://168.63.129.16/machine"],
    ["a local name", () => `http://localhost:${port}/`],
    ["the service by its own name", () => "https://api.example.com/v2/scrape"],
    ["credentials before the host", () => `http://opened.test:${port}@127.0.0.1:${port}/`],
    ["a server that only the service itself may call", () => `http://named.test:${port}/`],
  ])("is refused: %s", async (_what, url) => {
    const { status, failure } = await ask(url());
    expect({ status, failure }).toEqual({ status: 403, failure: "refused" });
    expect(seen).toEqual([]);
  });

  test("that the settings name is open to the service itself, and opens nothing else", async () => {
    expect((await ask(`http://named.test:${port}/x`, { as: "operator" })).body).toBe(`GET named.test:${port} /x`);
    expect((await ask(`http://other.test:${port}/x`, { as: "operator" })).failure).toBe("refused");
    expect((await ask(`http://named.test:${port}/x`, { as: "browser" })).failure).toBe("refused");
  });

  test("is resolved once: what the name means later is not asked", async () => {
    answers = ["127.0.0.1", "10.0.0.1", "10.0.0.2"];
    expect((await ask(opened("/"))).status).toBe(200);
    expect(lookups).toEqual(["opened.test"]);
  });

  test("is refused when the name means a private address now, whatever it meant before", async () => {
    answers = ["93.184.215.14", "127.0.0.1"];
    const policy = { allowPrivateHosts: [], ownHosts: [], isOwnPort: () => false };
    const pin = () => pinAddresses(new URL("http://turning.example.com/"), policy, lookup);
    expect(await pin()).toEqual([{ address: "93.184.215.14", family: 4 }]);
    await expect(pin()).rejects.toMatchObject({ failure: "refused" });
  });

  test("is refused when only one of its addresses is private", async () => {
    const mixed = await startEgressProxy({
      allowPrivateHosts: [],
      operatorHosts: [],
      ownHosts: [],
      lookup: async () => [
        { address: "93.184.215.14", family: 4 },
        { address: "::1", family: 6 },
      ],
    });
    try {
      const tunnel = await raw(mixed.browserAddress, `CONNECT mixed.example.com:${port} HTTP/1.1\r\n\r\n`);
      expect(tunnel).toMatch(/^HTTP\/1.1 403 [^]*x-egress-failure: refused/);
    } finally {
      await mixed.close();
    }
  });

  test("on a port of the service itself is refused, also where its host is opened", async () => {
    proxy.closePort(port);
    expect((await ask(opened("/"))).failure).toBe("refused");
    expect(seen).toEqual([]);
  });

  test("on a port of a browser of the service is refused while the browser is there", async () => {
    const ports: number[] = [];
    proxy.closePorts(() => ports);
    for (const as of ["pages", "browser"] as const) {
      expect((await ask(opened("/"), { as })).status).toBe(200);
      ports.push(port);
      expect((await ask(opened("/"), { as })).failure).toBe("refused");
      ports.pop();
    }
    expect(seen).toHaveLength(2);
  });

  test.each([
    ["does not exist", "http://nowhere.invalid/", "not_found", 502],
    ["refuses connections", "closed", "connect", 502],
    ["is not what its certificate says", "tls", "tls", 502],
  ])("that %s is told", async (_what, url, failure, status) => {
    const free = createServer();
    const freePort = await listen(free);
    await new Promise((closed) => {
      free.close(closed);
    });
    const local = await startEgressProxy({
      allowPrivateHosts: ["opened.test"],
      operatorHosts: [],
      ownHosts: [],
      lookup,
    });
    const before = proxy;
    proxy = local;
    try {
      const target =
        url === "closed" ? `http://opened.test:${freePort}/` : url === "tls" ? `https://opened.test:${port}/` : url;
      expect(await ask(target)).toMatchObject({ failure, status });
    } finally {
      proxy = before;
      await local.close();
    }
  });
});

describe("a tunnel", () => {
  const tunnelTo = (authority: string, rest = ""): Promise<string> =>
    raw(proxy.browserAddress, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n${rest}`, "\r\n\r\nGET");

  test("leads to the host that it names", async () => {
    const asked = "GET /inside HTTP/1.1\r\nHost: inside\r\nConnection: close\r\n\r\n";
    expect(await tunnelTo(`opened.test:${port}`, asked)).toMatch(/^HTTP\/1.1 200 [^]*GET inside \/inside/);
    expect(lookups).toEqual(["opened.test"]);
  });

  test.each([
    ["a private address", () => `127.0.0.1:${port}`],
    ["a private address, decimal", () => `2130706433:${port}`],
    ["a private address in IPv6", () => `[::ffff:127.0.0.1]:${port}`],
    ["a name that leads to one", () => `hidden.example.com:${port}`],
    ["localhost", () => `localhost:${port}`],
    ["a user in front", () => `opened.test@127.0.0.1:${port}`],
    ["no port", () => "opened.test"],
    ["a path behind", () => `opened.test:${port}/x`],
    ["a whole URL", () => opened("/")],
    ["the proxy itself", () => proxy.browserAddress],
  ])("is refused to %s", async (_what, authority) => {
    expect(await tunnelTo(authority())).toMatch(/^HTTP\/1.1 (?:403|400) /);
    expect(seen).toEqual([]);
  });

  test("that was refused can be explained to the service, and to nobody else", async () => {
    await tunnelTo(`hidden.example.com:${port}`);
    const question = `${EGRESS_REPORT_URL}?authority=${encodeURIComponent(`HIDDEN.example.com:${port}`)}`;
    expect((await ask(question, { as: "operator" })).body).toBe("refused");
    expect((await ask(question, { as: "pages" })).failure).toBe("not_found");
    expect((await ask(`${EGRESS_REPORT_URL}?authority=a.test:1`, { as: "operator" })).body).toBe("");
  });

  test("is not opened for the Worker", async () => {
    const head = `CONNECT opened.test:${port} HTTP/1.1\r\nProxy-Authorization: Bearer ${proxy.tokens.pages}\r\n\r\n`;
    expect(await raw(proxy.workerAddresses.pages, head)).toMatch(/^HTTP\/1.1 405 /);
  });
});

describe("who may ask", () => {
  test("the Worker's listener wants a token, and does not take the request's word", async () => {
    expect((await ask(opened("/"), { as: "nobody" })).status).toBe(407);
    const guessed = { "proxy-authorization": `Bearer ${"0".repeat(48)}` };
    expect((await ask(opened("/"), { as: "nobody", headers: guessed })).status).toBe(407);
    expect(seen).toEqual([]);
  });

  test.each([
    ["the path alone", "GET / HTTP/1.1\r\nHost: opened.test\r\n"],
    ["an asterisk", "OPTIONS * HTTP/1.1\r\nHost: opened.test\r\n"],
    ["a URL without a host", "GET http:///x HTTP/1.1\r\n"],
    ["another scheme", "GET ftp://opened.test/ HTTP/1.1\r\n"],
    ["https, which needs a tunnel", "GET https://opened.test/ HTTP/1.1\r\n"],
    ["two lengths", "POST http://opened.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n"],
    ["a length and chunks", "POST http://opened.test/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n"],
    ["a bare line feed in a header", "GET http://opened.test/ HTTP/1.1\r\nX: a\nHost: 127.0.0.1\r\n"],
    ["a header before a colon with a space", "GET http://opened.test/ HTTP/1.1\r\nContent-Length : 1\r\n"],
    [
      "a WebSocket without a tunnel",
      "GET http://opened.test/ HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n",
    ],
  ])("a browser's request is refused that has %s", async (_what, head) => {
    const bytes = `${head.replaceAll("opened.test", `opened.test:${port}`)}\r\n`;
    expect(await raw(proxy.browserAddress, bytes)).toMatch(/^HTTP\/1.1 400 /);
    expect(seen).toEqual([]);
  });

  test("Host cannot say otherwise than the target", async () => {
    const bytes = `GET ${opened("/")} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`;
    expect(await raw(proxy.browserAddress, bytes)).toContain(`GET opened.test:${port} /`);
    const smuggled = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: opened.test:${port}\r\nConnection: close\r\n\r\n`;
    expect(await raw(proxy.browserAddress, smuggled)).toMatch(/^HTTP\/1.1 403 /);
    expect(seen).toHaveLength(1);
  });

  test("a second request on the same connection is checked like the first", async () => {
    const first = `GET ${opened("/one")} HTTP/1.1\r\n\r\n`;
    const second = `GET http://127.0.0.1:${port}/two HTTP/1.1\r\nConnection: close\r\n\r\n`;
    const answers = await raw(proxy.browserAddress, first + second);
    expect(answers).toMatch(/^HTTP\/1.1 200 [^]*HTTP\/1.1 403 /);
    expect(seen.map(({ url }) => url)).toEqual(["/one"]);
  });

  test("a head that is too long is refused", async () => {
    const bytes = `GET ${opened("/")} HTTP/1.1\r\nX: ${"x".repeat(200_000)}\r\n\r\n`;
    expect(await raw(proxy.browserAddress, bytes).catch(() => "HTTP/1.1 400 closed")).toMatch(/^HTTP\/1.1 4/);
    expect(seen).toEqual([]);
  });
});
