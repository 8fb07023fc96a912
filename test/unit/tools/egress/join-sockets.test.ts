import { once } from "node:events";
import { connect, Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startEgressProxy } from "../../../../src/tools/egress/egress-proxy.ts";
import { joinSockets } from "../../../../src/tools/egress/forward-request.ts";
import { startEgressSite } from "./egress-site.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Two ends that say nothing, with the limits of a socket. */
function silentPair() {
  const asked: number[] = [];
  const open = () => {
    let timer: NodeJS.Timeout | undefined;
    return Object.assign(new Duplex({ read: () => undefined, write: (_bytes, _encoding, done) => done() }), {
      setTimeout: (ms: number, late: () => void) => {
        clearTimeout(timer);
        if (ms > 0) timer = setTimeout(late, ms);
      },
      setKeepAlive: (_isOn: boolean, ms: number) => void asked.push(ms),
    });
  };
  return { one: open(), other: open(), asked };
}

test("ends that are silent for ten minutes are parted", () => {
  const { one, other, asked } = silentPair();
  joinSockets(one, other);
  vi.advanceTimersByTime(601_000);
  expect([one.destroyed, other.destroyed]).toEqual([true, true]);
  expect(asked).toEqual([]);
});

test("ends that may be silent stay joined, and are asked whether they still exist", () => {
  const { one, other, asked } = silentPair();
  joinSockets(one, other, { mayBeSilent: true });
  vi.advanceTimersByTime(3_600_000);
  expect([one.destroyed, other.destroyed]).toEqual([false, false]);
  expect(asked).toEqual([60_000, 60_000]);
});

test.each([
  ["pages", 600_000],
  ["operator", 0],
] as const)("upgraded connections of the service for %s may be silent for %i ms (0: without limit)", async (as, ms) => {
  vi.useRealTimers();
  const site = await startEgressSite();
  const host = `opened.test:${site.port}`;
  const lookup = async () => [{ address: "127.0.0.1", family: 4 as const }];
  const proxy = await startEgressProxy({ allowPrivateHosts: [host], operatorHosts: [host], ownHosts: [], lookup });
  const limits = vi.spyOn(Socket.prototype, "setTimeout");
  const client = connect(Number(proxy.workerAddresses[as].split(":")[1]), "127.0.0.1");
  try {
    client.write(
      `GET http://${host}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n` +
        `Proxy-Authorization: Bearer ${proxy.tokens[as]}\r\n\r\n`,
    );
    const [answer] = await once(client, "data");
    expect(String(answer)).toContain("HTTP/1.1 101");
    expect(limits.mock.calls.slice(-2).map(([limitMs]) => limitMs)).toEqual([ms, ms]);
  } finally {
    limits.mockRestore();
    client.destroy();
    await proxy.close();
    await site.close();
  }
});
