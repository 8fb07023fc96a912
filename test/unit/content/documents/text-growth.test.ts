/**
 * Texts of documents that make expressions backtrack. Expressions count no steps, so their processor time is measured. Where
 * the work was quadratic, one text of this size took 3 to 60 s; linear work takes less than 0.2 s.
 */
import { describe, expect, test } from "vitest";
import { detectCharset } from "../../../../src/content/text/charset-detection.ts";
import { readJson } from "../../../../src/content/documents/text/json.ts";
import { kindFromText } from "../../../../src/content/documents/kind/kind-magic.ts";
import { joinLines, piecesToHtml, piecesToText } from "../../../../src/content/documents/pdf/join-lines.ts";
import { isTableOfContentsLine, listMarker } from "../../../../src/content/documents/pdf/lists/list-marker.ts";
import { withoutRunningHeads } from "../../../../src/content/documents/pdf/running-heads.ts";
import type { Line, TextRun } from "../../../../src/content/documents/pdf/text-run.ts";
import { Vocabulary, wholeWords } from "../../../../src/content/documents/pdf/vocabulary.ts";
import { readDocument } from "../../../../src/content/documents/read-document.ts";
import { HOSTILE_FILES } from "../../../hostile/hostile-office.ts";
import { processorMs } from "../../../processor-time.ts";
import { isShort, sampleOf } from "../../../sample.ts";

const SIZE = 100_000;
const MAX_MS = 2_000;
const NO_WORDS = new Vocabulary();

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const run = (text: string): TextRun => ({ text, left: 0, right: 10, baseline: 10, size: 10, isBold: false, isItalic: false, isMonospaced: false, isRightToLeft: false, href: undefined }); // prettier-ignore
const line = (text: string): Line => ({ text, left: 0, right: 10, top: 5, bottom: 12, baseline: 10, size: 10, segments: [], isBold: false, isItalic: false, isMonospaced: false, isSmallCaps: false }); // prettier-ignore
const page = (text: string, pageNumber: number) => ({ pageNumber, width: 600, height: 800, regions: [[line(text)]], asides: [], rules: [] }); // prettier-ignore

const READERS: Record<string, (text: string) => unknown> = {
  wholeWords,
  Vocabulary: (text) => new Vocabulary([[{ text }, { text }]]),
  piecesToText: (text) => piecesToText(joinLines([[run(text)]], NO_WORDS)),
  piecesToHtml: (text) => piecesToHtml(joinLines([[run(text)]], NO_WORDS), "rich"),
  joinLines: (text) => joinLines([[run(text)], [run(text)], [run(text)]], NO_WORDS),
  listMarker: (text) => listMarker(`1. ${text}`),
  isTableOfContentsLine,
  withoutRunningHeads: (text) => withoutRunningHeads([page(text, 1), page(text, 2), page(text, 3)]),
  readJson: (text) => readJson(encode(text), "application/json"),
  "strings of JSON": (text) => readJson(encode(JSON.stringify([text])), "application/json"),
  kindFromText: (text) => kindFromText(encode(`<${text}`)),
  detectCharset: (text) => detectCharset(Uint8Array.from([0xe9, ...encode(text)])),
}; // prettier-ignore

const PIECES = ["x", " ", "\n", ".", ". ", " .", "-", "a-", "--", "1", "1 ", "# ", "<", "<!DOCTYPE[", "]", "<!--", "<?", "<!DOCTYPE", "<script", "<style>", "</style", "<html lang", "<meta", "a:", '"', '\\"', "[", "{", ",", "\u00ad"]; // prettier-ignore

/** In the short form, each reader has every third piece, and each piece every third reader. */
const piecesFor = (reader: number): readonly string[] =>
  isShort() ? PIECES.filter((_, piece) => (piece + reader) % 3 === 0) : sampleOf(PIECES, 8);

describe.each(Object.values(READERS).map((read, reader) => ({ name: Object.keys(READERS)[reader], read, reader })))(
  "$name",
  ({ read, reader }) => {
    test("takes time in proportion to the text, whatever it repeats", async () => {
      for (const piece of piecesFor(reader)) {
        const text = `a${piece.repeat(SIZE / piece.length)}\u0001`;
        expect(await processorMs(() => read(text)), piece).toBeLessThan(MAX_MS);
      }
    });
  },
);

test("the start of a file with document types that do not end is looked at once", async () => {
  const start = "<x>" + "<!DOCTYPE[".repeat(200) + "]".repeat(2_000);
  const look = (): void => {
    for (let time = 0; time < 50; time++) expect(kindFromText(encode(start))).toBe("xml");
  };
  expect(await processorMs(look)).toBeLessThan(MAX_MS);
});

test.each([
  ["<?xml version='1.0'?><!-- <html> --><!DOCTYPE rss [<!ENTITY a '>'>]><rss>", "feed"],
  ["<?xml version='1.0'?><!DOCTYPE html><html>", "html"],
  ["<?xml version='1.0'?><!-- a --><feed xmlns='http://www.w3.org/2005/Atom'>", "feed"],
])("%s is %s", (text, kind) => {
  expect(kindFromText(encode(text))).toBe(kind);
});

test.each([
  ["well-known words end here", ["well-known", "words", "end"]],
  ["cut- off at the en", ["off", "at", "the"]],
  ["a--b, -c; d-", ["b", "c"]],
])("whole words of %j", (text, words) => {
  expect(wholeWords(text)).toEqual(words);
});

test("JSON of a thousand levels is shown as it is read, and takes no longer than its size", async () => {
  const bytes = HOSTILE_FILES["json: arrays within arrays, n deep"].make(1_000);
  const { markdown } = await readDocument("json", bytes, { url: "https://a.example/", contentType: undefined });
  expect(markdown.split("\n")).toHaveLength(2_001);
});
