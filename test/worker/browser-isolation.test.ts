import { describe, expect, inject, test } from "vitest";
import { CdpConnection } from "../../src/platform/browser/cdp-connection.ts";
import { closeSession, launchSession } from "../../src/platform/browser/browser-sessions.ts";
import { browserBinding, browserRequest, loadPage, testBrowser } from "./browser-helpers.ts";

const attack = inject("attackUrl");

const targetHost = async (): Promise<string> => (await fetch(`${attack}/target`)).json();
const hits = async (): Promise<string[]> => (await fetch(`${attack}/hits`)).json();

test("the attacks work where nothing forbids them", async () => {
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

test.each(["/navigate", "/refresh"])("a page that leaves for such an address ends the load: %s", async (path) => {
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

describe("a browser that is launched here", () => {
  /** A browser with one page, over a connection that nothing filters. */
  async function withPage<T>(work: (connection: CdpConnection, sessionId: string) => Promise<T>): Promise<T> {
    const browserId = await launchSession(browserBinding(), 60_000);
    const connection = await CdpConnection.open(browserBinding(), browserId);
    try {
      const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
      await connection.send("Page.enable", undefined, sessionId);
      return await work(connection, sessionId);
    } finally {
      connection.close();
      await closeSession(browserBinding(), browserId);
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

  test.each([
    "chrome://version",
    "chrome://settings",
    "file:///etc/hostname",
    "devtools://devtools/bundled/inspector.html",
  ])("blocks %s as an administrator would, whoever asks", async (url) => {
    const { errorText } = await withPage((connection, sessionId) =>
      connection.send("Page.navigate", { url }, sessionId),
    );
    expect(errorText).toBe("net::ERR_BLOCKED_BY_ADMINISTRATOR");
  });
});
