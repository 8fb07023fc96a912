import { describe, expect, test } from "vitest";
import {
  childElement,
  findElement,
  findElements,
  parseXml,
  textOf,
  walkElements,
  xmlGroups,
  type XmlNode,
} from "../../../../../src/content/documents/containers/xml-tree.ts";
import { WorkBudget } from "../../../../../src/core/work-budget.ts";
import { leastProcessorMs } from "../../../../processor-time.ts";

test("knows a namespace by its name and not by its prefix", () => {
  const root = parseXml('<x:p xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0" x:style-name="A">hi</x:p>');
  expect(childElement(root, "text:p")).toMatchObject({ attributes: { "text:style-name": "A" }, children: ["hi"] });
});

test("keeps prefixes of namespaces that it does not know", () => {
  expect(findElement(parseXml('<a><foo:b xmlns:foo="urn:x"/></a>'), "foo:b")).toBeDefined();
});

test("a prefix stands for what the nearest element around it declares, also behind elements that declare another", () => {
  const office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0";
  const text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0";
  const deep = "<q>".repeat(600) + `<x:y xmlns:x="${text}"/><x:z/>` + "</q>".repeat(600);
  const root = parseXml(`<a xmlns:x="${office}"><x:b/><x:c xmlns:x="${text}"><x:d/></x:c><x:e/>${deep}</a><x:f/>`);
  const names = findElements(root, "q").length;
  expect(names).toBe(600);
  const others = [...walkElements(root)].map(({ name }) => name).filter((name) => name !== "q");
  expect(others).toEqual(["a", "office:b", "text:c", "text:d", "office:e", "text:y", "office:z", "x:f"]);
});

test("elements with a namespace of their own take no time for those around them", async () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `xmlns:a${at}="b"`).join(" ");
  const xml = `<a ${many}>${'<b xmlns:z="c"/>'.repeat(2_000)}</a>`;
  expect(await leastProcessorMs(() => parseXml(xml), 1_500)).toBeLessThan(1_500);
});

test("the text of a part counts, whatever number of elements it has", () => {
  const budget = new WorkBudget({ bytes: 2_500_000 });
  const xml = `<a>${"x".repeat(1_000_000)}</a>`;
  expect(textOf(parseXml(xml, budget))).toHaveLength(1_000_000);
  expect(budget.steps).toBeGreaterThan(10_000);
  expect(textOf(parseXml(xml, budget))).toHaveLength(1_000_000);
  expect(textOf(parseXml(xml, budget))).toBe("");
  expect(budget.cutParts).toEqual(["the text of the document"]);
});

test("decodes the five entities and numbers, and expands none that a document defines", () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "xxxxxxxxxx"><!ENTITY y "&x;&x;"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&lt;&#65;&y;&f;</a>`;
  expect(textOf(childElement(parseXml(bomb), "a"))).toBe("<A&y;&f;");
});

test("cuts 100,000 nested elements at the depth that readers bear", () => {
  const root = parseXml("before" + "<a>".repeat(100_000) + "deep");
  expect(findElements(root, "a").length).toBe(1_000);
  expect(textOf(root)).not.toContain("deep");
});

test("reads what is left of XML that breaks off", () => {
  expect(textOf(findElement(parseXml("<a><b>one</b><b>two"), "a"))).toBe("onetwo");
});

describe("groups of children", () => {
  const NAMESPACES = 'xmlns:t="urn:oasis:names:tc:opendocument:xmlns:text:1.0"';
  const paragraph = (at: number): string =>
    `<t:p id="${at}">A${at} &amp; <t:s>ö<t:s/></t:s>${"y".repeat(at % 97)}</t:p>loose ${at}`;
  const list = (count: number): string => Array.from({ length: count }, (_, at) => paragraph(at)).join("");

  test.each([0, 1, 5, 9_000])("have together what the tree of %i has", (count) => {
    const xml = `<a ${NAMESPACES}><styles n="1"/><t:body>${list(count)}</t:body><after/></a>`;
    const children: XmlNode[] = [];
    let groups = 0;
    for (const { group, root } of xmlGroups(xml, "text:body")) {
      expect(findElement(root, "styles")?.attributes).toEqual({ n: "1" });
      expect(group.name).toBe("text:body");
      children.push(...group.children);
      groups++;
    }
    expect(children).toEqual(findElement(parseXml(xml), "text:body")?.children);
    expect(groups).toBe(count < 100 ? 1 : Math.ceil(xml.length / 131_072));
  });

  test("none without the element, and all that there is of one without an end", () => {
    expect([...xmlGroups("<a><b/></a>", "c")]).toEqual([]);
    expect([...xmlGroups("", "c")]).toEqual([]);
    const [one] = [...xmlGroups("<a><c><b>x", "c")];
    expect(one?.group.children).toEqual([{ name: "b", attributes: {}, children: ["x"] }]);
  });
});
