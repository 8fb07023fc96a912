import { expect, test } from "vitest";
import { questionStarts, findRetiredWords, retiredWordsOf } from "../../../../src/tools/testing/retired-words.ts";

const GLOSSARY = `# Glossary

| term | meaning | do not use |
|---|---|---|
| memory budget | The bytes in memory. | \`ByteRoom\`, \`byte room\` |
| lease | The right to work. | |
| options | What a caller asks for. | \`wish\` |
`;

const words = retiredWordsOf(GLOSSARY);

test("the last column of a glossary's tables names the retired words", () => {
  expect(words).toEqual([
    { word: "ByteRoom", term: "memory budget" },
    { word: "byte room", term: "memory budget" },
    { word: "wish", term: "options" },
  ]);
});

test("a retired word is found with its line and its replacement", () => {
  expect(findRetiredWords("const a = 1;\n/** A Wish of the caller. */\nnew ByteRoom();", words)).toEqual([
    { line: 2, word: "Wish", instead: "options" },
    { line: 3, word: "ByteRoom", instead: "memory budget" },
  ]);
});

test("a part of a longer word is not a use of it", () => {
  expect(findRetiredWords("wishbone, un-wish, byteRooms, ByteRoomy, byteroom", words)).toEqual([]);
});

test("comments that begin with a question word are found by their lines", () => {
  expect(questionStarts("// Whether it is there.\n/** What a page has. */\n * Who may read it.")).toEqual([1, 2, 3]);
  expect(questionStarts("// The pages that Who reads.\nconst What = 1; // What\nWhether in a text")).toEqual([]);
});
