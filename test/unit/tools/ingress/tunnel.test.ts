import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FrameTurns } from "../../../../src/tools/ingress/frame-turns.ts";
import { LongMessages } from "../../../../src/tools/ingress/long-messages.ts";
import { Tunnel } from "../../../../src/tools/ingress/tunnel.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

const LONG_BYTES = 200_000;

/** A masked frame of a client with so many bytes. */
function frame(bytes: number): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(bytes));
  return Buffer.concat([Buffer.from([0x82, 0xff]), length, Buffer.from("mask"), Buffer.alloc(bytes)]);
}

function many(count: number): Buffer {
  return Buffer.alloc(6 * count, Buffer.from([0x81, 0x80, 1, 2, 3, 4]));
}

function pairOf() {
  const turns = { frameTurns: new FrameTurns(), longMessages: new LongMessages() };
  const open = (session: string | undefined, owner = "o", isDevTools = true) => {
    const log: string[] = [];
    let bytes = 0;
    const tunnel = new Tunnel(
      {
        session,
        isDevTools,
        owner,
        write: (written) => void (bytes += written.byteLength),
        end: () => void log.push(`end after ${bytes}`),
        pause: () => undefined,
        resume: () => undefined,
        cut: () => void log.push("cut"),
      },
      turns,
    );
    return { tunnel, log, frames: () => bytes / 6 };
  };
  return open;
}

test("the end of a client comes after its long message, which waits for its turn", () => {
  const open = pairOf();
  const [first, second] = [open("s"), open("s")];
  first.tunnel.take(frame(LONG_BYTES).subarray(0, 100_000));
  second.tunnel.take(frame(LONG_BYTES));
  second.tunnel.end();
  expect(second.log).toEqual([]);
  first.tunnel.leave();
  vi.advanceTimersByTime(100);
  expect(second.log).toEqual([`end after ${frame(LONG_BYTES).byteLength}`]);
});

test("frames of a live view take ten times the share of those of DevTools", () => {
  const open = pairOf();
  const { tunnel, frames } = open("s", "o", false);
  for (let piece = 0; piece < 8; piece++) tunnel.take(many(100));
  expect(frames()).toBe(100);
  vi.advanceTimersByTime(1_001);
  expect(frames()).toBe(500);
});

test("the end of a client comes after its many frames, and at once when nothing waits", () => {
  const open = pairOf();
  const { tunnel, log } = open("s");
  tunnel.take(many(8_000));
  tunnel.end();
  expect(log).toEqual([]);
  vi.advanceTimersByTime(1_600);
  expect(log).toEqual(["end after 48000"]);
  const other = open("s");
  other.tunnel.end();
  expect(other.log).toEqual(["end after 0"]);
});

test("a client that leaves while its frames wait sends neither them nor its end", () => {
  const { tunnel, log, frames } = pairOf()("s");
  tunnel.take(many(8_000));
  tunnel.end();
  tunnel.leave();
  vi.advanceTimersByTime(10_000);
  expect(log).toEqual([]);
  expect(frames()).toBe(2_000);
});

test("long messages to sockets of no session cut their client off, short ones do not", () => {
  const { tunnel, log } = pairOf()(undefined);
  tunnel.take(frame(60_000));
  vi.advanceTimersByTime(10);
  expect(log).toEqual([]);
  tunnel.take(frame(LONG_BYTES));
  vi.advanceTimersByTime(10);
  tunnel.take(frame(5));
  expect(log).toEqual(["cut"]);
});

test.each([
  ["of one session", ["s", "s"], ["o", "p"], 4_000],
  ["of one caller, to sockets of no session", [undefined, undefined], ["o", "o"], 4_000],
  ["of two callers, to sockets of no session", [undefined, undefined], ["o", "p"], 8_000],
  ["of two sessions", ["s", "t"], ["o", "o"], 8_000],
])("frames of clients %s come at a rate", (_whose, sessions, owners, perSecond) => {
  const open = pairOf();
  const clients = [open(sessions[0], owners[0]), open(sessions[1], owners[1])];
  for (const { tunnel } of clients) for (let n = 0; n < 100; n++) tunnel.take(many(600));
  vi.advanceTimersByTime(5_000);
  const sent = clients.reduce((sum, { frames }) => sum + frames(), 0);
  expect(sent).toBeGreaterThan(perSecond * 5 * 0.95);
  expect(sent).toBeLessThan(perSecond * 5 + 5_000);
});

test("frames of very many sessions come at a rate, and those of a caller with few in time", () => {
  const open = pairOf();
  const clients = Array.from({ length: 50 }, (_, n) => open(`s${n}`, `o${n % 5}`));
  for (const { tunnel } of clients) for (let n = 0; n < 100; n++) tunnel.take(many(300));
  vi.advanceTimersByTime(1_000);
  const few = open("few", "few");
  few.tunnel.take(many(1));
  vi.advanceTimersByTime(150);
  expect(few.frames()).toBe(1);
  vi.advanceTimersByTime(3_850);
  const sent = clients.reduce((sum, { frames }) => sum + frames(), 0);
  expect(sent).toBeGreaterThan(20_000 * 5 * 0.9);
  expect(sent).toBeLessThan(20_000 * 5 + 15_000);
});
