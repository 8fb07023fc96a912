import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";

const PROGRAM = "src/tools/trim-installation.mjs";

/** Runs the program beside packages with these files. @returns whether a file is still there */
function trim(files: Record<string, string>): (path: string) => boolean {
  const root = mkdtempSync(join(tmpdir(), "trim-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, "node_modules", path)), { recursive: true });
    writeFileSync(join(root, "node_modules", path), text);
  }
  mkdirSync(join(root, dirname(PROGRAM)), { recursive: true });
  copyFileSync(join(PROJECT_ROOT, PROGRAM), join(root, PROGRAM));
  execFileSync(process.execPath, [join(root, PROGRAM)]);
  return (path) => existsSync(join(root, "node_modules", path));
}

test("an installation loses maps, manuals and sources, and keeps what is loaded, described or licensed", () => {
  const removed = [
    "a/index.js.map",
    "a/README.md",
    "a/node_modules/b/CHANGELOG.md",
    "a/src/index.ts",
    "a/index.d.cts",
    "zod/src/index.ts",
    "bare-fs/prebuilds/ios/a.bare",
    "@jitl/quickjs/package.json",
    "sharp/lib/index.js",
  ];
  const kept = [
    "a/index.js",
    "a/index.d.ts",
    "a/LICENSE.md",
    "a/lib/src/part.js",
    "c/src/index.js",
    "zod/index.d.cts",
    "other/prebuilds/a.node",
  ];
  const texts = Object.fromEntries([...removed, ...kept].map((path) => [path, ""]));
  const isThere = trim({
    ...texts,
    "a/package.json": JSON.stringify({ name: "a", main: "./index.js", source: "./src/index.ts" }),
    "c/package.json": JSON.stringify({ name: "c", exports: { ".": { import: "./src/index.js" } } }),
    "zod/package.json": JSON.stringify({ name: "zod", exports: { ".": { "@zod/source": "./src/index.ts" } } }),
  });
  expect(removed.filter(isThere)).toEqual([]);
  expect(kept.filter((path) => !isThere(path))).toEqual([]);
});

test("a folder without packages is left as it is", () => {
  expect(trim({})("anything")).toBe(false);
});
