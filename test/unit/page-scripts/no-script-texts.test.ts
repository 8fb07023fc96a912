import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Node, parse } from "acorn";
import { transformSync } from "esbuild";
import { expect, test } from "vitest";

/** Longer texts that use the objects of a page are scripts, and belong into `src/page-scripts`. */
const MAX_SCRIPT_LINES = 2;
const MAX_SCRIPT_LENGTH = 160;
const PAGE_OBJECTS = /\b(?:document|window|globalThis|navigator|location|localStorage|sessionStorage)\??[.[]\s*\w/;
/** A function, as pages are given it to call. */
const FUNCTION = /^\s*\(?(?:async\s*)?(?:function\b|\([^()]*\)\s*=>)/;

const src = join(import.meta.dirname, "../../../src");

/** Texts of a module's string and template literals; what is put into a template is left out. */
function textsIn(source: string): string[] {
  const { code } = transformSync(source, { loader: "ts", format: "esm" });
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isNode(value)) return;
    if (value.type === "TemplateLiteral") texts.push(joined(Reflect.get(value, "quasis")));
    else if (value.type === "Literal") texts.push(String(Reflect.get(value, "value")));
    Object.values(value).forEach(visit);
  };
  visit(parse(code, { ecmaVersion: "latest", sourceType: "module" }));
  return texts;
}

function joined(quasis: { value: { raw: string } }[]): string {
  return quasis.map(({ value }) => value.raw).join("0");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

function isScript(text: string): boolean {
  const isLong = text.trim().split("\n").length > MAX_SCRIPT_LINES || text.length > MAX_SCRIPT_LENGTH;
  return isLong && (PAGE_OBJECTS.test(text) || FUNCTION.test(text));
}

function scriptsIn(source: string): string[] {
  const isSuspect = PAGE_OBJECTS.test(source) || /["'`]\s*\(?(?:async\s*)?(?:function\b|\()/.test(source);
  return isSuspect ? textsIn(source).filter(isScript) : [];
}

test("scripts of pages are modules, not texts", () => {
  const files = globSync("**/*.ts", { cwd: src }).filter((file) => !file.endsWith(".d.ts"));
  const found = files.flatMap((file) =>
    scriptsIn(readFileSync(join(src, file), "utf8")).map((text) => `${file}: ${text.trim().slice(0, 60)}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ["a template", "const a = `(() => {\n  const b = document.body;\n  return b;\n})()`;", 1],
  [
    "a raw template with values",
    "const a = String.raw`\n  scrollTo(${1});\n  window.scrollTo(0, ${2});\n  stop();\n`;",
    1,
  ],
  ["a long string", `const a = "document.activeElement !== null${" && true".repeat(20)}";`, 1],
  ["a function", "const a = `function () {\n  for (const box of this.getClientRects()) {\n  }\n}`;", 1],
  ["an expression of one line", "const a = `document.querySelector(${1})`;", 0],
  ["code that is no text", "function a() {\n  document.body.append(`a\n b\n c`);\n}", 0],
])("%s is told apart", (_name, source, count) => {
  expect(scriptsIn(source)).toHaveLength(count);
});
