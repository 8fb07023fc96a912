import { request, Agent, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openIngress, type Ingress } from "../../../../src/tools/ingress/open-ingress.ts";
import { shortAndLong } from "../../../sample.ts";
import { startService, stop, type Service } from "./service-behind.ts";

let service: Service;
let ingress: Ingress;
const clients: Socket[] = [];
beforeEach(async () => {
  service = await startService();
  ingress = await openIngress();
  ingress.serve(service.port);
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await ingress.close();
  await stop(service);
});

interface Answer {
  status: number | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

function ask(path: string, options: { key?: string; body?: string | Buffer; agent?: Agent } = {}): Promise<Answer> {
  const { key, body, agent = new Agent() } = options;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        port: ingress.port,
        host: "127.0.0.1",
        path,
        agent,
        method: body === undefined ? "GET" : "POST",
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      },
      (response) => {
        const { statusCode: status, headers } = response;
        text(response).then((body) => resolve({ status, headers, body }), reject);
      },
    );
    asked.on("error", reject);
    asked.end(body);
  });
}

/** A connection of a client that speaks HTTP by itself. */
async function open(): Promise<Socket> {
  const socket = connect({ port: ingress.port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  clients.push(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
  return socket;
}

const get = (path: string, key?: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${key === undefined ? "" : `Authorization: Bearer ${key}\r\n`}\r\n`;

/** Keeps the service busy, with as many requests on their way to it as may be. */
async function fill(key?: string): Promise<void> {
  service.isBusy = true;
  const before = service.seen.length;
  for (let n = 0; n < 8; n++) (await open()).write(get(`/fill${n}`, key));
  await expect.poll(() => service.seen.length).toBe(before + 8);
}

test("requests and responses pass as they are, on one connection to the service for one of the client", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = Buffer.alloc(5_000_000, "sixteen letters.");
  const first = await ask("/one?x=%20", { agent });
  expect(first).toMatchObject({ status: 200, body: "/one?x=%20", headers: { "x-method": "GET" } });
  expect(first.headers["x-host"]).toBe(`127.0.0.1:${ingress.port}`);
  const second = await ask("/two", { agent, body });
  expect(second.body.length).toBe(body.byteLength);
  expect(second.body.endsWith("letters.")).toBe(true);
  await ask("/three", { agent });
  expect(service.seen).toEqual(["/one?x=%20", "/two", "/three"]);
  expect(service.sockets.size).toBe(1);
  agent.destroy();
  await expect.poll(() => service.sockets.size).toBe(0);
});

test("a request whose client leaves before its turn never reaches the service", async () => {
  await fill();
  const left = await open();
  left.write(get("/left"));
  const ended = await open();
  ended.end(get("/ended"));
  const reset = await open();
  reset.write(get("/reset"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  left.destroy();
  reset.resetAndDestroy();
  const stayed = ask("/stayed");
  await new Promise((resolve) => setTimeout(resolve, 100));
  service.goOn();
  expect((await stayed).body).toBe("/stayed");
  expect(service.seen.slice(8)).toEqual(["/stayed"]);
});

test("callers take turns: many requests of one do not delay another's", async () => {
  await ask("/known", { key: "a" });
  await ask("/known", { key: "b" });
  await fill("a");
  for (let n = 0; n < 100; n++) (await open()).write(get(`/a${n}`, "a"));
  const other = ask("/b", { key: "b" });
  // Made-up keys are a few callers.
  for (let n = 0; n < 100; n++) (await open()).write(get(`/stranger${n}`, `bad${n}`));
  const later = ask("/b-later", { key: "b" });
  await new Promise((resolve) => setTimeout(resolve, 100));
  service.goOn();
  await Promise.all([other, later]);
  expect(service.seen.indexOf("/b")).toBeLessThan(10 + 3 + 8);
  expect(service.seen.indexOf("/b-later")).toBeLessThan(10 + 2 * 18 + 8);
});

test("the service is asked whether it has come to requests that it answers late", async () => {
  for (let n = 0; n < 8; n++) (await open()).write(get("/never"));
  expect((await ask("/answered")).body).toBe("/answered");
});

test("messages after an upgrade are no requests, and wait for nothing", async () => {
  const socket = await open();
  socket.write("GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n");
  let received = "";
  socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
  await expect.poll(() => received).toContain("101 Switching");
  await fill();
  for (const message of ["one ", "two ", "three"]) {
    socket.write(message);
    await expect.poll(() => received.endsWith(message)).toBe(true);
  }
  socket.end();
  await new Promise((resolve) => socket.once("end", resolve));
});

test("a long message of a WebSocket client arrives as it was sent, and the one of a client that leaves holds up no other", async () => {
  const connect = async (path: string): Promise<{ socket: Socket; received: () => Buffer }> => {
    const socket = await open();
    const chunks: Buffer[] = [];
    socket.on("data", (bytes: Buffer) => chunks.push(bytes));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    const received = (): Buffer => Buffer.concat(chunks);
    await expect.poll(() => received().toString("latin1")).toMatch(/101 Switching[^]*\r\n\r\n/);
    chunks.length = 0;
    return { socket, received };
  };
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x03, 0x0d, 0x40, 1, 2, 3, 4]);
  const [message, short] = [Buffer.concat([header, Buffer.alloc(200_000, "x")]), Buffer.from([0x81, 0x80, 1, 2, 3, 4])];
  const [first, second] = [await connect("/v2/browser/A/cdp"), await connect("/v2/interact/a/cdp")];
  first.socket.write(message.subarray(0, 100_000));
  await expect.poll(() => first.received().byteLength).toBe(100_000);
  // Both are of one session.
  second.socket.write(Buffer.concat([short, message, short]));
  await expect.poll(() => second.received().equals(short)).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(second.received().equals(short)).toBe(true);
  first.socket.destroy();
  await expect.poll(() => second.received().byteLength).toBe(message.byteLength + 2 * short.byteLength);
  expect(second.received().equals(Buffer.concat([short, message, short]))).toBe(true);
});

test("a body that is sent after 100 Continue belongs to its request", async () => {
  const socket = await open();
  let received = "";
  socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
  socket.write("POST /late HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  await expect.poll(() => received).toContain("100 Continue");
  await fill();
  socket.write("later");
  // All turns are taken.
  await expect.poll(() => received).toContain("later");
});

test("requests in one piece are all answered, and a client that has ended its side gets its response", async () => {
  const socket = await open();
  socket.end(`${get("/one")}${get("/two")}`);
  const received = await text(socket);
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  expect(received.indexOf("/one")).toBeLessThan(received.indexOf("/two"));
});

test.each([
  ["without bodies", (n: number) => get(`/${n}`)],
  ["with bodies", (n: number) => `POST /${n} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`],
  [
    "in chunks",
    (n: number) => `POST /${n} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n`,
  ],
])("of requests %s in one piece, only one is on its way to the service at a time", async (_how, one) => {
  service.isBusy = true;
  const socket = await open();
  const responses = text(socket);
  socket.end(Array.from({ length: 50 }, (_, n) => one(n)).join(""));
  await expect.poll(() => service.seen).toEqual(["/0"]);
  const other = ask("/other");
  await expect.poll(() => service.seen).toEqual(["/0", "/other"]);
  service.goOn();
  await other;
  expect((await responses).match(/HTTP\/1\.1 200/g)).toHaveLength(50);
});

test("a client that ends its side while its second request waits gets all of its first response", async () => {
  const socket = await open();
  socket.pause();
  socket.write(`POST /long HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n${"y".repeat(1_000_000)}`);
  await expect.poll(() => service.seen).toEqual(["/long"]);
  await fill();
  socket.end(get("/second"));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect((await text(socket)).match(/y/g)).toHaveLength(1_000_000);
  expect(service.seen).not.toContain("/second");
});

test.each([
  ["no request", "hello\r\n\r\n"],
  ["two lengths", "POST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx"],
  ["a head without end", `GET /long HTTP/1.1\r\nX: ${"x".repeat(70_000)}`],
])("%s is answered with the error of the service, and goes no further", async (_what, bytes) => {
  const socket = await open();
  socket.write(`${get("/before")}${bytes}`);
  const [first, refused] = (await text(socket)).split(/(?=HTTP\/1\.1 400)/);
  expect(first).toContain("200 OK");
  expect(refused).toContain('{"success":false,"error":"The request is not valid: ');
  expect(service.seen).toEqual(["/before"]);
});

test("a body in chunks that breaks off its request is refused, and ends the connection", async () => {
  const socket = await open();
  socket.write("POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  await expect.poll(() => service.seen).toEqual(["/chunks"]);
  socket.write("zz\r\n");
  const received = await text(socket);
  expect(received).toContain("HTTP/1.1 400");
  expect(received).not.toContain("200 OK");
  await expect.poll(() => service.sockets.size).toBe(0);
});

test("a client that leaves during its request resets the connection to the service", async () => {
  const reset = new Promise((resolve) =>
    service.server.once("connection", (socket: Socket) => socket.once("error", resolve)),
  );
  const socket = await open();
  socket.write(get("/never"));
  await expect.poll(() => service.seen).toEqual(["/never"]);
  socket.resetAndDestroy();
  expect(await reset).toMatchObject({ code: "ECONNRESET" });
});

test("requests wait for a service that starts again, on another port", async () => {
  await ask("/before");
  await stop(service);
  const waiting = ask("/after");
  await new Promise((resolve) => setTimeout(resolve, 300));
  service = await startService();
  ingress.serve(service.port);
  expect((await waiting).body).toBe("/after");
});

test("a request that waits gets another connection when the service ends the one that was idle", async () => {
  const socket = await open();
  let received = "";
  socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
  socket.write(get("/first"));
  await expect.poll(() => received).toContain("/first");
  const [idle] = service.sockets;
  await fill();
  socket.write(get("/second"));
  await new Promise((resolve) => setTimeout(resolve, 50));
  idle?.end();
  await expect.poll(() => idle === undefined || service.sockets.has(idle)).toBe(false);
  service.goOn();
  await expect.poll(() => received).toContain("/second");
});

test("a request that has begun breaks off when the service dies", async () => {
  const begun = ask("/never");
  await expect.poll(() => service.seen).toEqual(["/never"]);
  for (const socket of service.sockets) socket.resetAndDestroy();
  await expect(begun).rejects.toMatchObject({ code: "ECONNRESET" });
});

test("requests beyond the number that may wait are refused, with the error of the service", async () => {
  await fill();
  for (let n = 0; n < 1_000; n++) (await open()).write(get("/waits"));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const refused = await ask("/refused");
  expect(refused.status).toBe(429);
  expect(refused.headers).toMatchObject({
    "retry-after": "1",
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "Retry-After",
    "content-type": "application/json",
    connection: "close",
  });
  expect(JSON.parse(refused.body)).toEqual({ success: false, error: expect.stringContaining("waiting at once") });
  expect(service.seen).not.toContain("/refused");
});

test("half a head of a request holds no connection to the service, and does not keep others out", async () => {
  const first = await open();
  const closed = new Promise((resolve) => first.once("end", resolve));
  first.resume();
  first.write("GET /half HTTP/1.1\r\nHost:");
  for (let n = 0; n < 1_000; n++) (await open()).write("GET /half HTTP/1.1\r\nHost: x\r\nX-Half: ");
  await closed;
  expect((await ask("/heard")).body).toBe("/heard");
  expect(service.seen).toEqual(["/heard"]);
  expect(service.sockets.size).toBeLessThan(3);
});

test.each([
  ["in pieces", ["GET /pie", "ces HTTP/1.1\r\nHost: x\r", "\n\r", "\n"], "200 OK"],
  // Which this service refuses.
  ["with bare line feeds", ["GET /feeds HTTP/1.1\nHost: x\n", "\n"], "400 Bad Request"],
  ["byte by byte", [...`${get("/bytes").trim()}\r\nX-Long: ${"x".repeat(100)}\r\n\r\n`], "200 OK"],
])("a head that comes %s is handed on", async (_how, pieces, answer) => {
  const socket = await open();
  let received = "";
  socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await expect.poll(() => received).toContain(answer);
});

test.each([
  ["that the service does not read", "Content-Length: 100000000", 0],
  ["of unknown length", "Transfer-Encoding: chunked", 100_000_000],
])("a response before the end of a body %s reaches a client that reads it later", async (_what, field, chunk) => {
  service.server.once("request", (_request, response) => response.writeHead(413, { Connection: "close" }).end("long"));
  const socket = await open();
  socket.pause();
  socket.write(`POST /early HTTP/1.1\r\nHost: x\r\n${field}\r\n\r\n`);
  if (chunk > 0) socket.write(`${chunk.toString(16)}\r\n`);
  for (let n = 0; n < 20; n++) {
    socket.write(Buffer.alloc(100_000));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(await text(socket)).toContain("413 Payload Too Large");
});

test("a connection whose response came before the end of a short body can be used again", async () => {
  service.server.once("request", (incoming, response) => {
    response.end("early");
    incoming.resume();
  });
  const socket = await open();
  let received = "";
  socket.on("data", (bytes: Buffer) => (received += bytes.toString()));
  socket.write("POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf ");
  await expect.poll(() => received).toContain("early");
  socket.write(`other${get("/next")}`);
  await expect.poll(() => received).toContain("/next");
});

test("a client that sends more than enough after its response is closed", async () => {
  service.server.once("request", (_request, response) => response.writeHead(413, { Connection: "close" }).end("long"));
  const socket = await open();
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  socket.write("POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n");
  const piece = Buffer.alloc(8_000_000);
  let sent = 0;
  while (!socket.destroyed && sent < 400_000_000) {
    sent += piece.byteLength;
    await new Promise((resolve) => socket.write(piece, resolve));
  }
  await closed;
  expect(sent).toBeLessThan(300_000_000);
});

const HOLDERS: readonly [how: string, bytes: string][] = [
  ["are idle", get("/held")],
  ["have their last response, and do not close", get("/held").replace("\r\n", "\r\nConnection: close\r\n")],
  ["have sent half of the next head", `${get("/held")}GET /next HTTP/1.1\r\nHost:`],
  ["hold back a body whose response they have", "POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"],
];
for (const { tags, entries } of shortAndLong(HOLDERS, ([how]) => /idle|last response/.test(how)))
  test.each(entries)(
    "1,000 connections of a caller that %s give way to its next ones",
    { tags },
    async (_how, bytes) => {
      service.server.on("request", (incoming, response) => {
        if (incoming.url === "/early") response.end("early");
      });
      for (let n = 0; n < 1_000; n++) (await open()).write(bytes);
      await expect.poll(() => service.seen.length, { timeout: 10_000 }).toBe(1_000);
      await new Promise((resolve) => setTimeout(resolve, 100));
      for (let n = 0; n < 3; n++) expect((await ask(`/answered${n}`)).status).toBe(200);
      await expect.poll(() => service.sockets.size).toBeLessThan(1_005);
    },
  );

test("connections that send nothing do not keep others out", async () => {
  const first = await open();
  const closed = new Promise((resolve) => first.once("end", resolve));
  first.resume();
  for (let n = 0; n < 1_000; n++) await open();
  await closed;
  expect((await ask("/heard")).body).toBe("/heard");
});
