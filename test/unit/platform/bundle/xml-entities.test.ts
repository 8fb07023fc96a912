import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { HTML_ENTITIES, XML_ENTITIES } from "../../../../src/platform/bundle/xml-entities.ts";

test("the entities of XML are those of xmldom, and HTML has no others here", () => {
  const mammoth = createRequire(createRequire(import.meta.url).resolve("mammoth"));
  const original = mammoth("@xmldom/xmldom/lib/entities") as Record<string, Record<string, string>>;
  expect({ ...original["XML_ENTITIES"] }).toEqual(XML_ENTITIES);
  expect(HTML_ENTITIES).toEqual(XML_ENTITIES);
});
