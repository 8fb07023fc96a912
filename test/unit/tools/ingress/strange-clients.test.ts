/** Clients that keep connections which nobody needs, or that end them while bytes are held. */
import { connect, type Socket } from "node:net";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openIngress, type Ingress } from "../../../../src/tools/ingress/open-ingress.ts";
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
  vi.useRealTimers();
  for (const client of clients.splice(0)) client.destroy();
  await ingress.close();
  await stop(service);
});

interface Client {
  socket: Socket;
  received: () => string;
}

async function open(bytes: string | Buffer): Promise<Client> {
  const socket = connect({ port: ingress.port, host: "127.0.0.1", allowHalfOpen: true });
  let received = "";
  socket.on("error", () => undefined);
  socket.on("data", (more: Buffer) => (received += more.toString("latin1")));
  clients.push(socket);
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(bytes);
  return { socket, received: () => received };
}

const request = (line: string, ...fields: string[]): string => [line, "Host: x", ...fields, "", ""].join("\r\n");
const upgrade = (path: string): string =>
  request(`GET ${path} HTTP/1.1`, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13");

test("connections whose first request was refused are bounded, and those of a session's token are others", async () => {
  for (let n = 0; n < 1_000; n++) await open(request("GET /never HTTP/1.1"));
  await expect.poll(() => service.seen.length, { timeout: 20_000 }).toBe(1_000);
  const refused = await open(request("GET /refused HTTP/1.1"));
  await expect.poll(refused.received).toContain("429");
  const later = await open(request("GET /refused HTTP/1.1"));
  for (let n = 0; n < 999; n++) await open(request("GET /refused HTTP/1.1"));
  // It has been closed, which it learns when it sends more.
  await expect.poll(() => (refused.socket.write("x"), refused.socket.destroyed), { timeout: 5_000 }).toBe(true);
  later.socket.write("x");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(later.socket.destroyed).toBe(false);
  const driver = await open(upgrade("/v2/browser/a/cdp?token=t"));
  await expect.poll(driver.received).toContain("101 Switching");
});

test("a client that ends its side while its long message waits for its turn has it handed on", async () => {
  const header = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 0x03, 0x0d, 0x40, 1, 2, 3, 4]);
  const message = Buffer.concat([header, Buffer.alloc(200_000, "x")]);
  const [first, second] = [await open(upgrade("/view/a/socket")), await open(upgrade("/v2/interact/a/cdp"))];
  for (const { received } of [first, second]) await expect.poll(received).toMatch(/\r\n\r\n$/);
  const before = second.received().length;
  first.socket.write(message.subarray(0, 100_000));
  await expect.poll(() => first.received().length).toBeGreaterThan(100_000);
  const ended = new Promise((resolve) => second.socket.once("end", resolve));
  second.socket.end(message);
  await new Promise((resolve) => setTimeout(resolve, 200));
  first.socket.destroy();
  await ended;
  expect(second.received().length - before).toBe(message.byteLength);
});

test("a request for a WebSocket with a body goes no further", async () => {
  const { received } = await open(upgrade("/v2/browser/a/cdp").replace("\r\n", "\r\nContent-Length: 9999999\r\n"));
  await expect.poll(received).toContain("400");
  expect(received()).toContain("A request for a WebSocket has no body");
  expect(service.sockets.size).toBe(0);
});

test("a connection that the service takes for a WebSocket before the body of its request has come is closed", async () => {
  service.server.once("request", ({ socket }: { socket: Socket }) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  );
  const { socket } = await open(request("POST /odd HTTP/1.1", "Content-Length: 9999999"));
  await new Promise((resolve) => socket.once("end", resolve));
});

/** More than the system takes for a client that does not read. */
const LONG_BYTES = 20_000_000;

test("a client that reads nothing of a response is reset after a minute, and one whose response comes slowly is not", async () => {
  service.server.once("request", (_request, response) => response.end(Buffer.alloc(LONG_BYTES)));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopped = await open(request("GET /long HTTP/1.1"));
  stopped.socket.pause();
  await expect.poll(() => service.seen).toEqual(["/long"]);
  const slow = await open(request("GET /never HTTP/1.1"));
  await expect.poll(() => service.sockets.size).toBe(2);
  await settled(() => stopped.socket.bytesRead);
  vi.advanceTimersByTime(59_000);
  await settled(() => service.sockets.size);
  expect(service.sockets.size).toBe(2);
  vi.advanceTimersByTime(2_000);
  await expect.poll(() => service.sockets.size).toBe(1);
  vi.advanceTimersByTime(600_000);
  await settled(() => service.sockets.size);
  expect(service.sockets.size).toBe(1);
  expect(slow.socket.destroyed).toBe(false);
});

/** Waits until a number has not changed for 100 ms of real time, whatever the clock of the test says. */
async function settled(read: () => number): Promise<void> {
  const deadline = process.hrtime.bigint() + 100_000_000n;
  const value = read();
  while (process.hrtime.bigint() < deadline) await new Promise((resolve) => setImmediate(resolve));
  if (read() !== value) await settled(read);
}

test.runIf(existsSync("/proc/net/tcp"))(
  "a connection of a client is asked at times whether it still exists",
  async () => {
    await open(request("GET /never HTTP/1.1"));
    await expect.poll(() => service.seen).toEqual(["/never"]);
    const port = ingress.port.toString(16).toUpperCase().padStart(4, "0");
    // local address, remote address, state (01: established), queues, timer (02: keep-alive)
    const ours = readFileSync("/proc/net/tcp", "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => local?.endsWith(`:${port}`) === true && state === "01");
    expect(ours).toHaveLength(1);
    expect(ours[0]?.[5]).toMatch(/^02:/);
  },
);
