import { expect, test } from "vitest";
import { prepareCode } from "../../../src/sessions/prepare-code.ts";

/** Runs prepared code as the function that it is the body of. */
async function evaluate(code: string): Promise<unknown> {
  const prepared = prepareCode(code);
  if (prepared.kind === "invalid") throw new Error(prepared.message);
  const url = `data:text/javascript,${encodeURIComponent(prepared.module)}`;
  const { default: run } = (await import(/* @vite-ignore */ url)) as { default: (given: object) => Promise<unknown> };
  return run({ page: { title: async () => "The title" }, console });
}

test.each([
  { code: "1 + 1", value: 2 },
  { code: "1 + 1;", value: 2 },
  { code: "1 + 1; // a remark", value: 2 },
  { code: "const x = 3;\nx", value: 3 },
  { code: "await page.title()", value: "The title" },
  { code: "({ a: 1 })", value: { a: 1 } },
  { code: "(1, 2)", value: 2 },
  { code: "`a\nb`", value: "a\nb" },
  { code: "'use strict'", value: "use strict" },
  { code: "return 7", value: 7 },
  { code: "if (true) return 8;\n9", value: 8 },
  { code: "const x = 1", value: undefined },
  { code: "for (const x of [1]) x", value: undefined },
  { code: "", value: undefined },
  { code: "async () => 1 // not called\n", value: expect.any(Function) },
  { code: "await Promise.all([1, 2].map(async (x) => x * 2))", value: [2, 4] },
])("$code has the value $value", async ({ code, value }) => {
  expect(await evaluate(code)).toEqual(value);
});

test.each([
  { why: "it does not parse", code: "let = ;", says: "SyntaxError" },
  { why: "it would end the function around it", code: "} ; globalThis.escaped = 1; {", says: "SyntaxError" },
  { why: "it imports", code: "import fs from 'node:fs'; fs", says: "Nothing can be imported" },
  { why: "it exports", code: "export const x = 1", says: "Nothing can be imported" },
  { why: "it is unfinished", code: "page.title(", says: "SyntaxError" },
])("code is refused when $why", ({ code, says }) => {
  expect(prepareCode(code)).toMatchObject({ kind: "invalid", message: expect.stringContaining(says) });
});

test("lines are one further down than in the code", () => {
  const prepared = prepareCode("first\nsecond");
  expect(prepared.kind === "ready" && prepared.module.split("\n").slice(1, 3)).toEqual(["first", "return (second"]);
});
