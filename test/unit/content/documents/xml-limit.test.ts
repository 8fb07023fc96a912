import { expect, test } from "vitest";
import { limitXml } from "../../../../src/content/documents/xml-limit.ts";
import { WorkBudget } from "../../../../src/core/work-budget.ts";

const limited = (text: string) => limitXml(text, { maxElements: 50_000, budget: new WorkBudget() });

test.each([
  ["elements behind the root", "<a>b</a>", "<c/>"],
  ["empty elements behind an empty root", "<a/>", "<c d='e'/>"],
  ["elements behind an end tag that is one too many", "<a></a></b>", "<c/>"],
  ["comments behind the root", "<a/>", "<!-- c -->"],
  ["texts and instructions behind the root", "<a/>", "text <?c d?>"],
])("of many %s, few are kept, since readers compare each with all others", (_what, root, outside) => {
  const few = root + outside.repeat(50);
  expect(limited(few)).toEqual({ text: few, isCut: false });
  const { text } = limited(root + outside.repeat(20_000));
  expect(text.startsWith(few)).toBe(true);
  expect(text.length).toBeLessThan(few.length + 51 * outside.length);
});

test("of many comments before the root, few are kept", () => {
  const root = '<?xml version="1.0"?><!-- c --><a>b</a>';
  expect(limited(root).text).toBe(root);
  expect(limited("<!-- c -->".repeat(20_000) + root).text).toBe("<a>b</a>");
});

test.each(["<!-- c", "<![CDATA[ c", "<?c d", "<c d=''"])(
  "a part that begins with %s and does not end is cut",
  (part) => {
    expect(limited(`<a><b>${part}${part.repeat(9)}`).text).toBe("<a><b></b></a>");
  },
);

test("attributes may contain what ends a tag", () => {
  const item = `<b c="d/>" e='/>'>f</b><b c=">"/>`;
  const text = `<a c="/>">${item.repeat(500)}</a>`;
  expect(limited(text)).toEqual({ text, isCut: false });
});
