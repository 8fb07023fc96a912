import { globSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const { dependencies } = JSON.parse(readFileSync(join(PROJECT_ROOT, "package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};
/** Programs for development, which run with all packages. */
const FOR_DEVELOPMENT = /^src\/tools\/(?:(?:test|check)\.ts$|testing\/|train-main-content\/)/;
const BUILT_IN = new Set([...builtinModules, "cloudflare"]);

/** Names of the packages whose code a text imports; imports of types alone leave no code. */
function packagesOf(text: string): string[] {
  const specifiers = text.matchAll(
    /(?:^import |^(?:import|export) (?!type\b)[\w\s{},*]*? from |\bimport\()"([^".#/][^"]*)"/gm,
  );
  return [...specifiers].map(([, specifier = ""]) => {
    const parts = specifier.split("/");
    return parts.slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
  });
}

test("an import of code names its package, and one of types does not", () => {
  expect(
    packagesOf(`import a from "one/b";\nimport type { C } from "two";\nawait import("@d/e/f");\nimport "./g.ts";`),
  ).toEqual(["one", "@d/e"]);
});

test("the service is built and runs without the packages for development", () => {
  const files = globSync("src/**/*.{ts,tsx,mjs,cjs}", { cwd: PROJECT_ROOT }).filter(
    (file) => !FOR_DEVELOPMENT.test(file),
  );
  const missing = files.flatMap((file) =>
    packagesOf(readFileSync(join(PROJECT_ROOT, file), "utf8"))
      .filter((name) => !BUILT_IN.has(name.split(":")[0] ?? name) && !name.startsWith("node:"))
      .filter((name) => !(name in dependencies))
      .map((name) => `${file} imports ${name}`),
  );
  expect(files.length).toBeGreaterThan(500);
  expect(missing).toEqual([]);
});
