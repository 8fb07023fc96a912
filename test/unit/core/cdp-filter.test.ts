import { expect, test } from "vitest";
import { filterCommand } from "../../../src/core/cdp-filter.ts";

const written = (method: string, params: object = {}) => JSON.stringify({ id: 7, sessionId: "s", method, params });
/** What becomes of a command, with the text that is passed on or answered. */
const ask = (method: string, params: object = {}): { kind: string; text: string } => {
  const filtered = filterCommand(written(method, params));
  return { kind: filtered.kind, text: "text" in filtered ? filtered.text : "" };
};

test.each([
  ["DOM.setFileInputFiles", { files: ["/etc/hostname"] }],
  ["Network.loadNetworkResource", { url: "http://10.0.0.1/" }],
  ["Page.navigate", { url: "file:///etc/hostname" }],
  ["Page.navigate", { url: "chrome://version" }],
  ["Page.navigate", { url: "view-source:file:///etc/hostname" }],
  ["Target.createTarget", { url: "FILE:///etc/hostname" }],
  ["Browser.crash", {}],
  ["Browser.getBrowserCommandLine", {}],
  ["SystemInfo.getInfo", {}],
  ["Tethering.bind", { port: 9999 }],
  ["Extensions.loadUnpacked", { path: "/etc" }],
  ["PWA.launchFilesInApp", { manifestId: "m", files: ["/etc/hostname"] }],
  ["Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [], files: ["/etc/hostname"] } }],
  ["Target.createBrowserContext", { proxyServer: "http://10.0.0.1:80" }],
  ["Target.sendMessageToTarget", { message: '{"id":1,"method":"Browser.crash"}' }],
  ["Target.exposeDevToolsProtocol", { targetId: "t" }],
  ["Network.setRequestInterception", { patterns: [{}] }],
  ["Page.setBypassCSP", { enabled: true }],
  ["Fetch.fulfillRequest", { requestId: "r", responseCode: 200, binaryResponseHeaders: "" }],
])("%s %o is refused", (method, params) => {
  const { kind, text } = ask(method, params);
  const answer: unknown = JSON.parse(text);
  expect(kind).toBe("answer");
  expect(answer).toMatchObject({ id: 7, sessionId: "s", error: { message: expect.any(String) } });
});

test.each([
  ["Page.navigate", { url: "https://example.com/" }],
  ["Page.navigate", { url: "about:blank" }],
  ["Runtime.evaluate", { expression: "1" }],
  ["Fetch.enable", {}],
  ["Browser.setDownloadBehavior", { behavior: "default" }],
  ["Target.createBrowserContext", { disposeOnDetach: true }],
  ["Input.dispatchDragEvent", { type: "drop", x: 1, y: 1, data: { items: [{ mimeType: "text/plain", data: "a" }] } }],
])("%s %o is passed on", (method, params) => {
  expect(ask(method, params)).toEqual({ kind: "pass", text: written(method, params) });
});

test.each([
  ["Fetch.fulfillRequest", { requestId: "r", responseCode: 200, body: "" }],
  ["Fetch.continueResponse", { requestId: "r", responseHeaders: [{ name: "A", value: "b" }] }],
])("documents that %s makes have no sockets", (method, params) => {
  const { kind, text } = ask(method, params);
  const passed = JSON.parse(text) as { params: { responseHeaders: object[] } };
  expect(kind).toBe("pass");
  expect(passed.params).toMatchObject({ requestId: "r" });
  expect(passed.params.responseHeaders.at(-1)).toEqual({
    name: "Content-Security-Policy",
    value: "connect-src http: https: data: blob:",
  });
});

test("a request that is sent elsewhere is looked at again", () => {
  const filtered = filterCommand(written("Fetch.continueRequest", { requestId: "r", url: "http://10.0.0.1/" }));
  expect(filtered).toMatchObject({ kind: "sent_elsewhere", url: "http://10.0.0.1/" });
  expect(ask("Fetch.continueRequest", { requestId: "r", headers: [] }).kind).toBe("pass");
  expect(ask("Fetch.continueResponse", { requestId: "r" }).kind).toBe("pass");
});

test("of a key that is there twice, only the value that was looked at goes on", () => {
  const twice = '{"id":7,"method":"DOM.setFileInputFiles","method":"Page.enable","params":{}}';
  expect(filterCommand(twice)).toEqual({ kind: "pass", text: '{"id":7,"method":"Page.enable","params":{}}' });
});

test("closing the browser is answered and not done", () => {
  const { kind, text } = ask("Browser.close");
  expect({ kind, answer: JSON.parse(text) }).toEqual({ kind: "answer", answer: { id: 7, result: {}, sessionId: "s" } });
});

test("downloads are never written, and still told of", () => {
  const wanted = { behavior: "allowAndName", downloadPath: "/etc", eventsEnabled: true, browserContextId: "c" };
  const { kind, text } = ask("Browser.setDownloadBehavior", wanted);
  expect(kind).toBe("pass");
  const params = { behavior: "deny", eventsEnabled: true, browserContextId: "c" };
  expect(JSON.parse(text)).toEqual({ id: 7, sessionId: "s", method: "Browser.setDownloadBehavior", params });
});

test.each(["", "[]", "null", "{", '{"id":"x","method":"Page.navigate"}', '{"id":1}'])("%j is no command", (text) => {
  expect(filterCommand(text)).toMatchObject({ kind: "answer", text: expect.stringContaining("Not a command") });
});

test.each(["", "about:blank", "data:text/html,hello", "https://example.com/"])("a tab for %j opens blank", (url) => {
  const blank = written("Target.createTarget", { url: "about:blank", browserContextId: "c" });
  const filtered = filterCommand(written("Target.createTarget", { url, browserContextId: "c" }));
  expect({ ...filtered, text: "text" in filtered && (JSON.parse(filtered.text) as unknown) }).toEqual({
    kind: "tab",
    id: 7,
    url,
    text: JSON.parse(blank) as unknown,
  });
});
