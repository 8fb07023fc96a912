import { globSync } from "node:fs";
import { relative, sep } from "node:path";
import { importGraph } from "./import-graph.ts";
import { readPassed, writePassed } from "./passed-tests.ts";
import { fingerprintTests } from "./test-fingerprints.ts";

export interface ChangedTests {
  /** Paths below the root of all test files, and of those that have not passed as they are now. */
  all: string[];
  changed: string[];
  /** Keeps which files passed (absolute paths), unless something they depend on was changed meanwhile. */
  keep: (passedFiles: readonly string[]) => Promise<void>;
}

/**
 * Compares the test files below a folder with when they last passed, as `recordFile` has it.
 * Throws when their imports cannot be followed.
 */
export async function findChangedTests(options: {
  root: string;
  recordFile: string;
  runsAll: boolean;
}): Promise<ChangedTests> {
  const { root, recordFile, runsAll } = options;
  const all = globSync("test/unit/**/*.test.ts", { cwd: root }).map(withSlashes).toSorted();
  const graph = await importGraph(root, all);
  const before = fingerprintTests({ root, graph }, all);
  const known = await readPassed(recordFile);
  const hasPassed = ([test, fingerprint]: [string, string]): boolean => known.get(test)?.includes(fingerprint) ?? false;
  const changed = [...before].filter((entry) => runsAll || !hasPassed(entry)).map(([test]) => test);
  const keep = async (passedFiles: readonly string[]): Promise<void> => {
    const after = fingerprintTests({ root, graph }, all);
    const passed = new Set(passedFiles.map((path) => withSlashes(relative(root, path))));
    const kept = new Map(known);
    for (const test of changed) {
      const fingerprint = before.get(test) ?? "";
      const others = (known.get(test) ?? []).filter((other) => other !== fingerprint);
      const isKept = passed.has(test) && after.get(test) === fingerprint;
      kept.set(test, isKept ? [fingerprint, ...others] : others);
    }
    await writePassed(recordFile, new Map([...kept].filter(([test]) => before.has(test))));
  };
  return { all, changed, keep };
}

function withSlashes(path: string): string {
  return path.split(sep).join("/");
}
