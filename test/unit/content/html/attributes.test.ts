import { expect, test } from "vitest";
import { readAttributeValues } from "../../../../src/content/html/attributes.ts";
import { viewOf } from "../reading.ts";

const PAGE = viewOf('<ul><li data-id=1>a<li data-id=2 id=x>b<li>c</ul><a href="/y" title="">d</a>');

test.each([
  { selector: "li", attribute: "data-id", values: ["1", "2"] },
  { selector: "li", attribute: "id", values: ["1", "x"] },
  { selector: "a", attribute: "HREF", values: ["/y"] },
  { selector: "a", attribute: "title", values: [""] },
  { selector: "a", attribute: "constructor", values: [] },
  { selector: "nav", attribute: "id", values: [] },
])("$attribute of $selector is $values", ({ selector, attribute, values }) => {
  expect(readAttributeValues(PAGE, { selector, attribute })).toEqual(values);
});
