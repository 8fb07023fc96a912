import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { baseOfChanges, findChangedFiles } from "../../../../src/tools/testing/changed-files.ts";

/** A project with tests that read files in every way that is recognised. */
const PROJECT = {
  "package.json": "{}",
  "package-lock.json": "{}",
  "migrations/0001.sql": "first",
  "src/module.ts": "export const one = 1;",
  "src/program.mjs": "1;",
  "src/docs/guide.md": "guide",
  "test/data-folder.ts": 'import "node:fs"; export const dataFolder = String;',
  "test/unit/imports.test.ts": 'import { globSync } from "node:fs"; globSync("../../src");',
  "test/unit/folder.test.ts": 'import { dataFolder } from "../data-folder.ts"; dataFolder("migrations");',
  "test/unit/starts.test.ts": 'import { spawn } from "node:child_process"; spawn("src/program.mjs", ["src", "test"]);',
  "test/unit/names.test.ts": 'import { one } from "../../src/module.ts"; one("src/program.mjs");',
  "test/unit/lock.test.ts": 'import { readFileSync } from "node:fs"; readFileSync("package-lock.json");',
};

let root: string;
const git = (...words: string[]): string => execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: "pipe" });
let committed: string;
const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), "orbweaver-changes-")));

// Each test has a copy of one repository with the project.
beforeAll(() => {
  root = committed = newFolder();
  for (const [path, text] of Object.entries(PROJECT)) write(path, text);
  git("init", "-q", "-b", "main");
  git("config", "user.email", "a@example.com");
  git("config", "user.name", "A");
  commit();
});
afterAll(() => rmSync(committed, { recursive: true, force: true }));
beforeEach(() => {
  root = newFolder();
  cpSync(committed, root, { recursive: true, preserveTimestamps: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text = "changed"): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function commit(): void {
  git("add", "-A");
  git("commit", "-q", "-m", "a change");
}

async function changedSince(base: string): Promise<string[]> {
  const files = await findChangedFiles({ root, changedSince: base });
  return files.map((path) => relative(root, path)).toSorted();
}

describe("changed files", () => {
  test("are none when nothing differs", async () => {
    expect(await changedSince("HEAD")).toEqual([]);
  });

  test.each([
    ["a module is for vitest to follow, except for tests that read its folder", "src/module.ts", ["imports"]],
    ["a file of a folder that a test names", "migrations/0001.sql", ["folder"]],
    ["a new file of that folder", "migrations/0002.sql", ["folder"]],
    ["a program that a test starts", "src/program.mjs", ["imports", "starts"]],
    ["a document", "src/docs/guide.md", ["imports"]],
    ["a file that no test names", "README.md", []],
  ])("%s", async (_, path, tests) => {
    write(path);
    const readers = tests.map((name) => `test/unit/${name}.test.ts`);
    expect(await changedSince("HEAD")).toEqual([path, ...readers].toSorted());
  });

  test("a dependency concerns every test", async () => {
    write("package-lock.json", "changed");
    expect(await changedSince("HEAD")).toEqual(["package-lock.json", "package.json", "test/unit/lock.test.ts"]);
  });

  test("a script of pages concerns what imports the module that is built from it", async () => {
    write("src/page-scripts/scroll.ts");
    const paths = ["dist/page-scripts.mjs", "src/page-scripts/scroll.ts", "test/unit/imports.test.ts"];
    expect(await changedSince("HEAD")).toEqual(paths);
  });

  test("staged, deleted and committed ones are among them", async () => {
    git("checkout", "-q", "-b", "work");
    write("src/docs/guide.md");
    commit();
    git("rm", "-q", "migrations/0001.sql");
    write("src/staged.css");
    git("add", "src/staged.css");
    const readers = ["test/unit/folder.test.ts", "test/unit/imports.test.ts"];
    const uncommitted = ["migrations/0001.sql", "src/staged.css"];
    expect(await changedSince("HEAD")).toEqual([...uncommitted, ...readers].toSorted());
    expect(await changedSince("main")).toEqual(["src/docs/guide.md", ...uncommitted, ...readers].toSorted());
  });
});

describe("the base of the changes", () => {
  test("is HEAD while something is not committed, and the tracked branch afterwards", async () => {
    const published = git("rev-parse", "HEAD").trim();
    git("checkout", "-q", "-b", "work", "--track", "main");
    write("src/module.ts");
    expect(await baseOfChanges(root)).toBe("HEAD");
    commit();
    expect(await baseOfChanges(root)).toBe(published);
  });

  test("is HEAD on a branch that tracks no other, and undefined outside of a repository", async () => {
    expect(await baseOfChanges(root)).toBe("HEAD");
    rmSync(join(root, ".git"), { recursive: true });
    expect(await baseOfChanges(root)).toBeUndefined();
  });
});
