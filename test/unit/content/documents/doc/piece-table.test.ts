import { expect, test } from "vitest";
import { readDocument } from "../../../../../src/content/documents/read-document.ts";
import { compoundFile } from "../../../../fakes/compound-file.ts";

const source = { contentType: undefined, url: "https://example.com/a.doc" };
const TEXT_AT = 0x300;

/** The main stream of a document of Word 6: its file information block and 8-bit text. */
function word6(text: Uint8Array, { language = 0x409, flags = 0, footnote = 0 } = {}): Uint8Array {
  const main = new Uint8Array(TEXT_AT + text.length);
  const view = new DataView(main.buffer);
  view.setUint16(0, 0xa5dc, true);
  view.setUint16(2, 101, true);
  view.setUint16(6, language, true);
  view.setUint16(0x0a, flags, true);
  view.setUint32(0x18, TEXT_AT, true);
  view.setUint32(0x1c, TEXT_AT + text.length, true);
  view.setUint32(0x34, text.length - footnote, true);
  view.setUint32(0x38, footnote, true);
  main.set(text, TEXT_AT);
  return main;
}

const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const doc = (content: Uint8Array): Uint8Array => compoundFile([{ name: "WordDocument", content }]);

test("a document of Word 6 is read as paragraphs, with its notes", async () => {
  const text = latin(
    'The report\rCaf\xe9 \x13 HYPERLINK "https://example.com/b" \x14here\x15\rOne\x07Two\x07\x07A note\r',
  );
  const { markdown, warning } = await readDocument("doc", doc(word6(text, { footnote: 7 })), source);
  expect(markdown).toBe("The report\n\nCafé [here](https://example.com/b)\n\nOne\n\nTwo\n\n1. A note");
  expect(warning).toContain("Word 6");
});

test("a Russian document of Word 6 is read in its code page", async () => {
  const bytes = doc(word6(Uint8Array.of(0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 13), { language: 0x419 }));
  expect((await readDocument("doc", bytes, source)).markdown).toBe("Привет");
});

test("a fast-saved document of Word 6 is read in the order of its pieces", async () => {
  const main = word6(latin("second.\rfirst, "), { flags: 0x0004 });
  const table = new Uint8Array(5 + 3 * 4 + 2 * 8);
  const view = new DataView(table.buffer);
  view.setUint8(0, 2);
  view.setUint32(1, table.length - 5, true);
  [0, 7, 15].forEach((position, at) => view.setUint32(5 + at * 4, position, true));
  [TEXT_AT + 8, TEXT_AT].forEach((offset, at) => view.setUint32(17 + at * 8 + 2, offset, true));
  const whole = new Uint8Array(main.length + table.length);
  whole.set(main);
  whole.set(table, main.length);
  new DataView(whole.buffer).setUint32(0x160, main.length, true);
  new DataView(whole.buffer).setUint32(0x164, table.length, true);
  expect((await readDocument("doc", doc(whole), source)).markdown).toBe("first, second.");
});

test("a document whose table stream is missing is read without formatting", async () => {
  const main = word6(latin("The garden report\rFruit"));
  new DataView(main.buffer).setUint16(0, 0xa5ec, true);
  new DataView(main.buffer).setUint16(2, 0xc1, true);
  const { markdown, warning } = await readDocument("doc", doc(main), source);
  expect(markdown).toBe("The garden report\n\nFruit");
  expect(warning).toContain("read without formatting");
});

test("a document of Word 2 is refused with a code", async () => {
  const main = word6(latin("old"));
  new DataView(main.buffer).setUint16(0, 0xa5db, true);
  await expect(readDocument("doc", doc(main), source)).rejects.toMatchObject({ code: "SCRAPE_UNSUPPORTED_FILE_ERROR" });
});
