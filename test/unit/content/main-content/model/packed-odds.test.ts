import { expect, test } from "vitest";
import { packOdds, unpackOdds } from "../../../../../src/content/main-content/model/packed-odds.ts";

test("packed odds come back as they were", () => {
  const odds = {
    classes: new Map([
      ["footer", -4.1],
      ["#menu", -3.9],
      ["article", 2.5],
    ]),
    texts: new Map([["cookies", -3]]),
    headings: new Map([
      ["related", -2.6],
      ["similar", -2.6],
    ]),
  };
  expect(unpackOdds(packOdds(odds))).toEqual(odds);
});

test("an empty table stays empty", () => {
  const empty = { classes: new Map(), texts: new Map(), headings: new Map() };
  expect(unpackOdds(packOdds(empty))).toEqual(empty);
});
