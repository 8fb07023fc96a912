import { once } from "node:events";
import { connect } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CodeProcess } from "../../../../src/tools/sandbox-host/code-process.ts";
import { ProcessPool } from "../../../../src/tools/sandbox-host/process-pool.ts";
import { SharedReader } from "../../../../src/tools/sandbox-host/shared-reader.ts";
import { startSandboxHost, type SandboxHost } from "../../../../src/tools/sandbox-host/start-sandbox-host.ts";

let host: SandboxHost;
beforeEach(async () => {
  host = await startSandboxHost();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await host.close();
});

test.each(["", "Connection: Upgrade\r\nUpgrade: websocket\r\n"])(
  "a target that is none is not found, and the host goes on (%j)",
  async (headers) => {
    const socket = connect(Number(new URL(host.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.write(`GET // HTTP/1.1\r\nHost: a\r\n${headers || "Connection: close\r\n"}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
    expect(await (await fetch(`${host.url}/busy`)).text()).toBe("0");
  },
);

test("what fails within the host is answered as an error, and the host goes on", async () => {
  vi.spyOn(SharedReader.prototype, "start").mockRejectedValue(new Error("no space left on device"));
  expect((await fetch(`${host.url}/start-reader`)).status).toBe(500);
  expect(await (await fetch(`${host.url}/busy`)).text()).toBe("0");
});

/** A connection to a process that answers nothing. */
const silent = (): Duplex => new Duplex({ read: () => undefined, write: (_chunk, _encoding, written) => written() });

test.each([
  { how: "closes its side", leave: "end" },
  { how: "is gone", leave: "resetAndDestroy" },
] as const)("the process of a caller that $how before it has one is free again", async ({ leave }) => {
  // A run uses no more of a process.
  const own = { isUsable: true, connect: () => silent(), kill: () => undefined } as unknown as CodeProcess;
  const taken = Promise.withResolvers<CodeProcess>();
  const asked = Promise.withResolvers<void>();
  const back: CodeProcess[] = [];
  vi.spyOn(ProcessPool.prototype, "take").mockImplementation(() => (asked.resolve(), taken.promise));
  vi.spyOn(ProcessPool.prototype, "giveBack").mockImplementation(async (process) => void back.push(process));
  const { port, pathname } = new URL(host.url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  socket.write(`GET ${pathname}/run?session=a&run=b&limitMs=60000 HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`);
  await asked.promise;
  socket[leave]();
  await new Promise((resolve) => setTimeout(resolve, 50));
  taken.resolve(own);
  await vi.waitFor(() => expect(back).toEqual([own]));
});
