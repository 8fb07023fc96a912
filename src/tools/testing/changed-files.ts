import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { promisify } from "node:util";
import type { VCSProviderOptions } from "vitest/node";

const run = promisify(execFile);

/** Modules that read files of the project themselves, instead of importing them. */
const READS_FILES = /from "(?:node:(?:fs|fs\/promises|child_process)|[./\w-]*\/data-folder\.ts)"/;
const TEST_MODULES = "test/**/*.ts";
/** A string with a slash or a dot, or any string that names a folder of data. */
const PATH = /(?:dataFolder\(|(?=["'`][\w-]*[./]))["'`]([\w./-]+)["'`]/g;
/** A change of a dependency concerns every test, like one of `package.json`, which vitest itself knows of. */
const LOCK_FILE = "package-lock.json";
const PACKAGE_FILE = "package.json";
/** The folder of the scripts that run in pages, and the module that is built from it and imported in its place. */
const PAGE_SCRIPTS = "src/page-scripts/";
const BUILT_PAGE_SCRIPTS = "dist/page-scripts.mjs";

/**
 * Returns the commit to compare the working copy with: HEAD while something is not committed, else the branch that is
 * tracked, so that a clean working copy is compared with what others have. Undefined outside of a git repository.
 */
export async function baseOfChanges(root: string): Promise<string | undefined> {
  try {
    if ((await git(root, "status", "--porcelain")) !== "") return "HEAD";
    return (await git(root, "rev-parse", "@{upstream}").catch(() => "HEAD")).trim();
  } catch {
    return undefined;
  }
}

/**
 * Finds changed files for `vitest --changed`, which runs the tests that import them. vitest does not see the files that a
 * test reads or starts. A module of the tests that does so counts as changed when it names the file, or a folder that
 * holds it, in a string: relative to the project's folder or to its own, and written with a slash or a dot.
 * @returns absolute paths.
 */
export async function findChangedFiles(options: Pick<VCSProviderOptions, "root" | "changedSince">): Promise<string[]> {
  const { root, changedSince } = options;
  const changed = await changedPaths(root, typeof changedSince === "string" ? changedSince : "HEAD");
  if (changed.includes(LOCK_FILE)) changed.push(PACKAGE_FILE);
  if (changed.some((path) => path.startsWith(PAGE_SCRIPTS))) changed.push(BUILT_PAGE_SCRIPTS);
  const readers = globSync(TEST_MODULES, { cwd: root }).filter((module) => readsOneOf(module, changed, root));
  return [...changed, ...readers].map((path) => join(root, path));
}

export default { findChangedFiles };

/** Paths below `root`, with slashes: committed since the merge base, staged, modified or new. */
async function changedPaths(root: string, base: string): Promise<string[]> {
  const mergeBase = (await git(root, "merge-base", base, "HEAD")).trim();
  const lists = await Promise.all([
    git(root, "diff", "--name-only", "--no-renames", "--relative", "-z", mergeBase),
    git(root, "ls-files", "--others", "--exclude-standard", "-z"),
  ]);
  return lists.flatMap((list) => list.split("\0")).filter((path) => path !== "");
}

async function git(root: string, ...words: string[]): Promise<string> {
  const { stdout } = await run("git", words, { cwd: root, maxBuffer: 2 ** 26 });
  return stdout;
}

function readsOneOf(module: string, changed: readonly string[], root: string): boolean {
  if (changed.length === 0) return false;
  const text = readFileSync(join(root, module), "utf8");
  if (!READS_FILES.test(text)) return false;
  const folder = join(root, dirname(module));
  const named = [...text.matchAll(PATH)].flatMap(([, name = ""]) => [resolve(root, name), resolve(folder, name)]);
  const places = new Set(named.map((path) => relative(root, path).split(sep).join("/")));
  return changed.some((path) => foldersOf(path).some((place) => places.has(place)));
}

/** A path and the folders above it, without the project's own. */
function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.map((_, depth) => names.slice(0, depth + 1).join("/"));
}
