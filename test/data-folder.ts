import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Reads the files of one folder, which are named relative to it. */
export interface DataFolder {
  /** Of the files that stand in the folder itself, sorted. */
  names: () => string[];
  bytes: (name: string) => Buffer;
  text: (name: string) => string;
}

/**
 * Tests read the files of the project through this, naming the folder (below the project's) in a literal:
 * `dataFolder("test/fixtures/pages")`. `npm run check` then runs them when one of these files has changed. A file outside
 * of the folder is refused.
 */
export function dataFolder(folder: string): DataFolder {
  const cwd = join(ROOT, folder);
  const pathOf = (name: string): string => {
    const path = join(cwd, name);
    if (relative(cwd, path).startsWith("..")) throw new Error(`${name} is not in ${folder}`);
    return path;
  };
  return {
    names: () => {
      const files = readdirSync(cwd, { withFileTypes: true }).filter((entry) => entry.isFile());
      return files.map(({ name }) => name).toSorted();
    },
    bytes: (name) => readFileSync(pathOf(name)),
    text: (name) => readFileSync(pathOf(name), "utf8"),
  };
}
