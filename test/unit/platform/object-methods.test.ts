import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { syntaxNodes, type SyntaxNode } from "../../../src/tools/testing/syntax-tree.ts";

const EXPORTED = /^export \{ (\w+) \} from "\.\/(platform\/[^"]+)";$/gm;

/** Returns the names of the methods of a class that callers in other isolates may call. */
function methodsOf(file: string, name: string): string[] {
  const nodes = syntaxNodes(file, readFileSync(join(PROJECT_ROOT, "src", file), "utf8"));
  const found = nodes.find(({ type, id }) => type === "ClassDeclaration" && (id as SyntaxNode)["name"] === name);
  const { body = [] } = (found?.["body"] ?? {}) as { body?: SyntaxNode[] };
  const methods = body.filter(
    ({ type, kind, key, accessibility }) =>
      type === "MethodDefinition" &&
      kind === "method" &&
      (key as SyntaxNode).type === "Identifier" &&
      (accessibility ?? "public") === "public",
  );
  return methods.map(({ key }) => String((key as SyntaxNode)["name"])).toSorted();
}

/**
 * Objects are updated up to some minutes before or after the Workers that call them. A method that is renamed is called by its
 * former name too (`orFormerly`), and stays under that name for one release: only then may it leave the list.
 */
test("the public methods of the objects are those of the list, from which a removal is a decision", () => {
  const worker = readFileSync(join(PROJECT_ROOT, "src/worker.ts"), "utf8");
  const classes = [...worker.matchAll(EXPORTED)].map(
    ([, name = "", file = ""]) => [name, methodsOf(file, name)] as const,
  );
  expect(classes.length).toBeGreaterThan(10);
  const listed: unknown = JSON.parse(readFileSync(join(import.meta.dirname, "object-methods.json"), "utf8"));
  expect(Object.fromEntries(classes)).toEqual(listed);
});
