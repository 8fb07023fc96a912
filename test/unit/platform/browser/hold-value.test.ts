import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { leastProcessorMs } from "../../../processor-time.ts";
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
  // The longest and deepest that is parsed.
  const script = `${"{".repeat(50)}${"0;".repeat(4_950)}${"}".repeat(50)}`;
  expect(holdValue(script)).toContain("{({value:(0");
  expect(holdValue(script).length).toBeLessThan(12 * script.length);
  expect(run(script)).toEqual({ value: 0 });
});

test.each<{ what: string; script: string }>([
  { what: "names in blocks", script: `${"{".repeat(300)}var ${"a,".repeat(24_000)}a${"}".repeat(300)}` },
  { what: "names in blocks of a shorter script", script: `${"{".repeat(45)}var ${"a,".repeat(4_900)}a${"}".repeat(45)}` },
  { what: "groups of one name", script: `/${"(?:".repeat(300)}${Array.from({ length: 4_000 }, () => "(?:(?<a>))").join("|")}${")".repeat(300)}/` },
  { what: "groups of a shorter script", script: `/${"(?:".repeat(40)}${Array.from({ length: 900 }, () => "(?:(?<a>))").join("|")}${")".repeat(40)}/` },
])("a script of many $what takes little time to prepare", async ({ script }) => {
  expect(await leastProcessorMs(() => holdValue(script), 400)).toBeLessThan(400);
}); // prettier-ignore
