import { expect, test } from "vitest";
import { measurePage } from "../../../../../src/content/main-content/features/page-measures.ts";
import { parseHtml } from "../../../../../src/content/html/tree/tree.ts";

/** The facts of a page's texts, one paragraph each. */
function factsOf(texts: readonly string[]) {
  const html = texts.map((text) => `<p>${text}</p>`).join("");
  return measurePage(parseHtml(html), "https://example.com/").text;
}

const LEGAL = [
  "Copyright 2026 Example",
  "All Rights Reserved.",
  "Read our PrivAcy Policy",
  "Terms of use",
  "terms of service",
  "supercookies",
  "CooKie-Banner",
  "Alle Rechte vorbehalten",
  "Datenschutzerklärung",
  "DatenSchutz",
  "Impressum",
  "Todos los derechos",
  "Todos os direitos",
  "Politica de privacidad",
  "Tutti i diritti",
  "Informativa sulla privacy",
  "Alle rechten",
  "Wszelkie prawa",
  "Gizlilik",
  "Hak cipta",
  "© Example",
  "Mentions légales",
  "版权所有",
];

test.each(LEGAL)("“%s” sounds like small print, also at the ends of a long text", (phrase) => {
  const middle = "A sentence of plain words. ".repeat(20);
  expect([
    ...factsOf([phrase, `${phrase} ${middle}`, `${middle} ${phrase}`, `${middle} ${phrase} ${middle}`]).legal,
  ]).toEqual([1, 1, 1, 0]);
});

test("texts with some words of small print alone do not sound like it", () => {
  expect([
    ...factsOf(["A reserved seat", "Privacy matters", "In terms of money", "copyrights", "Plain words"]).legal,
  ]).toEqual([0, 0, 0, 0, 0]);
});

test.each([
  ["It ends.", 1],
  ["Does it?", 1],
  ["“It ends.”", 1],
  ["終わり。", 1],
  ["It goes on", 0],
  ["In 2026", 0],
  ["Until é", 0],
  ["A. B", 0],
])("“%s” ends like a sentence: %d", (text, isEnd) => {
  expect([...factsOf([text]).sentenceEnds]).toEqual([isEnd]);
});
