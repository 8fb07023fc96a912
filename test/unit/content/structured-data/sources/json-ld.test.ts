import { expect, test } from "vitest";
import { readJsonLd } from "../../../../../src/content/structured-data/sources/json-ld.ts";

const URL = "https://a.example/";
const BROKEN = `{"@type":"Product","name":"Kettle",}`;

test("the scripts of a page are read once", () => {
  const scripts = ['{"@type":"Product","name":"Kettle"}'];
  expect(readJsonLd(scripts, URL, { isQuick: true })).toBe(readJsonLd(scripts, URL));
  expect(readJsonLd(scripts, "https://b.example/")).toEqual(readJsonLd(scripts, URL));
});

test("what a quick reader leaves out is read when all is wanted", () => {
  const scripts = [BROKEN];
  expect(readJsonLd(scripts, URL, { isQuick: true })).toEqual([]);
  expect(readJsonLd(scripts, URL)).toMatchObject([{ types: ["Product"] }]);
});

test("a quick reader does not follow references in circles for long", () => {
  const nodes = Array.from({ length: 40 }, (_, node) => ({
    "@id": `#${node}`,
    name: `Node ${node}`,
    about: Array.from({ length: 40 }, (_unused, other) => ({ "@id": `#${other}` })),
  }));
  const scripts = [JSON.stringify({ "@graph": nodes })];
  const size = (isQuick: boolean) => JSON.stringify(readJsonLd([...scripts], URL, { isQuick })).length;
  expect(size(true)).toBeLessThan(size(false) / 5);
});
