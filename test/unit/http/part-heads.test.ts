import { expect, test } from "vitest";
import { MAX_HEAD_BYTES, PartHeads } from "../../../src/http/part-heads.ts";

const MARK = "--a-line";
const LONG = "x".repeat(MAX_HEAD_BYTES + 1);

/** Whether all heads are short, of a form that comes in pieces of some bytes. */
function areShort(form: string, pieceBytes: number): boolean {
  const heads = new PartHeads(Buffer.from(MARK));
  const bytes = Buffer.from(form);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    if (!heads.take(bytes.subarray(at, at + pieceBytes))) return false;
  }
  return true;
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
  for (const size of SIZES) expect(areShort(form, size), `in pieces of ${size} bytes`).toBe(true);
});

test.each([
  ["of the first part", `${MARK}\r\nA: ${LONG}`],
  ["behind text", `text ${MARK}\r\nA: ${LONG}\r\n\r\n`],
  ["of a later part", `${MARK}\r\nA: b\r\n\r\ncontent\r\n${MARK}\r\nA: ${LONG}`],
  ["right behind another head", `${MARK}\r\nA: b\r\n\r\n${MARK}\r\nA: ${LONG}`],
  ["behind a form that has ended", `${MARK}--\r\n${MARK}\r\nA: ${LONG}`],
  ["of one byte too many", `${MARK}${LONG.slice(3)}\r\n\r\n`],
])("a long head %s is found", (_where, form) => {
  for (const size of SIZES) expect(areShort(form, size), `in pieces of ${size} bytes`).toBe(false);
});
