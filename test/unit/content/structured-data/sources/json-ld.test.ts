import { expect, test } from "vitest";
import { readHead } from "../../../../../src/content/structured-data/read-structured-data.ts";
import { readJsonLd } from "../../../../../src/content/structured-data/sources/json-ld.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";

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

test("repairing is counted, and longer scripts are not repaired", () => {
  const counted = new WorkBudget();
  readJsonLd([`[${"1 ".repeat(2_000)}]`], URL, { budget: counted });
  expect(counted.steps).toBeGreaterThan(30 * 4_000);
  const budget = new WorkBudget();
  expect(readJsonLd([`[${BROKEN} ${"1 ".repeat(80_000)}]`], URL, { budget })).toEqual([]);
  expect(budget.warning).toContain("structured data");
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

test.each([
  { name: "Redacci&oacute;n", read: "Redacción" },
  { name: "Redacci&amp;oacute;n", read: "Redacción" },
  { name: "Fish &amp; chips &#x2013; &#8364;4", read: "Fish & chips – €4" },
  { name: "How to write &amp;lt;b&amp;gt;", read: "How to write &lt;b&gt;" },
])("a text that the site escaped is read as text: $name", ({ name, read }) => {
  const [record] = readJsonLd([JSON.stringify({ "@type": "Organization", name })], URL);
  expect(record?.facts).toMatchObject([{ label: "name", value: { text: read } }]);
});

test("an address keeps parameters that look like entities", () => {
  const [record] = readJsonLd([JSON.stringify({ "@type": "Thing", url: "https://a.example/?a=1&copy=2&lt=3" })], URL);
  expect(record?.facts).toMatchObject([{ value: { href: "https://a.example/?a=1&copy=2&lt=3" } }]);
});

test.each([
  ["1e-8", "0.00000001"],
  ["-2.5E-9", "-0.0000000025"],
  ["1.25e+22", "12500000000000000000000"],
  ["1e308", "1e+308"],
  ["1e-300", "1e-300"],
  ["12345678901234567890", "12345678901234567890"],
  ["-9007199254740993", "-9007199254740993"],
  ["19.99", "19.99"],
  ["4006381333931", "4006381333931"],
])("the number %s is the text %s", (written, text) => {
  const scripts = [`{"@type":"Product","name":"Kettle","gtin": ${written} }`];
  const facts = [{ value: { text: "Kettle" } }, { label: "gtin", value: { text, machine: text } }];
  expect(readJsonLd(scripts, URL)).toMatchObject([{ facts }]);
});

test("the digits of long numbers are kept in long scripts too", () => {
  const jsonLd = `{"@type":"Product","gtin":12345678901234567890,"description":"${"a ".repeat(40_000)}"}`;
  expect(readJsonLd([jsonLd], URL)).toMatchObject([{ facts: [{ value: { text: "12345678901234567890" } }, {}] }]);
});

test("the head of a page is read within the page's budget, and quickly also with long numbers", () => {
  const numbers = Array.from({ length: 20_000 }, () => "12345").join(",");
  const jsonLd = [`{"@type":"Product","name":"Kettle","gtin":1234567890123456789,"x":[${numbers}]}`];
  const budget = new WorkBudget();
  const before = budget.left.steps;
  const { records } = readHead({ title: "", metas: [], links: [], baseHref: "", jsonLd, language: "" }, URL, budget);
  expect(records).toMatchObject([{ facts: [{ label: "name", value: { text: "Kettle" } }, { label: "gtin" }, {}] }]);
  expect(before - budget.left.steps).toBeGreaterThan(20_000);
});

test("arrays within arrays are read up to a depth, and what is deeper is named as missing", () => {
  const read = (depth: number, budget: WorkBudget) => {
    const nested = `${"[".repeat(depth)}"x"${"]".repeat(depth)}`;
    return readJsonLd([`{"@type":"Product","name":"Kettle","colour":${nested}}`], URL, { budget });
  };
  const [shallow, deep] = [new WorkBudget(), new WorkBudget()];
  expect(read(5, shallow)).toMatchObject([{ facts: [{ label: "name" }, { label: "colour", value: { text: "x" } }] }]);
  expect(shallow.cutParts).toEqual([]);
  expect(read(20_000, deep)).toMatchObject([{ facts: [{ label: "name", value: { text: "Kettle" } }] }]);
  expect(deep.cutParts).toEqual(["structured data"]);
});
