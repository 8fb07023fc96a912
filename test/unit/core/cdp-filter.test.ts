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
])("%s %o is passed on", (method, params) => {
  expect(ask(method, params)).toEqual({ kind: "pass", text: written(method, params) });
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
