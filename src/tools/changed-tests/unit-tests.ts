import { join } from "node:path";
import { explainFailure } from "../process/explain-failure.ts";
import { vitestProject } from "../testing/vitest-project.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { findChangedTests } from "./changed-tests.ts";
import type { ChangedTests } from "./changed-tests.ts";

const RECORD = join(PROJECT_ROOT, "dist", "check", "passed-tests.json");
const TIMEOUT_MS = 300_000;

/** The unit tests that are to be run; undefined, said with its reason, when their imports cannot be followed. */
export async function selectUnitTests(options: { runsAll: boolean }): Promise<ChangedTests | undefined> {
  try {
    return await findChangedTests({ root: PROJECT_ROOT, recordFile: RECORD, ...options });
  } catch (error) {
    console.log(`Unit tests: failed, since their imports cannot be followed. ${explainFailure(error)}`);
    return undefined;
  }
}

/** Runs the test files that have changed, and says how many have not. @returns how many tests failed. */
export async function runUnitTests({ all, changed, keep }: ChangedTests): Promise<number> {
  const unchanged = all.length - changed.length;
  const without = unchanged > 0 ? `, ${unchanged} are unchanged since they passed` : "";
  if (changed.length === 0) {
    console.log(`Unit tests: no file run${without} (npm run check -- --all runs them)`);
    return 0;
  }
  const files = changed.length < all.length ? changed : [];
  const { passed, failed, ms, passedFiles } = await vitestProject("unit", { timeoutMs: TIMEOUT_MS, files });
  await keep(passedFiles);
  const seconds = (ms / 1000).toFixed(1);
  console.log(`Unit tests: ${passed} passed, ${failed} failed in ${changed.length} files${without} (${seconds} s)`);
  return failed;
}
