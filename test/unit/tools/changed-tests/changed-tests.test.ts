import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findChangedTests } from "../../../../src/tools/changed-tests/changed-tests.ts";

/** A project with tests that depend on files in every way that is told apart. */
const PROJECT = {
  "package.json": '{ "dependencies": { "pure": "1" } }',
  "package-lock.json": "{}",
  "migrations/0001_first.sql": "first",
  "migrations/old/0000_before.sql": "before",
  "docs/guide.md": "guide",
  "src/leaf.ts": "export const leaf = 1;",
  "src/middle.ts": 'import pure from "pure"; import { leaf } from "./leaf.ts"; export const middle = [leaf, pure];',
  "src/later.ts": "export const later = 1;",
  "src/unrelated.ts": "export const unrelated = 1;",
  "src/kinds.json": "[]",
  "test/data-folder.ts": 'import { readFileSync } from "node:fs"; export const dataFolder = readFileSync;',
  "test/unit/deep.test.ts": 'import { middle } from "../../src/middle.ts"; middle;',
  "test/unit/lazy.test.ts": 'const one = () => import("../../src/later.ts"); one();',
  "src/page-scripts/scroll.ts": "scrollTo(0, 0);",
  "test/unit/scripts.test.ts": 'import scripts from "#page-scripts"; scripts;',
  "test/unit/json.test.ts": 'import kinds from "../../src/kinds.json"; kinds;',
  "test/unit/text.test.ts": 'import text from "../../src/built/program.txt"; text;',
  "test/unit/folder.test.ts": 'import { dataFolder } from "../data-folder.ts"; dataFolder("migrations");',
  "test/unit/any-folder.test.ts": 'import { dataFolder } from "../data-folder.ts"; for (const a of []) dataFolder(a);',
  "test/unit/reads.test.ts": 'import { readFileSync } from "node:fs"; readFileSync("src/x");',
  "test/unit/starts.test.ts": 'import { run } from "../run.ts"; run;',
  "test/run.ts": 'import { spawn } from "node:child_process"; export const run = spawn;',
  "test/unit/tool.test.ts": 'import tool from "a-tool"; tool;',
  "test/unit/computed.test.ts": 'const name = "../../src/later.ts"; import(name);',
};
/** Those of which it is not known what they read. */
const READERS = ["any-folder", "computed", "reads", "starts", "tool"];
const ALL = [...READERS, "deep", "folder", "json", "lazy", "scripts", "text"].toSorted();

let root: string;
let recordFile: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "orbweaver-check-")));
  recordFile = join(root, "dist", "check", "passed.json");
  for (const [path, text] of Object.entries(PROJECT)) write(path, text);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const find = (runsAll = false) => findChangedTests({ root, recordFile, runsAll });
const pathsOf = (names: readonly string[]): string[] => names.map((name) => join(root, `test/unit/${name}.test.ts`));
const namesOf = (tests: readonly string[]): string[] =>
  tests.map((path) => path.replace(/^test\/unit\/(.*)\.test\.ts$/, "$1"));
const changed = async (): Promise<string[]> => namesOf((await find()).changed);

/** Runs what has changed; all but the named ones pass. */
async function run(...failing: string[]): Promise<void> {
  const { changed: tests, keep } = await find();
  await keep(pathsOf(namesOf(tests).filter((name) => !failing.includes(name))));
}

test("everything runs the first time, and nothing when nothing has changed", async () => {
  expect(await changed()).toEqual(ALL);
  await run();
  expect(await changed()).toEqual([]);
});

describe("after a change of", () => {
  beforeEach(() => run());

  test.each([
    { what: "a module that is imported by another", path: "src/leaf.ts", tests: ["deep"] },
    { what: "a module that is imported when it is needed", path: "src/later.ts", tests: ["lazy"] },
    { what: "JSON that is imported", path: "src/kinds.json", tests: ["json"], text: "[1]" },
    { what: "a source of a module that is built", path: "src/page-scripts/scroll.ts", tests: ["scripts"] },
    { what: "the test itself", path: "test/unit/deep.test.ts", tests: ["deep"] },
    { what: "a file in a folder that is named", path: "migrations/0001_first.sql", tests: ["folder"] },
    { what: "a file further down in it", path: "migrations/old/0000_before.sql", tests: ["folder"] },
    { what: "a module that no test imports", path: "src/unrelated.ts", tests: [] },
    { what: "a file that no test names", path: "docs/guide.md", tests: [] },
    { what: "what all depend on", path: "package-lock.json", tests: ALL },
  ])("$what, the tests run that depend on it", async ({ path, tests, text = "// changed" }) => {
    write(path, text);
    expect(await changed()).toEqual([...new Set([...READERS, ...tests])].toSorted());
  });

  test("what was installed or made, none runs", async () => {
    write("node_modules/pure/index.js", "1");
    write("dist/ui.json", "1");
    expect(await changed()).toEqual([]);
  });

  test("text that is built, its test runs: when it comes, and when it changes", async () => {
    write("src/built/program.txt", "1");
    expect(await changed()).toContain("text");
    await run();
    write("src/built/program.txt", "2");
    expect(await changed()).toContain("text");
  });

  test("a folder's list of files, its test runs", async () => {
    write("migrations/0002_second.sql", "second");
    expect(await changed()).toContain("folder");
  });

  test("something that is taken back, none runs", async () => {
    write("src/leaf.ts", "export const leaf = 2;");
    await run();
    write("src/leaf.ts", PROJECT["src/leaf.ts"]);
    expect(await changed()).toEqual([]);
  });
});

test("tests that failed run again, until they pass", async () => {
  await run("deep", "json");
  expect(await changed()).toEqual(["deep", "json"]);
  await run("json");
  expect(await changed()).toEqual(["json"]);
});

test("a test that fails when all run is no longer known to have passed", async () => {
  await run();
  const { changed: tests, keep } = await find(true);
  expect(namesOf(tests)).toEqual(ALL);
  await keep(pathsOf(ALL.filter((name) => name !== "deep")));
  expect(await changed()).toEqual(["deep"]);
});

test("a test whose module is changed while it runs has not passed as it is now, nor as it was", async () => {
  await run("deep");
  const { keep } = await find();
  write("src/leaf.ts", "export const leaf = 2;");
  await keep(pathsOf(["deep"]));
  expect(await changed()).toContain("deep");
  write("src/leaf.ts", PROJECT["src/leaf.ts"]);
  expect(await changed()).toEqual(["deep"]);
});

test.each([
  ["half a file", '{"test/unit/deep.test.ts": ['],
  ["something else", '{"test/unit/deep.test.ts": 3}'],
  ["nothing", ""],
])("everything runs when the record holds %s", async (_, text) => {
  await run();
  write("dist/check/passed.json", text);
  expect(await changed()).toEqual(ALL);
});

test("imports that cannot be followed are an error, not a test fewer", async () => {
  await run();
  write("src/leaf.ts", 'import "./gone.ts";');
  await expect(find()).rejects.toThrow("gone.ts");
  write("src/leaf.ts", "export const leaf = ;");
  await expect(find()).rejects.toThrow("leaf.ts");
});
