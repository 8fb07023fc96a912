import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../processor-time.ts";
import { FormParts, MAX_HEAD_BYTES, MAX_TEXT_BYTES } from "../../../../src/http/body/form-parts.ts";

const MARK = "--a-line";
const LONG = "x".repeat(MAX_HEAD_BYTES + 1);

/** What is too long in a form that comes in pieces of some bytes. */
function tooLong(form: string, pieceBytes: number): "head" | "text" | undefined {
  const parts = new FormParts(Buffer.from(MARK));
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const found = parts.take(bytes.subarray(at, at + pieceBytes));
    if (found !== undefined) return found;
  }
  return undefined;
}

const SIZES = [1, 2, 3, 5, 11, 1_000, 1_000_000];

test.each([
  ["a long content", `${MARK}\r\nA: b\r\n\r\n${LONG}\r\n${MARK}--\r\n`],
  ["a boundary within a line", `${MARK}\r\nA: b\r\n\r\nsee ${MARK} ${LONG}\r\n${MARK}--\r\n`],
  ["a part without content", `${MARK}\r\nA: b\r\n\r\n${MARK}\r\nA: b\r\n\r\n${LONG}\r\n${MARK}--`],
  ["text before and behind the form", `${LONG}\r\n${MARK}\r\nA: b\r\n\r\n\r\n${MARK}--\r\n${LONG}`],
  ["a head of as many bytes as may be", `${MARK}${LONG.slice(5)}\r\n\r\n${LONG}`],
  ["no part", LONG],
])("%s is no long head", (_what, form) => {
  for (const size of SIZES) expect(tooLong(form, size), `in pieces of ${size} bytes`).toBe(undefined);
});

test.each([
  ["of the first part", `${MARK}\r\nA: ${LONG}`],
  ["behind text", `text ${MARK}\r\nA: ${LONG}\r\n\r\n`],
  ["of a later part", `${MARK}\r\nA: b\r\n\r\ncontent\r\n${MARK}\r\nA: ${LONG}`],
  ["right behind another head", `${MARK}\r\nA: b\r\n\r\n${MARK}\r\nA: ${LONG}`],
  ["behind a form that has ended", `${MARK}--\r\n${MARK}\r\nA: ${LONG}`],
  ["of one byte too many", `${MARK}${LONG.slice(3)}\r\n\r\n`],
])("a long head %s is found", (_where, form) => {
  for (const size of SIZES) expect(tooLong(form, size), `in pieces of ${size} bytes`).toBe("head");
});

test("the texts of a form have 10 MB together, and its files are not counted", () => {
  const part = (head: string, bytes: number): string => `${MARK}\r\n${head}\r\n\r\n${"x".repeat(bytes)}\r\n`;
  const text = 'Content-Disposition: form-data; name="options"';
  const file = 'Content-Disposition: form-data; name="file"; filename="a.html"';
  const half = MAX_TEXT_BYTES / 2;
  for (const size of [65_536, 100_000_000]) {
    expect(tooLong(`${part(text, half)}${part(file, 3 * half)}${part(text, half - 100)}${MARK}--`, size)).toBe(
      undefined,
    );
    expect(tooLong(`${part(text, half)}${part(file, 1)}${part(text, half + 100)}${MARK}--`, size)).toBe("text");
    expect(tooLong(part(text, MAX_TEXT_BYTES + 100), size)).toBe("text");
  }
});

test("thousands of parts in one piece take the time of their bytes", async () => {
  const head = Buffer.from("Content-Disposition: form-data; name=a; filename=b\r\n\r\n");
  const part = Buffer.concat([Buffer.from(`\r\n${MARK}\r\n`), head]);
  const form = Buffer.alloc(20_000 * part.length, part);
  const read = () => new FormParts(Buffer.from(MARK)).take(form);
  expect(read()).toBeUndefined();
  expect(await leastProcessorMs(read, 200)).toBeLessThan(200);
});
