import { expect, test } from "vitest";
import { readRequest } from "../../../../src/tools/ingress/http-heads.ts";
import { MessageReader } from "../../../../src/tools/ingress/message-reader.ts";

const NEXT = "GET /next HTTP/1.1\r\n\r\n";
const chunked = (body: string): string => `POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;

/** Reads a text in pieces of some bytes; returns what belongs to the first message, and whether all of it came. */
function readInPieces(text: string, size: number): { own: string; isComplete: boolean } {
  const reader = new MessageReader(readRequest);
  let taken = 0;
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.byteLength && !reader.isComplete; at += size) {
    const piece = bytes.subarray(at, at + size);
    const own = reader.take(piece);
    taken += own;
    if (own < piece.byteLength) break;
  }
  return { own: bytes.toString("utf8", 0, taken), isComplete: reader.isComplete };
}

test.each([
  ["without a body", "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["with bare line feeds", "GET /x HTTP/1.1\nHost: x\n\n"],
  ["after empty lines", "\r\n\n\r\nGET /x HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["with a body of known size", "POST /x HTTP/1.1\r\nContent-Length: 7\r\n\r\n\r\n\r\n{}\n"],
  ["in chunks", chunked("5\r\n\r\n\r\n1\r\nA;b=c\r\n1234567890\r\n0\r\n\r\n")],
  ["in chunks with trailers", chunked('2;a="b"\r\n{}\r\n00\r\nX-Sum: 1\r\nX-Other: 2\r\n\r\n')],
])("the end of a request %s is found, however it is cut", (_how, text) => {
  for (const size of [1, 2, 3, 5, 8, 1000]) {
    expect(readInPieces(text + NEXT, size)).toEqual({ own: text, isComplete: true });
    expect(readInPieces(text.slice(0, -1), size)).toEqual({ own: text.slice(0, -1), isComplete: false });
  }
});

test.each([
  ["a size that is no number", "zz\r\n"],
  ["a size with a sign", "+2\r\n{}\r\n"],
  ["a size with a prefix", "0x2\r\n{}\r\n"],
  ["no size", "\r\n"],
  ["a size beyond all numbers", "fffffffffffff\r\n"],
  ["a chunk that goes on", "2\r\n{}0\r\n\r\n"],
  ["a size before a bare line feed", "2\n{}\r\n0\r\n\r\n"],
  ["a bare line feed after a chunk", "2\r\n{}\n0\r\n\r\n"],
  ["a bare line feed after the trailers", "2\r\n{}\r\n0\r\n\n"],
  ["an extension without end", `2;${"x".repeat(10_000)}`],
  ["more than 10,000 small chunks", "1\r\nx\r\n".repeat(10_400)],
  ["trailers without end", `0\r\n${"X: 1\r\n".repeat(101)}`],
])("%s is refused in a body in chunks", (_what, body) => {
  expect(() => readInPieces(chunked(body), 1000)).toThrow();
});

test("a body of very many chunks is read when they are not small", () => {
  const text = chunked(`${`40\r\n${"x".repeat(64)}\r\n`.repeat(30_000)}0\r\n\r\n`);
  expect(readInPieces(text, 65_536).isComplete).toBe(true);
});

test("a head that is too long is refused, also one of empty lines", () => {
  expect(() => readInPieces(`GET /x HTTP/1.1\r\nX: ${"x".repeat(70_000)}`, 1000)).toThrow("longer than 65536 bytes");
  expect(() => readInPieces("\r\n".repeat(40_000), 1000)).toThrow("longer than 65536 bytes");
});
