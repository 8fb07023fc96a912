import { afterAll, describe, expect, inject, test, vi } from "vitest";
import { CdpConnection } from "../../../src/platform/browser/cdp-connection.ts";
import { closeSession, launchSession } from "../../../src/platform/browser/browser-sessions.ts";
import { ODD_TYPES } from "../scrape/odd-types.ts";
import { browserBinding, browserRequest, loadPage, sessionPlan, testBrowser, testSessions } from "./browser-helpers.ts";
import { isShort, shortAndLong } from "../../sample.ts";

const attack = inject("attackUrl");

/** In the short form, a load meets every second of the odd types, and a session the others. */
const ODD = Object.keys(ODD_TYPES);
const TYPES_OF_LOAD = isShort() ? ODD.filter((_, at) => at % 2 === 0) : ODD;
const TYPES_OF_SESSION = isShort() ? ODD.filter((_, at) => at % 2 === 1) : ODD;
const oddities = (types: readonly string[]): string => `/oddities?types=${types.join(",")}`;

const targetHost = async (): Promise<string> => (await fetch(`${attack}/target`)).json();
const hits = async (): Promise<string[]> => (await fetch(`${attack}/hits`)).json();

test("the attacks work where nothing forbids them", { tags: ["long"] }, async () => {
  await fetch(`${attack}/forget`);
  await loadPage(`${attack}/`, { waitForMs: 1_500, blockAds: false });
  const reached = await hits();
  for (const path of [
    "/page-fetch",
    "/iframe",
    "/redirect-image",
    "/frame-fetch",
    "/worker-fetch",
    "/blob-worker-fetch",
  ]) {
    expect(reached).toContain(path);
  }
});

test("a page reaches no address that may not be called: by no request, frame, worker, socket or window", async () => {
  await fetch(`${attack}/forget`);
  const target = await targetHost();
  const page = await loadPage(`${attack}/`, { waitForMs: 2_500, ownHosts: [target] });
  expect(await hits()).toEqual([]);
  expect(page.warnings.join(" ")).toContain(target);
});

test("nor by workers and frames whose answers are called something else", async () => {
  await fetch(`${attack}/forget`);
  await loadPage(attack + oddities(TYPES_OF_LOAD), { waitForMs: 1_500, ownHosts: [await targetHost()] });
  expect(await hits()).toEqual([]);
});

for (const { tags, entries } of shortAndLong(["/navigate", "/refresh"], (path) => path === "/navigate"))
  test.each(entries)("a page that leaves for such an address ends the load: %s", { tags }, async (path) => {
    await fetch(`${attack}/forget`);
    const ownHosts = [await targetHost()];
    const outcome = await testBrowser().load(browserRequest(attack + path, { ownHosts, waitForMs: 1_000 }));
    expect(outcome).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
    expect(await hits()).toEqual([]);
  });

test("a script of the caller has no more rights than the page", async () => {
  await fetch(`${attack}/forget`);
  const target = await targetHost();
  const script = `fetch("http://${target}/by-caller", { mode: "no-cors" }).then(() => "reached", () => "refused")`;
  const actions = [{ type: "executeJavascript" as const, script }];
  const page = await loadPage(`${attack}/navigate?nothing`.replace("/navigate", "/socket"), {
    ownHosts: [target],
    actions,
  });
  expect(page.actions?.javascriptReturns).toEqual([{ type: "string", value: "refused" }]);
  expect(await hits()).toEqual([]);
});

test("loads do not see each other's cookies and storage", async () => {
  const script = `(() => { const before = [document.cookie, localStorage.length]; document.cookie = "left=behind"; localStorage.setItem("a", "b"); return before; })()`;
  const actions = [{ type: "executeJavascript" as const, script }];
  for (let load = 0; load < 2; load++) {
    const page = await loadPage(`${attack}/socket`, { actions });
    expect(page.actions?.javascriptReturns[0]?.value).toEqual(["", 0]);
  }
});

/** Interfaces whose requests the browser process makes by itself, or that reach the machine's devices. */
const ABSENT = [
  "BackgroundFetchManager",
  "DigitalCredential",
  "HID",
  "HTMLFencedFrameElement",
  "IdentityCredential",
  "PaymentRequest",
  "PushManager",
  "Serial",
  "SharedWorker",
  "USB",
  "WebSocketStream",
];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Resolves when a page of attacks has asked its own server for the last things that it asks for. */
async function allServed(path: string, lastOnes: readonly string[]): Promise<void> {
  const endMs = Date.now() + 20_000;
  for (;;) {
    const response = await fetch(`${attack}/served`);
    const served = await response.json<string[]>();
    if (lastOnes.every((last) => served.includes(last))) return;
    if (Date.now() > endMs) throw new Error(`Not all of ${path} was asked for: ${served.join(" ")}`);
    await pause(100);
  }
}

/** Sends the one tab of a browser, or a new one, to the page of attacks, over a connection that nothing filters. */
async function attackIn(browserId: string, types: readonly string[]): Promise<void> {
  const oddOnes = [...types.map((type) => `/odd/worker/${type}?module`), "/odd/status/500"];

  const connection = await CdpConnection.open(browserBinding(), browserId);
  try {
    const { targetInfos } = await connection.send("Target.getTargets");
    const page = targetInfos.find(({ type }) => type === "page");
    const { targetId } = page ?? (await connection.send("Target.createTarget", { url: "about:blank" }));
    const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
    for (const { path, lastOnes } of [
      { path: "/", lastOnes: ["/worker.js", "/frame"] },
      { path: oddities(types), lastOnes: oddOnes },
    ]) {
      await connection.send("Page.navigate", { url: attack + path }, sessionId);
      await allServed(path, lastOnes);
      await pause(1_000);
    }
  } finally {
    connection.close();
  }
}

test(
  "all sockets of the attack work in a browser without a guard, whatever their scripts and pages are called",
  { tags: ["long"] },
  async () => {
    await fetch(`${attack}/forget`);
    const browserId = await launchSession(browserBinding(), 60_000);
    const workers = ["any", "html", "legacy", "none", "plain", "unknown"].map((type) => `worker-${type}`);
    const frames = ["none", "any", "unknown"].map((type) => `frame-${type}`);
    const statuses = [300, 302, 404].map((status) => `status-${status}`);
    // WebTransport sends datagrams.
    const sockets = ["page", "odd-page", ...workers, ...frames, ...statuses].map((from) => `upgrade /${from}-socket`);
    try {
      await attackIn(browserId, ODD);
      await vi.waitFor(
        async () => expect(await hits()).toEqual(expect.arrayContaining([...sockets, "datagram"])),
        15_000,
      );
    } finally {
      await closeSession(browserBinding(), browserId);
    }
  },
);

test("a page in a session reaches no address that may not be called", async () => {
  await fetch(`${attack}/forget`);
  const sessions = testSessions(["127.0.0.1", "localhost"]);
  const outcome = await sessions.open(sessionPlan({ ownHosts: [await targetHost()] }));
  if (outcome.kind !== "opened" || outcome.view.tokens === undefined) throw new Error(outcome.kind);
  const { id } = outcome.view.life;
  try {
    const access = await sessions.authorize(id, outcome.view.tokens.cdp, "cdp");
    if (access.kind !== "granted") throw new Error(access.reason);
    await attackIn(access.browserSessionId, TYPES_OF_SESSION);
    expect(await hits()).toEqual([]);
  } finally {
    await sessions.close(id, "deleted");
  }
});

describe("a browser that is launched here", () => {
  let launched: Promise<string> | undefined;
  afterAll(async () => {
    if (launched !== undefined) await closeSession(browserBinding(), await launched);
  });

  /** A page in the browser of these tests, over a connection that nothing filters. */
  async function withPage<T>(work: (connection: CdpConnection, sessionId: string) => Promise<T>): Promise<T> {
    launched ??= launchSession(browserBinding(), 60_000);
    launched.catch(() => (launched = undefined));
    const connection = await CdpConnection.open(browserBinding(), await launched);
    try {
      const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
      await connection.send("Page.enable", undefined, sessionId);
      return await work(connection, sessionId);
    } finally {
      connection.close();
    }
  }

  test("offers no interface that passes by request interception, in windows and in workers", async () => {
    const found = await withPage(async (connection, sessionId) => {
      await connection.send("Page.navigate", { url: `${attack}/worker-names` }, sessionId);
      const names = JSON.stringify(ABSENT);
      const expression = `new Promise((resolve) => {
        const own = ${names}.filter((name) => name in globalThis);
        const source = "postMessage(" + JSON.stringify(${names}) + ".filter((name) => name in globalThis))";
        const worker = new Worker(URL.createObjectURL(new Blob([source])));
        worker.onmessage = ({ data }) => resolve([...own, ...data, ...("runAdAuction" in navigator ? ["auctions"] : [])]);
      })`;
      const asked = { expression, awaitPromise: true, returnByValue: true };
      const { result } = await connection.send("Runtime.evaluate", asked, sessionId);
      return result.value as unknown;
    });
    expect(found).toEqual([]);
  });

  test("sends no datagram for WebRTC, in an isolated world neither", async () => {
    await fetch(`${attack}/forget`);
    const target = await targetHost();
    const gathered = await withPage(async (connection, sessionId) => {
      const { frameId } = await connection.send("Page.navigate", { url: `${attack}/worker-names` }, sessionId);
      const { executionContextId: contextId } = await connection.send("Page.createIsolatedWorld", { frameId, worldName: "apart" }, sessionId); // prettier-ignore
      const expression = `Promise.all(["stun", "turn"].map(async (scheme) => {
        const server = { urls: scheme + ":${target}", username: "a", credential: "b" };
        const peer = new RTCPeerConnection({ iceServers: [server] });
        peer.createDataChannel("x");
        await peer.setLocalDescription(await peer.createOffer());
        await new Promise((resolve) => setTimeout(resolve, 2000));
        return peer.iceGatheringState;
      }))`;
      const asked = { expression, contextId, awaitPromise: true, returnByValue: true };
      const { result } = await connection.send("Runtime.evaluate", asked, sessionId);
      return result.value as unknown;
    });
    expect(gathered).toEqual(["complete", "complete"]);
    expect(await hits()).toEqual([]);
  });

  const navigate = async (url: string): Promise<string | undefined> => {
    const { errorText } = await withPage((connection, sessionId) =>
      connection.send("Page.navigate", { url }, sessionId),
    );
    return errorText;
  };

  const closed = ["chrome://settings", "devtools://devtools/bundled/inspector.html", "chrome://version"];
  for (const { tags, entries } of shortAndLong(closed, (_, index) => index < 2))
    test.each(entries)("has no page for %s, whoever asks", { tags }, async (url) => {
      expect(await navigate(url)).toMatch(/^net::ERR_(?:BLOCKED_BY_ADMINISTRATOR|INVALID_URL|ABORTED)$/);
    });

  test.runIf(inject("hasBrowserPolicies"))("blocks files as an administrator would, whoever asks", async () => {
    expect(await navigate("file:///etc/hostname")).toBe("net::ERR_BLOCKED_BY_ADMINISTRATOR");
  });
});
