import { expect, test } from "vitest";
import { readResponse, readToken } from "../../../../src/tools/ingress/http-heads.ts";

const request = (...fields: string[]): Buffer =>
  Buffer.from(
    ["GET /x?authorization:%20Bearer%20url HTTP/1.1", ...fields, "", "Authorization: Bearer body"].join("\r\n"),
  );

test.each([
  [["Host: x", "Authorization: Bearer fc-1"]],
  [["AUTHORIZATION:bearer fc-1"]],
  [["authorization:  \tBearer \t fc-1  "]],
  [["Authorization: Token fc-1 more", "Host: x"]],
])("the token of %j is read as the service reads it", (fields) => {
  expect(readToken(request(...fields))).toBe("fc-1");
});

test.each([
  [["Host: x"]],
  [["Authorization: fc-1"]],
  [["X-Authorization: Bearer fc-1"]],
  [[`Cookie: ${"c".repeat(20_000)}`, "Authorization: Bearer fc-1"]],
])("no token is found in %.60j", (fields) => {
  expect(readToken(request(...fields))).toBeUndefined();
});

test("the head of a response tells its status, and whether it was counted", () => {
  const read = (text: string) => readResponse(Buffer.from(text));
  expect(read("HTTP/1.1 200 OK\r\nX-RateLimit-Limit: 100\r\n\r\n{}")).toEqual({ status: 200, isCounted: true });
  expect(read("HTTP/1.1 404 Not Found\r\n\r\n\r\nX-RateLimit-Limit: 1")).toEqual({ status: 404, isCounted: false });
  expect(read("more of a body")).toBeUndefined();
});
