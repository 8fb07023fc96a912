import fc from "fast-check";
import { expect, test } from "vitest";
import { readPlainAddress } from "../../../../src/core/url/plain-address.ts";

const BASE = "https://shop.example:8443/a/b?c#d";

test.each([
  "/",
  "/a/b.html?x=1&y=%20#top",
  "/a//b/?",
  "/a#",
  "/.well-known/x",
  "/a...b/..c",
  "https://a-1.b.example/x?y#z",
])("%s is seen through", (address) => expect(readPlainAddress(address, BASE)).toBe(URL.parse(address, BASE)?.href));

test.each([
  ..."//host/x|/a/../b|/a/.|/./a|/a b|/a%2e%2e/b|/é|/a\\b|/it's|a/b|#x|?x".split("|"),
  ..."https://a.example|https://A.example/|https://1.2/|https://a.0x1/|https://a.example:443/|https://u@a.example/".split(
    "|",
  ),
  ..."ftp://a.example/|javascript:x|https://xn--a.example/|https://a.example./".split("|"),
])("%s is left to a parser", (address) => expect(readPlainAddress(address, BASE)).toBeUndefined());

test("bases with names of users, and those of other schemes, are left to a parser", () => {
  expect(readPlainAddress("/x", "https://user:word@a.example/")).toBeUndefined();
  expect(readPlainAddress("/x", "file:///a/b")).toBeUndefined();
  expect(readPlainAddress("/x", "nothing")).toBeUndefined();
  expect(readPlainAddress("https://a.example/", "nothing")).toBeUndefined();
  expect(readPlainAddress("/x", "http://a.example:80/y")).toBe("http://a.example/x");
});

test("what is seen through is what a parser says", () => {
  const piece = fc.constantFrom(
    ..."/ // . .. a B 1 -- - _ ~ ! $ & ' ( ) * + , ; = : @ % %2e %2E %41 ? # [ ] ^ ` { } | < > é 日 xn-- 0x1 .com a.example b.org 1.2.3.4".split(
      " ",
    ),
    " ",
    "\t",
    "\n",
    "\\",
    '"',
    "\u0000",
    "\u00ad",
  );
  const start = fc.constantFrom("/", "http://a.example/", "https://", "https://a.b-c.org", "http://x", "");
  const bases = fc.constantFrom(BASE, "http://a.example", "https://u:p@a.example/x", "http://127.0.0.1:8080/a/", "");
  fc.assert(
    fc.property(start, fc.array(piece, { maxLength: 8 }), bases, (first, pieces, base) => {
      const address = (first + pieces.join("")).trim();
      const plain = readPlainAddress(address, base);
      if (plain !== undefined) expect(plain).toBe(URL.parse(address, base)?.href);
    }),
    { numRuns: 20_000 },
  );
});
