import { parse, type Program } from "acorn";

/** Code as the body of a function, or what is wrong with it. */
export type PreparedCode = { kind: "ready"; module: string } | { kind: "invalid"; message: string };

/** Names that are there already, without being imported. */
const PREDEFINED = "page, context, browser, console";
const IMPORTS = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportDefaultDeclaration",
  "ExportAllDeclaration",
]);

/**
 * Turns a caller's JavaScript into a module whose default export runs it: `await` works at the top, and the value of
 * the last statement, when that is an expression, is returned. The code begins on the second line of the module. It is parsed first, so that it is a whole program and cannot end the function around it.
 */
export function prepareCode(code: string): PreparedCode {
  const parsed = parseCode(code);
  if ("message" in parsed) return { kind: "invalid", message: parsed.message };
  const { body } = parsed.program;
  if (body.some(({ type }) => IMPORTS.has(type))) {
    return { kind: "invalid", message: `Nothing can be imported or exported: ${PREDEFINED} are there already` };
  }
  const last = body.at(-1);
  const returning =
    last?.type === "ExpressionStatement"
      ? `${code.slice(0, last.start)}return (${withoutSemicolon(code.slice(last.start, last.end))}\n);${code.slice(last.end)}`
      : code;
  return { kind: "ready", module: `export default async function ({ ${PREDEFINED} }) {\n${returning}\n}\n` };
}

function parseCode(code: string): { program: Program } | { message: string } {
  try {
    const options = { ecmaVersion: "latest", sourceType: "module", allowReturnOutsideFunction: true } as const;
    return { program: parse(code, { ...options, allowAwaitOutsideFunction: true }) };
  } catch (error) {
    return { message: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function withoutSemicolon(statement: string): string {
  return statement.endsWith(";") ? statement.slice(0, -1) : statement;
}
