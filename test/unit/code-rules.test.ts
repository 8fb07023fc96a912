import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, parse, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { PROJECT_ROOT } from "../../src/tools/service/wrangler.ts";
import { lineOf, syntaxNodes, type SyntaxNode } from "../../src/tools/testing/syntax-tree.ts";

const files = globSync("{src,test}/**/*.{ts,tsx}", { cwd: PROJECT_ROOT });
const textOf = (file: string): string => readFileSync(join(PROJECT_ROOT, file), "utf8");

/** Returns the places of the nodes that `isWrong` selects, in files whose text matches `hint`: parsing takes long. */
function placesOf(hint: RegExp, isWrong: (node: SyntaxNode, file: string) => boolean): string[] {
  return files.flatMap((file) => {
    const text = textOf(file);
    if (!hint.test(text)) return [];
    const wrong = syntaxNodes(file, text).filter((node) => isWrong(node, file));
    return wrong.map(({ start }) => `${file}:${lineOf(text, start)}`);
  });
}

test("private members are declared as #name; private is for constructors", () => {
  const isWrong = ({ accessibility, kind }: SyntaxNode): boolean =>
    accessibility === "private" && kind !== "constructor";
  expect(placesOf(/\bprivate\s+\w/, isWrong)).toEqual([]);
});

/** Numeric vectors, whose indexes come from the same loops that fill them. */
const VECTORS = /^src\/(?:content\/(?:main-content\/|html\/kept-media|html\/tree\/)|tools\/train-main-content\/)/;

test("values are asserted as present only where a numeric vector is read by index", () => {
  const isWrong = ({ type, expression }: SyntaxNode, file: string): boolean =>
    type === "TSNonNullExpression" && !((expression as SyntaxNode)["computed"] === true && VECTORS.test(file));
  expect(placesOf(/[\w)\]]!(?![=\w])/, isWrong)).toEqual([]);
});

/** The goal is some 20; a list of equal parts, such as providers, may be a little longer. */
const MAX_FILES = 22;

describe("folders of src", () => {
  const folders = ["", ...globSync("**/*", { cwd: join(PROJECT_ROOT, "src") })]
    .map((path) => join("src", path))
    .filter((path) => statSync(join(PROJECT_ROOT, path)).isDirectory());
  const entriesOf = (folder: string) => readdirSync(join(PROJECT_ROOT, folder), { withFileTypes: true });

  test("have some 20 files at most", () => {
    expect(folders.length).toBeGreaterThan(100);
    const counts = folders.map((folder) => ({
      folder,
      files: entriesOf(folder).filter((entry) => entry.isFile()).length,
    }));
    expect(counts.filter(({ files: count }) => count > MAX_FILES)).toEqual([]);
  });

  test("are not named like a file beside them", () => {
    const twins = folders.filter((folder) =>
      entriesOf(dirname(folder)).some(
        (entry) => entry.isFile() && join(dirname(folder), parse(entry.name).name) === folder,
      ),
    );
    expect(twins).toEqual([]);
  });
});

describe("imports of src", () => {
  const sources = files.filter((file) => file.startsWith("src/"));
  const STATEMENT = /^(?:import|export)\b([^"';]*?)["'](\.[^"']+)["']/gm;
  const isTypeOnly = (clause: string): boolean =>
    /^\s+type\b/.test(clause) || /^\s*\{(?:\s*type\s[^,}]+,?)+\s*\}\s*from\s*$/.test(clause);

  /** Returns what each file imports; `withTypes` adds imports of types alone. */
  const graphOf = (withTypes: boolean): Map<string, string[]> =>
    new Map(
      sources.map((file) => {
        const statements = [...textOf(file).matchAll(STATEMENT)].filter(
          ([, clause = ""]) => withTypes || !isTypeOnly(clause),
        );
        return [file, statements.map(([, , path = ""]) => relative("", join(dirname(file), path)))];
      }),
    );

  test("have no cycle of values", () => expect(cyclicFiles(graphOf(false))).toEqual([]));

  test("have no cycle of types", () => expect(cyclicFiles(graphOf(true))).toEqual([]));

  test("a cycle is noticed", () => {
    const graph = new Map([["a", ["b"]], ["b", ["c", "d"]], ["c", ["a"]], ["d", ["e"]], ["e", []]]); // prettier-ignore
    expect(cyclicFiles(graph)).toEqual(["a", "b", "c"]);
  });
});

/** Returns the files that import themselves through others. */
function cyclicFiles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const reachable = (from: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = [from];
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const target of graph.get(file) ?? []) {
        if (graph.has(target) && !seen.has(target)) waiting.push(target);
        seen.add(target);
      }
    }
    return seen;
  };
  return [...graph.keys()].filter((file) => reachable(file).has(file));
}
