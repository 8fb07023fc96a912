import { join } from "node:path";
import { parseArgs } from "node:util";
import { baseOfChanges } from "./testing/changed-files.ts";
import { endPartsWithStarter, runPart } from "./testing/run-part.ts";
import { staticChecks } from "./testing/static-checks.ts";
import { PROJECT_ROOT } from "./service/wrangler.ts";

const TESTS_TIMEOUT_MS = 600_000;
const UNIT_TESTS = ["run", "--config", "test/vitest.config.ts", "--project", "unit"];
const CHANGED_FILES = "./src/tools/testing/changed-files.ts";

/** Runs the unit tests that changes concern with a part of their inputs, or all of them in full. @returns true when they pass. */
async function runUnitTests(base: string | undefined): Promise<boolean> {
  const options = { timeoutMs: TESTS_TIMEOUT_MS };
  if (base === undefined) {
    const { code } = await runPart("vitest/vitest.mjs", UNIT_TESTS, options);
    return code === 0;
  }
  console.log(`Unit tests that the changes since ${base} concern (npm run check -- --all runs all)`);
  const words = [
    ...UNIT_TESTS,
    `--changed=${base}`,
    `--experimental.vcsProvider=${CHANGED_FILES}`,
    "--passWithNoTests",
  ];
  const { code } = await runPart("vitest/vitest.mjs", words, { ...options, env: { TEST_SAMPLE: "1" } });
  return code === 0;
}

const { values } = parseArgs({ options: { all: { type: "boolean", default: false } } });
endPartsWithStarter();
const failedChecks = await staticChecks(values.all ? {} : { keptIn: join(PROJECT_ROOT, "dist", "check") });
const hasPassed = await runUnitTests(values.all ? undefined : await baseOfChanges(PROJECT_ROOT));
process.exit(failedChecks.length === 0 && hasPassed ? 0 : 1);
