import { expect, test } from "vitest";
import { readRequest, readResponse, withoutExtensions } from "../../../../src/tools/ingress/http-heads.ts";

const request = (...fields: string[]) => readRequest(["GET /x?authorization:%20url HTTP/1.1", ...fields].join("\r\n"));

test.each([
  [["Host: x", "Authorization: Bearer fc-1"]],
  [["AUTHORIZATION:bearer fc-1"]],
  [["authorization:  \tBearer \t fc-1  "]],
  [["Authorization: Token fc-1 more", "Host: x"]],
  [[`Cookie: ${"c".repeat(20_000)}`, "Authorization: Bearer fc-1"]],
])("the token of %.60j is read as the service reads it", (fields) => {
  expect(request(...fields).token).toBe("fc-1");
});

test.each([[["Host: x"]], [["Authorization: fc-1"]], [["X-Authorization: Bearer fc-1"]]])(
  "no token is found in %j",
  (fields) => {
    expect(request(...fields).token).toBeUndefined();
  },
);

test.each([
  [[], 0],
  [["Content-Length: 5"], 5],
  [["content-length:5 "], 5],
  [["Content-Length: 5", "CONTENT-LENGTH: 5"], 5],
  [["Transfer-Encoding: chunked"], undefined],
  [["transfer-encoding: gzip,\tChunked"], undefined],
])("the body of a request with %j has %s bytes", (fields, left) => {
  expect(request(...fields).body.left).toBe(left);
});

test.each([
  ["Content-Length: 5", "Content-Length: 6"],
  ["Content-Length: 5, 5"],
  ["Content-Length: +5"],
  ["Content-Length: 0x5"],
  ["Content-Length:"],
  ["Transfer-Encoding: chunked", "Content-Length: 5"],
  ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"],
  ["Transfer-Encoding: chunked, gzip"],
  ["Transfer-Encoding: xchunked"],
  ["Content-Length : 5"],
  ["X: 1\rContent-Length: 5"],
  ["X: 1\0"],
  ["X: 1", " Content-Length: 5"],
  ["no colon"],
  [""],
])("a request with %j is refused: two readers may disagree about its end", (...fields) => {
  expect(() => request(...fields)).toThrow();
});

test("a whole URL in the first line names the host of the Host header", () => {
  for (const target of ["http://x/health", "http://X", "https://x?y", "/other://y", "*"]) {
    expect(readRequest(`GET ${target} HTTP/1.1\r\nHost: x`).isHead).toBe(false);
  }
  for (const target of [
    "http://other/health",
    "http://x:80/",
    "http://x@other/",
    "HTTP://other?x",
    "ws://other",
    "http:///x",
  ]) {
    expect(() => readRequest(`GET ${target} HTTP/1.1\r\nHost: x`)).toThrow("names another host");
  }
  expect(() => readRequest("GET http://x/ HTTP/1.1")).toThrow("names another host");
});

test.each([["PRI * HTTP/2.0"], ["GET /x"], ["GET /a b HTTP/1.1"], ["CONNECT x:1 HTTP/1.1"], [""]])(
  "%j is no first line of a request",
  (line) => {
    expect(() => readRequest(`${line}\r\nHost: x`)).toThrow();
  },
);

test("the head of a response tells its status, whether it was counted, and where it ends", () => {
  const read = (text: string, isHead = false) => {
    const { body, ...head } = readResponse(text, { isHead });
    return { ...head, left: body.left, isComplete: body.isComplete };
  };
  expect(read("HTTP/1.1 200 OK\r\nX-RateLimit-Limit: 100\r\nContent-Length: 2")).toEqual({
    status: 200,
    isCounted: true,
    left: 2,
    isComplete: false,
  });
  expect(read("HTTP/1.1 404 Not Found")).toEqual({
    status: 404,
    isCounted: false,
    left: undefined,
    isComplete: false,
  });
  expect(read("HTTP/1.1 200 OK\r\nContent-Length: 2", true)).toMatchObject({ isComplete: true });
  for (const status of [100, 101, 204, 304]) {
    expect(read(`HTTP/1.1 ${status} x\r\nContent-Length: 2`)).toMatchObject({ status, isComplete: true });
  }
  expect(() => read("more of a body")).toThrow();
});

test("fields of many spaces are read in one pass", () => {
  const spaces = " ".repeat(60_000);
  const startedAt = process.cpuUsage();
  request(
    `X:${spaces}a${spaces}b`,
    `Authorization:${spaces}a${spaces}b`,
    `Transfer-Encoding:${spaces},${spaces}chunked`,
  );
  const { user } = process.cpuUsage(startedAt);
  expect(user / 1000).toBeLessThan(500);
});

test.each([
  ["the URL of a session's socket", "/view/A/socket?token=t", [], { token: "t", isSessionToken: true, session: "a" }],
  ["a session without a token", "/v2/browser/A", [], { token: undefined, isSessionToken: false, session: "a" }],
  [
    "a key for a session",
    "/v2/browser/A/cdp?token=t",
    ["Authorization: Bearer k"],
    { token: "k", isSessionToken: false, session: "a" },
  ],
  [
    "the sub-protocol of a job's socket",
    "/v2/crawl/A?token=t",
    ["Upgrade: websocket", "Sec-WebSocket-Protocol: k, other"],
    { token: "k", isSessionToken: false, session: undefined },
  ],
  [
    "a sub-protocol without a socket",
    "/v2/crawl/A",
    ["Sec-WebSocket-Protocol: k"],
    { token: undefined, isSessionToken: false, session: undefined },
  ],
])("the caller is read from %s", (_where, target, fields, caller) => {
  expect(readRequest([`GET ${target} HTTP/1.1`, ...fields].join("\r\n"))).toMatchObject(caller);
});

test.each(["x/v2/crawl/1?", "x?", "x#", "x\\", "user@x"])(
  "a Host header of %s, which would be another path for the service, is refused",
  (host) => {
    expect(() => request(`Host: ${host}`)).toThrow("Requests for this host are refused");
  },
);

test("a request for a WebSocket has no body, one for another protocol may have one", () => {
  for (const upgrade of ["Upgrade: websocket", "upgrade: WebSocket, x"]) {
    expect(() => request(upgrade, "Content-Length: 1")).toThrow("has no body");
    expect(() => request(upgrade, "Transfer-Encoding: chunked")).toThrow("has no body");
    expect(request(upgrade, "Content-Length: 0").body.isComplete).toBe(true);
  }
  expect(request("Upgrade: h2c", "Content-Length: 1").body.left).toBe(1);
});

test("offers to compress messages are taken out of a head, and refused beside a body", () => {
  const head =
    "GET /ws HTTP/1.1\r\nHost: x\r\nSec-WebSocket-Extensions: permessage-deflate;\r\nsec-websocket-extensions:a\nUpgrade: websocket\r\n\r\n";
  expect(readRequest(head.trimEnd()).offersExtensions).toBe(true);
  expect(withoutExtensions(Buffer.from(head)).toString()).toBe(
    "GET /ws HTTP/1.1\r\nHost: x\nUpgrade: websocket\r\n\r\n",
  );
  for (const body of ["Content-Length: 1", "Transfer-Encoding: chunked"]) {
    expect(() => request("Sec-WebSocket-Extensions: permessage-deflate", body)).toThrow("has no body");
  }
});
