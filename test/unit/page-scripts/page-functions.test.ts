import { runInNewContext } from "node:vm";
import { parseExpressionAt } from "acorn";
import { describe, expect, test } from "vitest";
import { pageFunctions } from "#page-scripts";
import { callExpression } from "../../../src/platform/browser/page/call-function.ts";

describe.each(Object.entries<string>(pageFunctions))("the function %s", (_name, text) => {
  test("is one expression", () => {
    const { type, end } = parseExpressionAt(text, 0, { ecmaVersion: 2023 });
    expect(type).toBe("FunctionExpression");
    expect(text.slice(end)).toBe("");
  });
});

test("a function holds nothing of the others", () => {
  expect(pageFunctions.hasMatch).toMatch(/^function\(\$0,\$1,\$2\)\{"use strict";function \w+\(\w+\)\{[^{}]+\}return/);
});

test("arguments are data, whatever they contain", () => {
  const asked: string[] = [];
  const document = { querySelector: (selector: string) => void asked.push(selector) };
  const selector = `"] \\ ' \${1} \u2028 </script>); throw 1; (`;
  expect(runInNewContext(callExpression(pageFunctions.hasMatch, selector), { document })).toBe(true);
  expect(asked).toEqual([selector]);
});

test("a page that has replaced the iterator of lists does not see the arguments of a function", async () => {
  const sandbox = { seen: [] as unknown[] };
  const trap = `Array.prototype[Symbol.iterator] = function () { seen.push(...[1]); throw new Error("seen"); };
    class Node {} class Element {} globalThis.Node = Node; globalThis.Element = Element;`;
  const call = callExpression(pageFunctions.describeValue, { value: { name: "Ada" } }, 100);
  expect(await runInNewContext(`${trap} ${call}`, sandbox)).toEqual({ type: "object", json: '{"name":"Ada"}' });
});
