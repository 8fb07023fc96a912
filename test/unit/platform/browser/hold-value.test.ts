import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { holdValue } from "../../../../src/platform/browser/actions/hold-value.ts";

const run = (script: string, world: object = {}): unknown => runInNewContext(holdValue(script), world);

test.each<{ script: string; value: unknown }>([
  { script: "1 + 1", value: 2 },
  { script: "'lone'", value: "lone" },
  { script: "'use strict'; (function () { return this })() === undefined", value: true },
  { script: "if (1) 'a'\nelse 'b'", value: "a" },
  { script: "let i; for (i = 0; i < 3; i++) i", value: 2 },
  { script: "switch (1) { case 1: 'one'; break; default: 2 }", value: "one" },
  { script: "out: { 'x'; break out }", value: "x" },
  { script: "try { 1 } finally { 2 }", value: 1 },
  { script: "var list = [1]\n;[2].concat(list).join()", value: "2,1" },
  { script: "1, 2 // the last", value: 2 },
])("the value of $script is held by an object", ({ script, value }) => {
  expect(run(script)).toEqual({ value });
});

test.each(["", "{}", "function f() {}", "var x = 1"])("a script without a value stays without one: %s", (script) => {
  expect(run(script)).toBeUndefined();
});

test("declarations are those of the page", () => {
  const world: Record<string, unknown> = {};
  run("var a = 1; function b() {}; c = 2", world);
  expect(Object.keys(world).toSorted()).toEqual(["a", "b", "c"]);
});

test("a script with `return` is a function body, and cannot end the function around it", async () => {
  expect(await (run("return 5") as { value: Promise<number> }).value).toBe(5);
  expect(() => run("})(); 'x'.repeat(1e6); (() => {")).toThrow(expect.objectContaining({ name: "SyntaxError" }));
});

test.each(["throw new Error('x'.repeat(1e6))", "'x'.repeat(1e6).a.b", "(() => { throw 'x'.repeat(1e6) })()"])(
  "the text of an error is short: %s",
  (script) => {
    try {
      run(script);
    } catch (error) {
      expect(String(error).length).toBeLessThan(1_100);
      return;
    }
    expect.unreachable();
  },
);

const long = " ".repeat(300_000);

test("a script that is too long to be parsed runs all the same", async () => {
  expect(run(`${long} 'long'`)).toEqual({ value: "long" });
  expect(await (run(`${long} return await 5`) as { value: Promise<number> }).value).toBe(5);
  expect(() => run(`${long} let let`)).toThrow(expect.objectContaining({ name: "SyntaxError" }));
});

test("a script of many statements within each other grows by a small factor", () => {
  const script = `${"{".repeat(200)}${"0;".repeat(5_000)}${"}".repeat(200)}`;
  expect(holdValue(script).length).toBeLessThan(12 * script.length);
  expect(run(script)).toEqual({ value: 0 });
});
