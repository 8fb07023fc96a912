import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveView } from "../../../../src/platform/live-view/live-view.ts";
import { FakeChromium } from "../../../fakes/fake-chromium.ts";

vi.mock("cloudflare:workers", () => ({
  DurableObject: class {
    readonly ctx: unknown;
    readonly env: unknown;

    constructor(ctx: unknown, env: unknown) {
      this.ctx = ctx;
      this.env = env;
    }
  },
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A bucket without objects, which cannot be read `failures` times, nor written while `isFull`. */
function bucket(failures: number) {
  const written: string[] = [];
  const state = { isFull: false };
  let left = failures;
  const get = async () => {
    if (left-- > 0) throw new Error("The bucket is away");
    return null;
  };
  const put = async (key: string) => {
    if (state.isFull) throw new Error("The bucket is away");
    written.push(key);
  };
  return { get, put, written, state };
}

/** A live view of a session with one viewer. */
async function setUp({ failures = 0 } = {}) {
  const chromium = new FakeChromium();
  const { binding } = chromium;
  await chromium.binding.fetch("https://browser/v1/devtools/browser", { method: "POST" });
  const session = { hasEnded: false, isAway: false };
  const find = async () => {
    if (session.isAway) throw new Error("The object is away");
    return { life: { streamWebView: true, ...(session.hasEnded ? { end: { reason: "ttl" } } : {}) } };
  };
  const told: string[] = [];
  const viewer = {
    readyState: 1,
    deserializeAttachment: () => ({ mode: "view", browserId: "session-1" }),
    send: (text: string) => void told.push((JSON.parse(text) as { type: string }).type),
    close: (code: number) => void told.push(`closed ${code}`),
  };
  const state = { alarmMs: 0, isEmptied: false };
  const storage = {
    kv: {
      get: () => undefined,
      put: () => undefined,
    },
    setAlarm: async (ms: number) => void (state.alarmMs = ms),
    deleteAlarm: async () => void (state.alarmMs = 0),
    deleteAll: async () => void (state.isEmptied = true),
  };
  const sockets = [viewer];
  const ctx = {
    id: { name: "session" },
    storage,
    getWebSockets: () => sockets,
    waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
  };
  const objects = bucket(failures);
  const env = {
    BROWSER: binding,
    BUCKET: objects,
    BROWSER_SESSION: { getByName: () => ({ find, touch: async () => undefined }) },
  };
  vi.stubGlobal("WebSocket", { OPEN: 1 });
  // As much of the platform as a live view uses.
  const view = new LiveView(ctx as unknown as DurableObjectState, env as never);
  const message = async (): Promise<void> => {
    const read = view.webSocketMessage(viewer as unknown as WebSocket, '{"type":"ping"}');
    await vi.advanceTimersByTimeAsync(100);
    await read;
  };
  const { written } = objects;
  return { view, chromium, binding, session, told, message, sockets, written, bucket: objects.state, state };
}

const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test("a browser that cannot be reached once is tried again, and the viewer of a living session is not told of an end", async () => {
  const { view, chromium, told, message } = await setUp();
  chromium.refusals.push(410);
  await message();
  expect(view.status().isConnected).toBe(false);
  expect(told).toEqual([]);
  await later(2_100);
  expect(view.status().isConnected).toBe(true);
  expect(told).toContain("state");
  view.webSocketClose({ close: () => undefined } as unknown as WebSocket);
});

test("messages of viewers do not try a browser again before its time", async () => {
  const { chromium, message } = await setUp();
  chromium.refusals.push(...Array<number>(3).fill(410));
  for (let count = 0; count < 10; count++) await message();
  expect(chromium.refusals).toHaveLength(2);
});

test("viewers of a session that has ended are told so", async () => {
  const { chromium, session, told, message } = await setUp();
  chromium.refusals.push(410);
  session.hasEnded = true;
  await message();
  expect(told).toEqual(["ended", "closed 4001"]);
});

test("a session that cannot be read once is read again", async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { view, session, told, message } = await setUp();
  session.isAway = true;
  await message();
  session.isAway = false;
  await later(2_100);
  expect(view.status().isConnected).toBe(true);
  expect(told).not.toContain("ended");
});

test("a recording outlives a browser and a bucket that are away for a while", async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { view, chromium, sockets, written } = await setUp({ failures: 1 });
  sockets.splice(0);
  chromium.refusals.push(410);
  const recording = view.record({
    sessionId: "01234567-89ab-7def-8123-456789abcdef",
    teamId: "t",
    browserId: "session-1",
  });
  await later(100);
  await recording;
  expect(view.status()).toMatchObject({ isConnected: false, isRecording: true });
  await later(2_100);
  const alarm = view.alarm();
  await later(100);
  await alarm;
  expect(view.status()).toMatchObject({ isConnected: true, isRecording: true });
  await view.finishRecording();
  expect(written.some((key) => key.includes("manifest"))).toBe(true);
  expect(view.status()).toMatchObject({ isConnected: false, isRecording: false });
});

test("a recording that a bucket refuses at its end is ended by the alarm", async () => {
  for (const method of ["log", "warn"] as const) vi.spyOn(console, method).mockImplementation(() => undefined);
  const { view, session, sockets, written, bucket: full, state } = await setUp();
  sockets.splice(0);
  const sessionId = "01234567-89ab-7def-8123-456789abcdef";
  const recording = view.record({ sessionId, teamId: "t", browserId: "session-1" });
  await later(100);
  await recording;
  full.isFull = true;
  const refused = expect(view.finishRecording()).rejects.toThrow("The bucket is away");
  await later(10_000);
  await refused;
  expect([view.status().isRecording, state.isEmptied]).toEqual([true, false]);
  session.hasEnded = true;
  view.alarm().catch(() => undefined);
  await later(10_000);
  expect(state.alarmMs).toBeGreaterThan(Date.now() - 10_000);
  expect(view.status().isRecording).toBe(true);
  full.isFull = false;
  const ended = view.finishRecording();
  await later(10_000);
  await ended;
  expect(written.some((key) => key.includes("manifest"))).toBe(true);
  expect([view.status().isRecording, state.isEmptied, state.alarmMs]).toEqual([false, true, 0]);
});

test("a connection that opens too late is closed", async () => {
  const { chromium, binding, message, view } = await setUp();
  const held = Promise.withResolvers<void>();
  const fetched = binding.fetch.bind(binding);
  vi.spyOn(binding, "fetch").mockImplementationOnce(async (...asked) => {
    await held.promise;
    return await fetched(...asked);
  });
  const asking = message();
  await later(11_000);
  await asking;
  held.resolve();
  await later(100);
  expect([chromium.openSockets, view.status().isConnected]).toEqual([0, false]);
  await later(2_000);
  expect([chromium.openSockets, view.status().isConnected]).toEqual([1, true]);
});

test("a browser that does not answer keeps no connection", async () => {
  const { chromium, message, view } = await setUp();
  chromium.unanswered.add("Target.setDiscoverTargets");
  const asking = message();
  await later(11_000);
  await asking;
  expect([chromium.openSockets, view.status().isConnected]).toEqual([0, false]);
});

test("the end of an old connection does not end the new one", async () => {
  const { view, chromium, message, sockets } = await setUp();
  await message();
  const [viewer] = sockets.splice(0);
  view.webSocketClose(viewer as unknown as WebSocket);
  sockets.push(...(viewer === undefined ? [] : [viewer]));
  await message();
  expect(view.status().isConnected).toBe(true);
  expect(chromium.openSockets).toBe(1);
});
