import { expect, test } from "vitest";
import { redact, toLogLine } from "../../../../src/core/text/redact.ts";

const KEY = `fc-${"0123456789abcdef".repeat(2)}`;

test.each([
  { why: "a key", text: `No key ${KEY} here`, shown: "No key … here" },
  { why: "a bearer token", text: "Authorization: Bearer abc.def", shown: "Authorization: Bearer …" },
  {
    why: "the query of an address",
    text: "GET https://user:word@example.com/a/b?token=x#frag failed.",
    shown: "GET https://example.com/a/b failed.",
  },
  { why: "tokens in a path", text: "wss://example.com/view/abcdef0123456789abcdef", shown: "wss://example.com/view/…" },
  {
    why: "a document that is no JSON",
    text: `SyntaxError: Unexpected token '<', "<h1>My di"... is not valid JSON`,
    shown: "SyntaxError: Unexpected token '<' … is not valid JSON",
  },
  { why: "nothing of an ordinary sentence", text: "The job 12 has ended", shown: "The job 12 has ended" },
])("leaves out $why", ({ text, shown }) => {
  expect(redact(text)).toBe(shown);
});

test("a line is JSON with every field in its place", () => {
  const line = toLogLine({
    event: "request",
    ms: 3,
    isFine: true,
    address: "https://example.com/?key=1",
    absent: undefined,
  });
  expect(JSON.parse(line)).toEqual({ event: "request", ms: 3, isFine: true, address: "https://example.com/" });
});
