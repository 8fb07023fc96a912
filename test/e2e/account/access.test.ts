import { request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, sitePage } from "../client.ts";
import { makeKey } from "./make-key.ts";

/** A request that names a host of its own, as a page whose name resolves to this machine makes it. */
function askAs(
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(inject("serviceUrl"));
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers: { host, ...headers } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test.each<{ what: string; path: string; headers: Record<string, string> }>([
  { what: "the API", path: "/v2/capabilities", headers: {} },
  { what: "the dashboard", path: "/", headers: { accept: "text/html" } },
  { what: "the reference", path: "/openapi.json", headers: {} },
])("$what answers under the machine's own names alone", async ({ path, headers }) => {
  const refused = await askAs("rebound.example:8787", path, headers);
  expect(refused.status).toBe(421);
  expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: "HOST_NOT_ALLOWED" });
  const { port } = new URL(inject("serviceUrl"));
  expect((await askAs(`localhost:${port}`, path, headers)).status).not.toBe(421);
});

test.each([
  "a b",
  "localhost:99999",
  "localhost, evil.example",
  "a@localhost",
  "a:b@localhost",
  "localhost/x",
  "localhost?x",
])("a Host that makes no URL, %s, is refused in the usual form", async (host) => {
  for (const path of ["/health", "/"]) {
    const { status, text } = await askAs(host, path);
    expect(status).toBe(421);
    expect(JSON.parse(text)).toMatchObject({ success: false, code: "HOST_NOT_ALLOWED" });
  }
});

test.each<Record<string, string>>([
  { "MF-Original-URL": "http://localhost/v2/capabilities" },
  { "MF-Original-URL": "no address" },
  { "MF-CF-Blob": "{" },
  { "MF-Route-Override": "none" },
  { "MF-Proxy-Shared-Secret": "guessed", "MF-Original-URL": "http://localhost/v2/capabilities" },
])("headers of the simulator have no effect: %j", async (headers) => {
  const refused = await askAs("rebound.example:8787", "/v2/capabilities", headers);
  expect(refused.status).toBe(421);
  expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: "HOST_NOT_ALLOWED" });
  const { port } = new URL(inject("serviceUrl"));
  expect((await askAs(`localhost:${port}`, "/health", headers)).status).toBe(200);
});

/** Sends bytes as they are, and returns what comes back until the connection is closed. */
function sendRaw(text: string): Promise<string> {
  // Without the proxy of the tests, which is a server of its own.
  const { hostname, port } = new URL(inject("directUrl"));
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(20_000, () => socket.destroy(new Error(`No answer, after: ${answer}`)));
    socket.on("data", (chunk: Buffer) => {
      answer += chunk.toString();
      if (/\r\n\r\n[^]*(\}|\.)\s*$/.test(answer)) socket.end();
    });
    socket.once("close", () => resolve(answer)).once("error", reject);
  });
}

test.each([
  ["a chunk extension of 70 kB", `10;${"x".repeat(70_000)}\r\n{"url":"http://a"}\r\n0\r\n\r\n`],
  ["a chunk whose length is none", "zz\r\n{}\r\n0\r\n\r\n"],
])("a body with %s is a bad request", async (_, body) => {
  const { host } = new URL(inject("directUrl"));
  const head = [
    "POST /v2/scrape HTTP/1.1",
    `Host: ${host}`,
    `Authorization: Bearer ${inject("apiKey")}`,
    "Content-Type: application/json",
    "Transfer-Encoding: chunked",
    "Connection: close",
  ];
  const answer = await sendRaw(`${head.join("\r\n")}\r\n\r\n${body}`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"BAD_REQUEST"');
});

// The runtime drops the host of a request line with a whole URL, so that the Host header alone would decide.
test("the host in a request line is that of the Host header, which is checked", async () => {
  const { host } = new URL(inject("directUrl"));
  const ask = (address: string, name: string): Promise<string> =>
    sendRaw(`GET ${address} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
  for (const scheme of ["http", "https"]) {
    for (const [named, header] of [
      [host, "other.example"],
      ["other.example", host],
    ] as const) {
      const refused = await ask(`${scheme}://${named}/health`, header);
      expect(refused).toMatch(/^HTTP\/1\.1 400 [^]*names another host than the Host header/);
    }
    const foreign = await ask(`${scheme}://other.example/health`, "other.example");
    expect(foreign).toMatch(/^HTTP\/1\.1 421 [^]*"code":"HOST_NOT_ALLOWED"/);
    expect(await ask(`${scheme}://${host}/health`, host)).toMatch(/^HTTP\/1\.1 200 /);
  }
});

test.each([
  { why: "that is too long", path: `/v2/activity?cursor=${"x".repeat(20_000)}`, status: 414 },
  { why: "of no route", path: "/v2/nothing/here", status: 404 },
])("an address $why answers $status in the usual form", async ({ path, status }) => {
  const { host } = new URL(inject("directUrl"));
  const named = [`Host: ${host}`, `Authorization: Bearer ${inject("apiKey")}`, "Accept: text/html"];
  const answer = await sendRaw([`GET ${path} HTTP/1.1`, ...named, "Connection: close", "", ""].join("\r\n"));
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*^content-type: application/json`, "im"));
  expect(answer).toMatch(/\{"success":false,[^]*"error":"/);
});

/** Sends a byte of a body now and then, and returns the response, and how long the connection was open. */
async function drip(path: string, headers: string[], body: string): Promise<{ answer: string; ms: number }> {
  const { hostname, port, host } = new URL(inject("directUrl"));
  const startedAtMs = Date.now();
  const head = [`POST ${path} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${inject("apiKey")}`, ...headers];
  return await new Promise((resolve, reject) => {
    let answer = "";
    let sent = 0;
    const socket = connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
    const timer = setInterval(() => socket.write(body[sent++ % body.length] ?? ""), 250);
    socket.setTimeout(40_000, () => socket.destroy(new Error("The connection stays open")));
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
    // The service may close the connection while bytes are on their way.
    socket.on("error", (error) => (answer === "" ? reject(error) : undefined));
    socket.once("close", () => {
      clearInterval(timer);
      resolve({ answer, ms: Date.now() - startedAtMs });
    });
  });
}

const FORM = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';

test("a body that drips is given up, and others are served meanwhile", async () => {
  const dripping = Promise.all([
    drip("/v2/scrape", ["Content-Type: application/json", "Content-Length: 100000"], '{"url":"http://a/"'),
    drip("/v2/scrape", ["Content-Type: application/json", "Transfer-Encoding: chunked"], "1\r\n{\r\n"),
    drip("/v2/parse", ["Content-Type: multipart/form-data; boundary=x", "Content-Length: 100000"], FORM),
    drip("/mcp", ["Content-Type: application/json", "Content-Length: 100000"], '{"jsonrpc":"2.0"'),
  ]);
  expect((await call("/v2/scrape", { body: { url: sitePage("/final"), maxAge: 0 } })).status).toBe(200);
  for (const { answer, ms } of await dripping) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('"code":"REQUEST_TIMEOUT"');
    expect(ms).toBeGreaterThan(4_000);
  }
});

test("CONNECT opens no tunnel, and its refusal tells nothing of the machine", async () => {
  const answer = await sendRaw(
    "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nConnection: close\r\n\r\n",
  );
  // The ingress refuses it before the service has the request.
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  const [, body = ""] = answer.split("\r\n\r\n");
  expect(JSON.parse(body)).toEqual({
    success: false,
    code: "BAD_REQUEST",
    error: "The request is not valid: CONNECT is not supported, since the service is no proxy",
  });
});

test("a socket is closed to a key whose scopes do not hold the job's endpoint", async () => {
  const { text } = await call("/v2/batch/scrape", { body: { urls: [sitePage("/final")] } });
  const { id } = JSON.parse(text) as { id: string };
  const close = async (key: string): Promise<{ code: number; reason: string }> =>
    await new Promise((resolve) => {
      const url = `${inject("serviceUrl").replace("http", "ws")}/v2/batch/scrape/${id}`;
      const socket = new WebSocket(url, [key]);
      socket.addEventListener("close", ({ code, reason }) => resolve({ code, reason }));
    });
  const limited = await close(await makeKey({ name: "crawls", scopes: { endpoints: ["crawl"] } }));
  expect(limited.code).toBe(3003);
  expect(limited.reason).toContain("restricted to the following endpoints");
  const fitting = await close(await makeKey({ name: "batches", scopes: { endpoints: ["batch_scrape"] } }));
  expect(fitting.code).toBe(1000);
});
