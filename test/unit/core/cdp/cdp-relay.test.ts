import { expect, test, vi } from "vitest";
import { relayCdp, type RelayGuard } from "../../../../src/core/cdp/cdp-relay.ts";
import { AllTraffic, SessionTraffic } from "../../../../src/core/cdp/session-traffic.ts";

/** One side of a relay: what it says, and what it is told. */
class Side extends EventTarget {
  binaryType = "";
  readonly told: string[] = [];
  isClosed = false;
  closedWith: unknown[] = [];

  accept(): void {}
  send(text: string): void {
    this.told.push(text);
  }
  close(...closedWith: unknown[]): void {
    this.isClosed = true;
    this.closedWith = closedWith;
  }
  say(message: object): void {
    this.write(JSON.stringify(message));
  }
  write(data: string | ArrayBuffer): void {
    this.dispatchEvent(new MessageEvent("message", { data }));
  }
}

const WEB = "https://example.com/";

const attached = (targetId: string, type: string, url = WEB): object => ({
  method: "Target.attachedToTarget",
  params: { sessionId: `session of ${targetId}`, targetInfo: { targetId, type, url }, waitingForDebugger: false },
});

/** A relay whose guard lets targets in when the test says so. */
function relay(traffic = new SessionTraffic()) {
  const client = new Side();
  const browser = new Side();
  const asked: { targetId: string; url: string | undefined; admit: (isShown?: boolean) => void }[] = [];
  let left = 0;
  // As much of a socket as a relay uses.
  const sockets = [client, browser].map((side) => side as unknown as WebSocket) as [WebSocket, WebSocket];
  const guard: RelayGuard = {
    whenIntercepted: (targetId, url) =>
      new Promise((resolve) => asked.push({ targetId, url, admit: (isShown = true) => resolve(isShown) })),
    mayRequest: async (url) => url.startsWith("https://"),
    onLeft: () => void left++,
    onCommand: () => undefined,
  };
  traffic.connect(Date.now());
  const { cut } = relayCdp(...sockets, guard, traffic);
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

test("a browser that sends tens of thousands of events at once is cut off, and its session's other clients share the limit", () => {
  const traffic = new SessionTraffic();
  const [flooded, other] = [relay(traffic), relay(traffic)];
  for (let count = 0; count < 7_000; count++) flooded.browser.say({ method: "Network.requestWillBeSent" });
  expect(flooded.client.told).toHaveLength(7_000);
  for (let count = 0; count < 20_000; count++) other.browser.say({ method: "Network.requestWillBeSent" });
  expect(other.client.told.length).toBeLessThan(2_000);
  expect(other.client.closedWith).toEqual([1013, "The browser sends too many events"]);
  expect(other.browser.isClosed).toBe(true);
  expect(other.timesLeft()).toBe(1);
});

test("sessions share what an isolate passes on, and one whose browser sends little is not cut off for others", () => {
  const all = new AllTraffic();
  const flooded = [1, 2, 3, 4].map(() => relay(new SessionTraffic(all)));
  const quiet = relay(new SessionTraffic(all));
  for (let count = 0; count < 8_000; count++)
    for (const { browser } of flooded) browser.say({ method: "Network.requestWillBeSent" });
  const told = flooded.map(({ client }) => client.told.length);
  expect(told.reduce((sum, count) => sum + count)).toBeLessThan(18_000);
  for (const { client } of flooded) expect(client.closedWith).toEqual([1013, "The browser sends too many events"]);
  for (let count = 0; count < 1_000; count++) quiet.browser.say({ method: "Network.requestWillBeSent" });
  expect(quiet.client.told).toHaveLength(1_000);
  expect(quiet.client.isClosed).toBe(false);
});

test("sessions share the bytes that wait for their clients", () => {
  const all = new AllTraffic();
  const sessions = [1, 2, 3, 4].map(() => relay(new SessionTraffic(all)));
  for (let count = 0; count < 5; count++) for (const { browser } of sessions) browser.write(LARGE);
  const told = sessions.map(({ client }) => client.told.length);
  // 128 MB in all, and a quarter of it for each.
  expect(told.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(16);
  for (const { client } of sessions) expect(client.closedWith).toEqual([1013, "The client does not read its messages"]);
});

const LARGE = JSON.stringify({ id: 1, result: { data: "x".repeat(10_000_000) } });

test("a client to which 128 MB were sent since its last message is cut off", () => {
  const { client, browser } = relay();
  for (let count = 0; count < 14; count++) browser.write(LARGE);
  expect(client.told).toHaveLength(12);
  expect(client.closedWith).toEqual([1013, "The client does not read its messages"]);
});

test("a client that goes on sending, or has left, has read what was sent to it", () => {
  const traffic = new SessionTraffic();
  const { client, browser } = relay(traffic);
  for (let count = 0; count < 12; count++) browser.write(LARGE);
  client.say({ id: 1, method: "Browser.getVersion" });
  for (let count = 0; count < 12; count++) browser.write(LARGE);
  expect(client.isClosed).toBe(false);
  client.dispatchEvent(new Event("close"));
  expect(traffic.send(120_000_000, Date.now())).toBe(true);
});

test("after a pause as many events may come again, and a stream of 3,000 a second goes on", () => {
  vi.useFakeTimers({ now: 1_000_000 });
  try {
    const { client, browser } = relay();
    const burst = (count: number): void => {
      for (let at = 0; at < count; at++) browser.say({ method: "Network.requestWillBeSent" });
    };
    burst(7_000);
    vi.advanceTimersByTime(2_000);
    burst(7_000);
    vi.advanceTimersByTime(2_000);
    for (let turn = 0; turn < 400; turn++) {
      burst(75);
      vi.advanceTimersByTime(25);
    }
    expect(client.told).toHaveLength(44_000);
    // Turns that take a second each on a busy machine.
    for (let turn = 0; turn < 20; turn++) {
      burst(2_000);
      vi.advanceTimersByTime(1_000);
    }
    expect(client.closedWith).toEqual([1013, "The browser sends too many events"]);
  } finally {
    vi.useRealTimers();
  }
});

test("attaching beyond 1,000 targets is refused until some are gone, with those that hang on them", async () => {
  const { client, browser } = relay();
  const event = (method: string, sessionId: string, parent?: string): object => ({
    method: `Target.${method}`,
    params: { sessionId, targetInfo: { targetId: "a", type: "tab", url: WEB } },
    sessionId: parent,
  });
  for (let count = 0; count < 1_000; count++)
    browser.say(event("attachedToTarget", `s${count}`, count > 500 ? "s500" : undefined));
  const attach = { id: 2, method: "Target.attachToTarget", params: { targetId: "a", flatten: true } };
  client.say(attach);
  await settled();
  const error = { code: -32_000, message: "Too many attached targets: detach from some of them" };
  expect(JSON.parse(client.told.at(-1) ?? "")).toEqual({ id: 2, error });
  expect(client.isClosed).toBe(false);
  browser.say(event("detachedFromTarget", "s500"));
  for (let count = 0; count < 1_499; count++) browser.say(event("attachedToTarget", `t${count}`));
  expect(client.isClosed).toBe(false);
  for (let count = 0; count < 2; count++) browser.say(event("attachedToTarget", `u${count}`));
  expect(client.closedWith).toEqual([1013, "Too many attached targets"]);
});

test("a session has 150 connections, and another when one has ended", () => {
  const traffic = new SessionTraffic();
  const relays = Array.from({ length: 150 }, () => relay(traffic));
  expect(traffic.connect(Date.now())).toBe(false);
  relays[0]?.client.dispatchEvent(new Event("close"));
  expect(traffic.connect(Date.now())).toBe(true);
  expect(traffic.connect(Date.now())).toBe(false);
});

test("a driver that sends bytes is cut off: commands are text", () => {
  const { client, browser, timesLeft } = relay();
  client.write(new TextEncoder().encode('{"id":1,"method":"Page.enable"}').buffer as ArrayBuffer);
  expect(browser.told).toEqual([]);
  expect(client.closedWith).toEqual([1003, "Commands are text"]);
  expect(timesLeft()).toBe(1);
});
