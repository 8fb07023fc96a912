import { expect, test } from "vitest";
import { refuseCommand } from "../../../src/core/cdp-filter.ts";

const ask = (method: string, params: object = {}) =>
  refuseCommand(JSON.stringify({ id: 7, sessionId: "s", method, params }));

test.each([
  ["DOM.setFileInputFiles", { files: ["/etc/hostname"] }],
  ["Network.loadNetworkResource", { url: "http://10.0.0.1/" }],
  ["Page.navigate", { url: "file:///etc/hostname" }],
  ["Page.navigate", { url: "chrome://version" }],
  ["Page.navigate", { url: "view-source:file:///etc/hostname" }],
  ["Target.createTarget", { url: "FILE:///etc/hostname" }],
  ["Browser.crash", {}],
])("%s %o is refused", (method, params) => {
  const answer = JSON.parse(ask(method, params) ?? "null") as {
    id: number;
    sessionId: string;
    error: { message: string };
  };
  expect(answer).toMatchObject({ id: 7, sessionId: "s", error: { message: expect.any(String) } });
});

test.each([
  ["Page.navigate", { url: "https://example.com/" }],
  ["Page.navigate", { url: "about:blank" }],
  ["Target.createTarget", { url: "" }],
  ["Target.createTarget", { url: "data:text/html,hello" }],
  ["Runtime.evaluate", { expression: "1" }],
  ["Fetch.enable", {}],
  ["Browser.setDownloadBehavior", { behavior: "deny" }],
])("%s %o is passed on", (method, params) => {
  expect(ask(method, params)).toBeUndefined();
});

test.each([
  ["Browser.close", {}],
  ["Browser.setDownloadBehavior", { behavior: "allow", downloadPath: "/etc" }],
])("%s %o is answered and not done", (method, params) => {
  expect(JSON.parse(ask(method, params) ?? "null")).toEqual({ id: 7, result: {}, sessionId: "s" });
});

test.each(["", "[]", "null", "{", '{"id":"x","method":"Page.navigate"}', '{"id":1}'])("%j is no command", (text) => {
  expect(refuseCommand(text)).toContain("Not a command");
});
