import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterAll, describe, expect, inject, test } from "vitest";
import { recordingFolder, recordingKeys } from "../../../src/core/sessions/recording-keys.ts";
import { createSessionConnector } from "../../../src/platform/sessions/session-connector.ts";
import type { LiveView } from "../../../src/platform/live-view/live-view.ts";
import type { RecordingManifest } from "../../../src/ports/sessions/recordings.ts";
import { browserBinding, sessionPlan, testSessions } from "../browser/browser-helpers.ts";

const site = inject("siteUrl");
const sessions = testSessions();
const doors = createSessionConnector({ binding: browserBinding(), views: env.LIVE_VIEW });

/** An id with a time in it, as sessions have. */
function sessionId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

async function open() {
  const id = sessionId();
  const outcome = await sessions.open(sessionPlan({ id }));
  if (outcome.kind !== "opened" || outcome.view.tokens === undefined) throw new Error(`not opened: ${outcome.kind}`);
  const access = await sessions.authorize(id, outcome.view.tokens.view, "view");
  if (access.kind !== "granted") throw new Error(access.reason);
  return { id, browserId: access.browserSessionId, view: env.LIVE_VIEW.getByName(id) };
}

/** A viewer who counts pictures and keeps what it is told. */
async function watch(id: string, browserId: string, mode: "view" | "drive") {
  const { webSocket } = await doors.view(id, { browserId, mode });
  if (webSocket === null) throw new Error("no socket");
  const seen = { frames: 0, told: [] as { type: string }[], isClosed: false };
  webSocket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") return void seen.told.push(JSON.parse(data) as { type: string });
    seen.frames += 1;
    webSocket.send(JSON.stringify({ type: "painted", frame: seen.frames }));
  });
  webSocket.addEventListener("close", () => (seen.isClosed = true));
  webSocket.accept();
  return { seen, socket: webSocket, send: (message: object) => webSocket.send(JSON.stringify(message)) };
}

let shared: ReturnType<typeof open> | undefined;

/** The session of tests that only watch it. */
function openShared(): ReturnType<typeof open> {
  shared ??= open();
  shared.catch(() => (shared = undefined));
  return shared;
}
afterAll(async () => {
  if (shared !== undefined) await sessions.close((await shared).id, "deleted");
});

const patience = { timeout: 15_000, interval: 100 };

describe("a live view", () => {
  test("casts while somebody watches, and stops when the last one leaves", { tags: ["long"] }, async () => {
    const { id, browserId, view } = await open();
    expect(await view.status()).toEqual({ viewers: 0, isConnected: false, isCasting: false, isRecording: false });
    const first = await watch(id, browserId, "view");
    const second = await watch(id, browserId, "drive");
    await expect.poll(() => Math.min(first.seen.frames, second.seen.frames), patience).toBeGreaterThan(0);
    expect(await view.status()).toMatchObject({ viewers: 2, isCasting: true });
    first.socket.close();
    await expect.poll(async () => (await view.status()).viewers, patience).toBe(1);
    expect((await view.status()).isCasting).toBe(true);
    second.socket.close();
    await expect
      .poll(() => view.status(), patience)
      .toMatchObject({ viewers: 0, isConnected: false, isCasting: false });
    await sessions.close(id, "deleted");
  });

  test("lets in fifty viewers, and closes the sockets of further ones with a reason", { tags: ["long"] }, async () => {
    const { id, browserId, view } = await open();
    const viewers = [];
    for (let viewer = 0; viewer < 50; viewer++) viewers.push(await watch(id, browserId, "view"));
    const { webSocket } = await doors.view(id, { browserId, mode: "view" });
    const closed = new Promise<[number, string]>((resolve) =>
      webSocket?.addEventListener("close", ({ code, reason }) => resolve([code, reason])),
    );
    webSocket?.accept();
    expect(await closed).toEqual([4008, "Too many viewers"]);
    expect((await view.status()).viewers).toBe(50);
    viewers.shift()?.socket.close();
    await expect.poll(async () => (await view.status()).viewers, patience).toBe(49);
    const { seen } = await watch(id, browserId, "view");
    await expect.poll(() => seen.told.length, patience).toBeGreaterThan(0);
    for (const { socket } of viewers) socket.close();
    await sessions.close(id, "deleted");
  });

  test("leaves nothing behind for a viewer who leaves at once", { tags: ["long"] }, async () => {
    const { id, browserId, view } = await open();
    for (let index = 0; index < 5; index++) (await watch(id, browserId, "view")).socket.close();
    const stays = await watch(id, browserId, "view");
    await expect.poll(() => stays.seen.frames, patience).toBeGreaterThan(0);
    stays.socket.close();
    await expect.poll(() => view.status(), patience).toMatchObject({ viewers: 0, isConnected: false });
    await sessions.close(id, "deleted");
  });

  test("tells viewers that the session ended, and lets none in afterwards", { tags: ["long"] }, async () => {
    const { id, browserId } = await open();
    const { seen } = await watch(id, browserId, "view");
    await expect.poll(() => seen.frames, patience).toBeGreaterThan(0);
    await sessions.close(id, "deleted");
    await expect.poll(() => seen.isClosed, patience).toBe(true);
    expect(seen.told.at(-1)).toEqual({ type: "ended" });
    const late = await watch(id, browserId, "view");
    await expect.poll(() => late.seen.isClosed, patience).toBe(true);
  });

  test("refuses what a viewer without the right to drive sends", async () => {
    const { id, browserId } = await openShared();
    const { seen, send, socket } = await watch(id, browserId, "view");
    await expect.poll(() => seen.frames, patience).toBeGreaterThan(0);
    send({ type: "navigate", url: `${site}/final` });
    await expect.poll(() => seen.told.some(({ type }) => type === "refused"), patience).toBe(true);
    expect(JSON.stringify(seen.told)).not.toContain("/final");
    socket.close();
  });

  test("does what its driver says while a site does not answer", async () => {
    const { id, browserId } = await openShared();
    const { seen, send, socket } = await watch(id, browserId, "drive");
    await expect.poll(() => seen.frames, patience).toBeGreaterThan(0);
    send({ type: "navigate", url: `${site}/hang` });
    send({ type: "tab", action: "open" });
    const states = () => seen.told.filter(({ type }) => type === "state") as { type: string; tabs?: object[] }[];
    await expect.poll(() => states().at(-1)?.tabs, { ...patience, timeout: 4_000 }).toHaveLength(2);
    const [, opened] = (states().at(-1)?.tabs ?? []) as { id: string }[];
    send({ type: "tab", action: "close", id: opened?.id });
    send({ type: "stop" });
    await expect.poll(() => states().at(-1)?.tabs, patience).toHaveLength(1);
    socket.close();
  });

  test("begins anew when its object was lost, for viewers who come back", async () => {
    const { id, browserId, view } = await openShared();
    const { seen } = await watch(id, browserId, "drive");
    await expect.poll(() => seen.frames, patience).toBeGreaterThan(0);
    await lose(view);
    const back = await watch(id, browserId, "drive");
    await expect.poll(() => back.seen.frames, patience).toBeGreaterThan(0);
    back.send({ type: "navigate", url: `${site}/final` });
    await expect.poll(() => JSON.stringify(back.seen.told.at(-1)), patience).toContain("/final");
    back.socket.close();
  });
});

describe("a recording", () => {
  test("runs without viewers, survives a move of its object, and ends with the session", async () => {
    const { id, browserId, view } = await open();
    await view.record({ sessionId: id, teamId: "team", browserId });
    await expect.poll(() => view.status(), patience).toMatchObject({ isCasting: true, isRecording: true, viewers: 0 });
    const { send, socket } = await watch(id, browserId, "drive");
    send({ type: "navigate", url: `${site}/final` });
    // R2 takes one write of the manifest a second.
    const seldom = { ...patience, interval: 1_100 };
    await expect.poll(async () => (await manifestOf(id, view))?.pages[0]?.url, seldom).toBe(`${site}/final`);
    await lose(view);
    expect(await env.LIVE_VIEW.getByName(id).status()).toMatchObject({ isRecording: true, isCasting: false });
    await runDurableObjectAlarm(env.LIVE_VIEW.getByName(id));
    await expect.poll(() => env.LIVE_VIEW.getByName(id).status(), patience).toMatchObject({ isCasting: true });
    await sessions.close(id, "deleted");
    await expect.poll(async () => (await env.LIVE_VIEW.getByName(id).status()).isRecording, patience).toBe(false);
    await expect.poll(async () => (await manifestOf(id))?.endedMs, patience).toBeGreaterThan(0);
    const manifest = await manifestOf(id);
    expect(manifest?.pages.length).toBeGreaterThan(0);
    expect(manifest?.network.entries).toBeGreaterThan(0);
    socket.close();
  });
});

/** Ends the object in the middle of its work, as a crash or a deployment would. */
async function lose(view: DurableObjectStub<LiveView>): Promise<void> {
  await runInDurableObject(view, (_object, state) => state.abort("moved")).catch(() => undefined);
}

/** What is written down; with the object, what it has is written down first. */
async function manifestOf(id: string, view?: DurableObjectStub<LiveView>): Promise<RecordingManifest | undefined> {
  if (view !== undefined) await runDurableObjectAlarm(view);
  const object = await env.BUCKET.get(recordingKeys.manifest(recordingFolder(id) ?? ""));
  return object === null ? undefined : object.json<RecordingManifest>();
}
