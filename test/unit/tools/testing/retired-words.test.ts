import { expect, test } from "vitest";
import {
  findRetiredNames,
  findRetiredWords,
  questionStarts,
  retiredWordsOf,
} from "../../../../src/tools/testing/retired-words.ts";

const GLOSSARY = `# Glossary

| term | meaning | do not use |
|---|---|---|
| memory budget | The bytes in memory. | \`ByteRoom\`, \`byte room\` |
| lease | The right to work. | |
| options | What a caller asks for. | \`wish\` |
| worker run | One invocation. | \`JobTurn\`, \`turn\` in names |
`;

const words = retiredWordsOf(GLOSSARY);

test("the last column of a glossary's tables names the retired words", () => {
  expect(words).toEqual([
    { word: "ByteRoom", term: "memory budget", inNames: false },
    { word: "byte room", term: "memory budget", inNames: false },
    { word: "wish", term: "options", inNames: false },
    { word: "JobTurn", term: "worker run", inNames: false },
    { word: "turn", term: "worker run", inNames: true },
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

test("a word that is retired in names is found in each part of a name, and nowhere else", () => {
  const text = [
    "// Teams take turns: each turn is short.",
    'const text = "turn JavaScript on";',
    "function inTurn(turnId: string) {",
    "  return returned.saturn ?? this.#lastTurn.turndown;",
    "}",
    "const TURN_MS = 1;",
  ].join("\n");
  expect(findRetiredWords(text, words)).toEqual([]);
  expect(findRetiredNames("code.ts", text, words)).toEqual([
    { line: 3, word: "inTurn", instead: "worker run" },
    { line: 3, word: "turnId", instead: "worker run" },
    { line: 4, word: "lastTurn", instead: "worker run" },
    { line: 6, word: "TURN_MS", instead: "worker run" },
  ]);
});
