import { afterEach, describe, expect, test, vi } from "vitest";
import { BodyRoom } from "../../../../src/platform/browser/requests/body-room.ts";
import { ResponseBody } from "../../../../src/platform/browser/requests/read-response-body.ts";
import { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";

afterEach(() => void vi.useRealTimers());

interface Site {
  /** Bytes of each body, by the id of its request. */
  lengthOf(requestId: string): number;
  /** Bodies that end no more after their first chunk. */
  isStalled?(requestId: string): boolean;
}

const LETTERS = "a".repeat(4_000_000);

/** A connection over which bodies come, and what it was asked for. */
function setUp({ lengthOf, isStalled = () => false }: Site) {
  const sent: string[] = [];
  const reads: number[] = [];
  const left = new Map<string, number>();
  const send = async (method: string, params: { requestId: string; handle: string; size: number }) => {
    sent.push(method);
    await Promise.resolve();
    if (method === "Fetch.takeResponseBodyAsStream") {
      left.set(params.requestId, lengthOf(params.requestId));
      return { stream: params.requestId };
    }
    if (method !== "IO.read") return {};
    const rest = left.get(params.handle) ?? 0;
    if (isStalled(params.handle) && rest < lengthOf(params.handle)) return new Promise(() => undefined);
    const length = Math.min(rest, params.size);
    reads.push(params.size);
    left.set(params.handle, rest - length);
    return { data: LETTERS.slice(0, length), base64Encoded: false, eof: length === rest };
  };
  // As much of a connection as is used here.
  const connection = { send, closed: new Promise(() => undefined) } as unknown as CdpConnection;
  const bodyOf = (requestId: string, headers: Record<string, string> = {}): ResponseBody => {
    const responseHeaders = Object.entries(headers).map(([name, value]) => ({ name, value }));
    return new ResponseBody({
      connection,
      paused: { requestId, responseHeaders },
      sessionId: "s",
      maxBytes: 20_000_000,
    });
  };
  return { bodyOf, sent, reads };
}

describe("a body of a response", () => {
  test("that is short takes one read, and a longer one few", async () => {
    const { bodyOf, reads } = setUp({ lengthOf: (id) => Number(id) });
    expect((await bodyOf("100000").read())?.byteLength).toBe(100_000);
    expect(reads).toEqual([500_000]);
    const long = bodyOf("19000000");
    expect((await long.read())?.byteLength).toBe(19_000_000);
    expect(reads).toHaveLength(1 + 8);
    long.release();
  });

  test("that is too long, or unpacks to more than text does, is not read to its end", async () => {
    const { bodyOf, reads, sent } = setUp({ lengthOf: () => 100_000_000 });
    const packed = bodyOf("packed", { "Content-Encoding": "gzip", "Content-Length": "20000" });
    expect(await packed.read()).toBeUndefined();
    packed.release();
    expect(reads.reduce((sum, size) => sum + size, 0)).toBeLessThan(13_000_000);
    const long = bodyOf("long");
    expect(await long.read()).toBeUndefined();
    long.release();
    expect(sent.filter((method) => method === "IO.close")).toHaveLength(2);
  });

  test("waits for others of its page, whose site decides how many there are", async () => {
    const { bodyOf } = setUp({ lengthOf: () => 10_000_000 });
    let [held, most, count] = [0, 0, 0];
    const load = async (at: number): Promise<void> => {
      const body = bodyOf(String(at));
      held += (await body.read())?.byteLength ?? 0;
      most = Math.max(most, held);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await body.fulfill({ requestId: String(at), responseCode: 200 });
      held -= 10_000_000;
      count++;
      body.release();
    };
    await Promise.all(Array.from({ length: 6 }, (_, at) => load(at)));
    expect(count).toBe(6);
    expect(most).toBeLessThanOrEqual(30_000_000);
  });

  test("of other pages is read while one page has all that it may have", async () => {
    const stalled = setUp({ lengthOf: () => 10_000_000, isStalled: () => true });
    for (let at = 0; at < 60; at++)
      void stalled
        .bodyOf(String(at))
        .read()
        .catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const { bodyOf } = setUp({ lengthOf: () => 5_000_000 });
    const body = bodyOf("other");
    expect((await body.read())?.byteLength).toBe(5_000_000);
    body.release();
  });

  test("fails when others that do not end have the room, and is read when they are released", async () => {
    vi.useFakeTimers();
    const { bodyOf } = setUp({ lengthOf: () => 1_200_000, isStalled: (id) => id.startsWith("stalled") });
    const stalled = Array.from({ length: 60 }, (_, at) => bodyOf(`stalled ${at}`));
    for (const body of stalled) body.read().catch(() => undefined);
    await vi.advanceTimersByTimeAsync(1);
    const failed = bodyOf("late").read().catch(String);
    await vi.advanceTimersByTimeAsync(31_000);
    expect(await failed).toContain("take too long");
    for (const body of stalled) body.release();
    expect((await bodyOf("later").read())?.byteLength).toBe(1_200_000);
  });
});

test("a page may load a thousand documents at once, further ones in their turn, and fails those that wait long", async () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const room = new BodyRoom();
  for (let at = 0; at < 1_000; at++) (await room.enter()).leave();
  const entered: number[] = [];
  for (let at = 0; at < 10; at++)
    void room.enter().then((place) => {
      entered.push(at);
      place.leave();
    });
  await vi.advanceTimersByTimeAsync(0);
  expect(entered.length).toBeLessThan(3);
  await vi.advanceTimersByTimeAsync(100);
  expect(entered).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  (await room.enter()).count(400_000_000);
  await expect(room.enter()).rejects.toThrow("too many documents");
});

test("a page holds few documents at a time, and takes the others in the order in which they came", async () => {
  const room = new BodyRoom();
  const held = await Promise.all(Array.from({ length: 48 }, () => room.enter()));
  const entered: number[] = [];
  const waiting = [0, 1, 2].map(async (at) => {
    const place = await room.enter();
    entered.push(at);
    return place;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(entered).toEqual([]);
  held[7]?.leave();
  held[7]?.leave();
  const first = await waiting[0];
  expect(entered).toEqual([0]);
  first?.leave();
  await waiting[1];
  expect(entered).toEqual([0, 1]);
  room.close();
  await expect(waiting[2]).rejects.toThrow("The connection to the browser ended");
});

test("commands of a session fail when the session that it was attached through has ended", async () => {
  const listeners: ((event: { data: string }) => void)[] = [];
  const socket = {
    addEventListener: (name: string, listener: (event: { data: string }) => void) => {
      if (name === "message") listeners.push(listener);
    },
    accept: () => undefined,
    send: () => undefined,
  };
  // A connection uses no more of a socket than this.
  const connection = new CdpConnection(socket as unknown as WebSocket);
  const emit = (message: object): void => listeners.forEach((listener) => listener({ data: JSON.stringify(message) }));
  const attached = (sessionId: string, parent: string) =>
    emit({ method: "Target.attachedToTarget", sessionId: parent, params: { sessionId, targetInfo: {} } });
  attached("frame", "page");
  attached("worker", "frame");
  const read = connection.send("IO.read", { handle: "1" }, "worker").catch(String);
  emit({ method: "Target.detachedFromTarget", params: { sessionId: "page" } });
  expect(await read).toContain("The session has ended");
});
