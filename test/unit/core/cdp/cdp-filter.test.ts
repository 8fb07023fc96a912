import { describe, expect, test } from "vitest";
import { filterCommand } from "../../../../src/core/cdp/cdp-filter.ts";

const written = (method: string, params: object = {}) => JSON.stringify({ id: 7, method, params, sessionId: "s" });

/** Returns the parameters that the browser receives, or the reason of the refusal. */
function ask(method: string, params: object = {}): { passed?: object; refused?: string; kind: string } {
  const filtered = filterCommand(written(method, params));
  const { kind, text } = filtered;
  if (kind !== "reply") return { kind, passed: (JSON.parse(text) as { params: object }).params };
  const answer = JSON.parse(text) as { id: number; sessionId: string; error?: { message: string } };
  expect(answer).toMatchObject({ id: 7, sessionId: "s" });
  return { kind, ...(answer.error === undefined ? {} : { refused: answer.error.message }) };
}

const NO_PAGE = [
  "file:///etc/hostname",
  "FILE:///etc/hostname",
  "view-source:file:///etc/hostname",
  "view-source:https://example.com/",
  "chrome://version",
  "chr\tome://settings",
  "chrome\n://inspect",
  "\u0001chrome://settings",
  " \r\nchrome://settings",
  "chrome-untrusted://terminal/",
  "chrome-extension://mhjfbmdgcfjbbpaeojofohoefgiehjai/index.html",
  "devtools://devtools/bundled/inspector.html",
  "about:version",
  "about:srcdoc",
  "blob:null/0f1e",
  "blob:file:///0f1e",
  "blob:chrome://settings/0f1e",
  "filesystem:https://example.com/temporary/a",
  "javascript:1",
  "data:text/html,hello",
  "mailto:a@example.com",
  "example.com",
  "://",
  ["devtools://devtools/bundled/inspector.html"],
  ["https://example.com/"],
  { toString: "https://example.com/" },
  7,
  null,
];

describe.each(["Page.navigate", "Target.createTarget"])("%s", (method) => {
  test.each(NO_PAGE)("does not go to %j", (url) => {
    expect(ask(method, { url })).toMatchObject({ kind: "reply", refused: expect.stringMatching(/url/) });
  });

  test.each([
    ["https://example.com/a b", "https://example.com/a%20b"],
    ["ht\ttps://exa\nmple.com", "https://example.com/"],
    ["\u0001https://example.com/", "https://example.com/"],
    ["HTTP://EXAMPLE.com:80/x", "http://example.com/x"],
    ["about:blank#here", "about:blank#here"],
    ["blob:https://example.com/0f1e", "blob:https://example.com/0f1e"],
  ])("goes to %j as %s", (url, href) => {
    const filtered = filterCommand(written(method, { url }));
    if (method === "Page.navigate") expect(ask(method, { url })).toEqual({ kind: "pass", passed: { url: href } });
    else
      expect(filtered).toMatchObject({
        kind: "open_tab",
        key: "7 s",
        url: href,
        text: expect.stringContaining("about:blank"),
      });
  });
});

test.each([
  ["DOM.setFileInputFiles", { files: ["/etc/hostname"], nodeId: 1 }, "cannot be read"],
  [
    "Input.dispatchDragEvent",
    { type: "drop", x: 1, y: 1, data: { items: [], dragOperationsMask: 1, files: ["/etc/a"] } },
    "cannot be read",
  ],
  ["Target.createBrowserContext", { proxyServer: "http://10.0.0.1:80" }, "proxy"],
  ["Target.createBrowserContext", { proxyBypassList: "<-loopback>" }, "proxy"],
  ["Target.createBrowserContext", { originsWithUniversalNetworkAccess: ["https://a.example"] }, "Origins"],
  ["Target.sendMessageToTarget", { message: '{"id":1,"method":"Browser.crash"}' }, "flatten"],
  ["Target.attachToTarget", { targetId: "t" }, "flatten"],
  ["Target.attachToTarget", { targetId: "t", flatten: false }, "flatten"],
  ["Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true }, "flatten"],
  ["Target.openDevTools", { targetId: "t" }, "DevTools"],
  ["Target.createTarget", { url: "about:blank", hidden: true }, "shown"],
  ["Page.createIsolatedWorld", { frameId: "f", contentSecurityPolicy: "" }, "policy"],
  ["Page.setBypassCSP", { enabled: true }, "policies"],
  ["Emulation.setScriptExecutionDisabled", { value: true }, "policy"],
  ["Browser.grantPermissions", { permissions: ["videoCapture"] }, "Devices"],
  ["Browser.setPermission", { permission: { name: "camera" }, setting: "granted" }, "Devices"],
  ["Fetch.fulfillRequest", { requestId: "r", responseCode: 200, binaryResponseHeaders: "" }, "responseHeaders"],
  ["Fetch.fulfillRequest", { requestId: "r", responseCode: 200, responsePhrase: "OK\r\n\r\n" }, "one line"],
  [
    "Fetch.fulfillRequest",
    { requestId: "r", responseCode: 200, responseHeaders: [{ name: "a", value: "\0\0" }] },
    "one line",
  ],
  ["Fetch.continueRequest", { requestId: "r", url: "chr\tome://settings" }, "web addresses"],
  ["Fetch.continueRequest", { requestId: "r", url: ["http://10.0.0.1/"] }, "url"],
])("%s %j is refused: %s", (method, params, reason) => {
  expect(ask(method, params).refused).toContain(reason);
});

test.each([
  ["Runtime.evaluate", { expression: "1" }],
  ["Fetch.enable", {}],
  ["Target.createBrowserContext", { disposeOnDetach: true }],
  ["Target.setAutoAttach", { autoAttach: true, waitForDebuggerOnStart: true, flatten: true, filter: [{}] }],
  ["Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false }],
  ["Browser.grantPermissions", { permissions: ["geolocation"], origin: "https://example.com" }],
  [
    "Input.dispatchDragEvent",
    { type: "drop", x: 1, y: 1, data: { items: [{ mimeType: "text/plain", data: "a" }], dragOperationsMask: 1 } },
  ],
])("%s %j is passed on as it is", (method, params) => {
  expect(ask(method, params)).toEqual({ kind: "pass", passed: params });
});

test.each([
  ["Fetch.fulfillRequest", { requestId: "r", responseCode: 200, body: "" }],
  ["Fetch.continueResponse", { requestId: "r", responseHeaders: [{ name: "A", value: "b" }] }],
])("documents that %s makes have no sockets", (method, params) => {
  const { kind, passed } = ask(method, params);
  const policy = { name: "Content-Security-Policy", value: "connect-src http: https: data: blob:" };
  expect(kind).toBe("pass");
  expect(passed).toMatchObject({ requestId: "r", responseHeaders: expect.arrayContaining([policy]) });
});

test("a request that is sent elsewhere is looked at again", () => {
  const filtered = filterCommand(written("Fetch.continueRequest", { requestId: "r", url: "http://2130706433/" }));
  expect(filtered).toMatchObject({ kind: "redirected_request", url: "http://127.0.0.1/" });
  expect(ask("Fetch.continueRequest", { requestId: "r", headers: [] }).kind).toBe("pass");
  expect(ask("Fetch.continueResponse", { requestId: "r" }).kind).toBe("pass");
});

test("of a key that is there twice, only the value that was looked at goes on", () => {
  const twice = '{"id":7,"method":"DOM.setFileInputFiles","method":"Page.enable","params":{},"extra":1}';
  expect(filterCommand(twice)).toEqual({ kind: "pass", text: '{"id":7,"method":"Page.enable","params":{}}' });
});

test("closing the browser is answered and not done", () => {
  expect(ask("Browser.close")).toEqual({ kind: "reply" });
});

test.each(["default", "allow", "allowAndName", "deny", "new"])(
  "downloads are denied where %s was asked for",
  (behavior) => {
    const wanted = { behavior, downloadPath: "/etc", eventsEnabled: true, browserContextId: "c" };
    const passed = { behavior: "deny", eventsEnabled: true, browserContextId: "c" };
    expect(ask("Browser.setDownloadBehavior", wanted)).toEqual({ kind: "pass", passed });
    expect(ask("Page.setDownloadBehavior", { behavior })).toEqual({ kind: "pass", passed: { behavior: "deny" } });
  },
);

test.each([
  "",
  "[]",
  "null",
  "{",
  '{"id":"x","method":"Page.navigate"}',
  '{"id":1}',
  '{"id":-1,"method":"Page.enable"}',
  '{"id":1,"method":"Page.enable","params":[]}',
])("%j is no command", (text) => {
  expect(filterCommand(text)).toMatchObject({ kind: "reply", text: expect.stringContaining("Not a command") });
});

test("a message of more values than a command has is refused before it is parsed", () => {
  const message = "A command has at most 200000 objects, lists, fields and list entries";
  const reply = { kind: "reply", text: JSON.stringify({ error: { code: -32_700, message } }) };
  expect(filterCommand("[".repeat(20_000_000))).toEqual(reply);
  const command = (values: number): string =>
    JSON.stringify({ id: 1, method: "Runtime.evaluate", params: { expression: `[${"1,".repeat(values)}1]` } });
  // A long text is one value.
  expect(filterCommand(command(1_000_000)).kind).toBe("pass");
});

const fields = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "1"]));

test.each([
  { method: "Fetch.enable", params: fields(101), message: "Fetch.enable: At most 100 parameters" },
  {
    method: "Network.setExtraHTTPHeaders",
    params: { headers: fields(1_001) },
    message: "Network.setExtraHTTPHeaders: headers: At most 1000 fields",
  },
  {
    method: "Fetch.fulfillRequest",
    params: { requestId: "r", responseCode: 200, responseHeaders: Array.from({ length: 10_001 }, () => ({})) },
    message: "Fetch.fulfillRequest: responseHeaders: At most 10000 entries",
  },
])("$message, or the error names the limit", ({ method, params, message }) => {
  const verdict = filterCommand(JSON.stringify({ id: 1, method, params, sessionId: "s" }));
  const reply = { id: 1, error: { code: -32_000, message }, sessionId: "s" };
  expect(verdict).toEqual({ kind: "reply", text: JSON.stringify(reply) });
});

test("a command with as many headers as the limit, or an argument of 100,000 values, passes", () => {
  const passes = (method: string, params: object): string =>
    filterCommand(JSON.stringify({ id: 1, method, params })).kind;
  expect(passes("Network.setExtraHTTPHeaders", { headers: fields(1_000) })).toBe("pass");
  const call = { functionDeclaration: "f", arguments: [{ value: Array(100_000).fill(1) }] };
  expect(passes("Runtime.callFunctionOn", call)).toBe("pass");
});
