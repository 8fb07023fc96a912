import { describe, expect, test } from "vitest";
import {
  childElement,
  findElement,
  findElements,
  parseXml,
  textOf,
  xmlGroups,
  type XmlNode,
} from "../../../../../src/content/documents/containers/xml-tree.ts";

test("knows a namespace by its name and not by its prefix", () => {
  const root = parseXml('<x:p xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0" x:style-name="A">hi</x:p>');
  expect(childElement(root, "text:p")).toMatchObject({ attributes: { "text:style-name": "A" }, children: ["hi"] });
});

test("keeps prefixes of namespaces that it does not know", () => {
  expect(findElement(parseXml('<a><foo:b xmlns:foo="urn:x"/></a>'), "foo:b")).toBeDefined();
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
