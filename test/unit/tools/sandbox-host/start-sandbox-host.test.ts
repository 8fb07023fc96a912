import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
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
