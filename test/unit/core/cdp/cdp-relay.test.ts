import { expect, test } from "vitest";
import { relayCdp } from "../../../../src/core/cdp/cdp-relay.ts";

/** One side of a relay: what it says, and what it is told. */
class Side extends EventTarget {
  binaryType = "";
  readonly told: string[] = [];
  isClosed = false;

  accept(): void {}
  send(text: string): void {
    this.told.push(text);
  }
  close(): void {
    this.isClosed = true;
  }
  say(message: object): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

const WEB = "https://example.com/";

const attached = (targetId: string, type: string, url = WEB): object => ({
  method: "Target.attachedToTarget",
  params: { sessionId: `session of ${targetId}`, targetInfo: { targetId, type, url }, waitingForDebugger: false },
});

/** A relay whose guard lets targets in when the test says so. */
function relay() {
  const client = new Side();
  const browser = new Side();
  const asked: { targetId: string; url: string | undefined; admit: (isShown?: boolean) => void }[] = [];
  let left = 0;
  // As much of a socket as a relay uses.
  const sockets = [client, browser].map((side) => side as unknown as WebSocket) as [WebSocket, WebSocket];
  const { cut } = relayCdp(...sockets, {
    whenIntercepted: (targetId, url) =>
      new Promise((resolve) => asked.push({ targetId, url, admit: (isShown = true) => resolve(isShown) })),
    mayRequest: async (url) => url.startsWith("https://"),
    onLeft: () => void left++,
    onCommand: () => undefined,
  });
  return { client, browser, asked, cut, timesLeft: () => left };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

test("a client hears of a page, and of all that follows, when the guard sees the page's requests", async () => {
  const { client, browser, asked } = relay();
  browser.say(attached("a", "page"));
  browser.say({ method: "Page.loadEventFired" });
  await settled();
  expect(client.told).toEqual([]);
  asked[0]?.admit();
  await settled();
  expect(client.told.map((text) => (JSON.parse(text) as { method: string }).method)).toEqual([
    "Target.attachedToTarget",
    "Page.loadEventFired",
  ]);
});

test.each(["browser", "tab"])("a %s loads nothing: nobody waits for the guard", (type) => {
  const { client, browser, asked } = relay();
  browser.say(attached("a", type));
  expect(client.told).toHaveLength(1);
  expect(asked).toEqual([]);
});

test("a tab that is opened goes to its address through the guard", async () => {
  const { client, browser, asked } = relay();
  client.say({ id: 7, method: "Target.createTarget", params: { url: "https://example.com/" } });
  expect(JSON.parse(browser.told[0] ?? "")).toMatchObject({ params: { url: "about:blank" } });
  browser.say({ id: 7, result: { targetId: "new" } });
  expect(asked).toMatchObject([{ targetId: "new", url: "https://example.com/" }]);
  asked[0]?.admit();
  await settled();
  expect(client.told).toHaveLength(1);
});

test("a request goes to another address only where the guard lets it", async () => {
  const { client, browser } = relay();
  const command = (url: string) => ({ id: 1, method: "Fetch.continueRequest", params: { requestId: "r", url } });
  client.say(command("http://10.0.0.1/"));
  await settled();
  client.say(command("https://exa\tmple.com/"));
  await settled();
  expect(browser.told.map((text) => JSON.parse(text) as object)).toEqual([
    { id: 1, method: "Fetch.failRequest", params: { requestId: "r", errorReason: "BlockedByClient" } },
    command("https://example.com/"),
  ]);
});

test("what is refused does not reach the browser", () => {
  const { client, browser } = relay();
  client.say({ id: 1, method: "DOM.setFileInputFiles", params: { files: ["/etc/hostname"] } });
  expect(browser.told).toEqual([]);
  expect(client.told).toHaveLength(1);
});

test("when one side leaves, or is cut off, both are closed", () => {
  const left = relay();
  left.browser.dispatchEvent(new Event("close"));
  const cut = relay();
  cut.cut("The session has ended");
  expect([left.client, left.browser, cut.client, cut.browser].map(({ isClosed }) => isClosed)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

const HIDDEN: [type: string, url: string][] = [
  ["browser_ui", "chrome://omnibox-popup.top-chrome/"],
  ["page", "devtools://devtools/bundled/devtools_app.html"],
  ["page", "chrome://settings/"],
  ["page", "file:///etc/hostname"],
  ["iframe", "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html"],
  ["service_worker", "https://example.com/worker.js"],
  ["shared_worker", "https://example.com/worker.js"],
  ["other", "https://example.com/"],
];

test.each(HIDDEN)("a client hears nothing of a %s on %s, and is let go of it", async (type, url) => {
  const { client, browser } = relay();
  const targetInfo = { targetId: "a", type, url };
  browser.say({ method: "Target.targetCreated", params: { targetInfo } });
  browser.say({ method: "Target.targetInfoChanged", params: { targetInfo } });
  browser.say({ ...attached("a", type, url), sessionId: "parent" });
  browser.say({ method: "Runtime.executionContextCreated", params: {}, sessionId: "session of a" });
  browser.say({ id: 3, result: { targetInfos: [targetInfo, { targetId: "b", type: "page", url: WEB }] } });
  browser.say({ id: 4, result: { targetInfo } });
  await settled();
  expect(client.told.map((text) => JSON.parse(text) as object)).toEqual([
    { id: 3, result: { targetInfos: [{ targetId: "b", type: "page", url: WEB }] } },
    { id: 4, error: { code: -32602, message: "No target with given id found" } },
  ]);
  const detached = { method: "Target.detachFromTarget", params: { sessionId: "session of a" }, sessionId: "parent" };
  expect(browser.told.map((text) => JSON.parse(text) as object)).toEqual([{ id: -1, ...detached }]);
  browser.say({ id: -1, result: {} });
  browser.say({ method: "Target.detachedFromTarget", params: { sessionId: "session of a" } });
  expect(client.told).toHaveLength(2);
});

test("a target that the guard does not admit stays hidden, and cannot be attached to by its id", async () => {
  const { client, browser, asked } = relay();
  browser.say(attached("a", "page"));
  client.say({ id: 2, method: "Target.attachToTarget", params: { targetId: "a", flatten: true } });
  for (const { admit } of asked) admit(false);
  await settled();
  expect(client.told.map((text) => JSON.parse(text) as object)).toEqual([
    { id: 2, error: { code: -32000, message: "No target with given id found" } },
  ]);
  expect(browser.told).toEqual([expect.stringContaining("Target.detachFromTarget")]);
});

test("a tab that the guard does not admit is closed again", async () => {
  const { client, browser, asked } = relay();
  client.say({ id: 7, method: "Target.createTarget", params: { url: "https://example.com/" } });
  client.say({ id: 7, method: "Target.createTarget", params: { url: "about:blank" } });
  browser.say({ id: 7, result: { targetId: "new" } });
  asked[0]?.admit(false);
  await settled();
  expect(client.told.map((text) => (JSON.parse(text) as { error?: unknown }).error !== undefined)).toEqual([
    true,
    true,
  ]);
  expect(browser.told).toHaveLength(2);
  expect(browser.told[1]).toContain("Target.closeTarget");
});

test("the guard is told once that a driver left", () => {
  const { client, browser, timesLeft } = relay();
  client.dispatchEvent(new Event("close"));
  browser.dispatchEvent(new Event("close"));
  expect(timesLeft()).toBe(1);
});

test("a driver that sends more messages at once than wait for their turn is cut off", async () => {
  const { client, browser, timesLeft } = relay();
  for (let id = 0; id < 20_000; id++) client.say({ id, method: "Browser.getVersion" });
  expect(timesLeft()).toBe(1);
  expect(client.isClosed).toBe(true);
  const told = browser.told.length;
  expect(told).toBeLessThan(2_000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(browser.told.length).toBe(told);
});
