import { expect, test } from "vitest";
import {
  childElement,
  findElement,
  findElements,
  parseXml,
  textOf,
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
