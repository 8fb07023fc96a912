import { Duplex } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LateBytes } from "../../../../src/tools/ingress/late-bytes.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

/** A client to which the last response was sent. */
async function ended(): Promise<{ client: Duplex; late: LateBytes }> {
  const client = new Duplex({ read: () => undefined, write: (_bytes, _coding, done) => done(), autoDestroy: false });
  const late = new LateBytes(client);
  client.end("last");
  await new Promise((resolve) => client.once("finish", resolve));
  return { client, late };
}

test("a client that sends a byte now and then is closed after some time", async () => {
  const { client, late } = await ended();
  for (let n = 0; n < 29; n++) {
    vi.advanceTimersByTime(1_000);
    late.drop(Buffer.alloc(1));
  }
  expect(client.destroyed).toBe(false);
  vi.advanceTimersByTime(1_100);
  expect(client.destroyed).toBe(true);
});

test("a client that goes on with a body has the time for it, up to many bytes", async () => {
  const { client, late } = await ended();
  for (let n = 0; n < 120; n++) {
    vi.advanceTimersByTime(1_000);
    late.drop(Buffer.alloc(1_000_000));
  }
  expect(client.destroyed).toBe(false);
  late.drop(Buffer.alloc(20_000_000));
  expect(client.destroyed).toBe(true);
});

test("a client that closes leaves no timer behind", async () => {
  const { client } = await ended();
  expect(vi.getTimerCount()).toBe(1);
  client.destroy();
  await new Promise((resolve) => client.once("close", resolve));
  expect(vi.getTimerCount()).toBe(0);
});
