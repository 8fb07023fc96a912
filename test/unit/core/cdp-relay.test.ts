import { expect, test } from "vitest";
import { relayCdp } from "../../../src/core/cdp-relay.ts";

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

const attached = (targetId: string, type: string): object => ({
  method: "Target.attachedToTarget",
  params: { sessionId: `session of ${targetId}`, targetInfo: { targetId, type }, waitingForDebugger: false },
});

/** A relay whose guard lets targets in when the test says so. */
function relay() {
  const client = new Side();
  const browser = new Side();
  const asked: { targetId: string; url: string | undefined; admit: () => void }[] = [];
  // As much of a socket as a relay uses.
  const sockets = [client, browser].map((side) => side as unknown as WebSocket) as [WebSocket, WebSocket];
  const { cut } = relayCdp(...sockets, {
    admitted: (targetId, url) => new Promise((resolve) => asked.push({ targetId, url, admit: resolve })),
    mayCall: async (url) => url.startsWith("https://"),
    onCommand: () => undefined,
  });
  return { client, browser, asked, cut };
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
  client.say(command("https://example.com/"));
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
