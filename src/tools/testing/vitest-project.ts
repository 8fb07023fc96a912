import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { makeOwnedFolder } from "../process/run-leftovers.ts";
import { runPart, type PartOptions } from "./run-part.ts";

/** The part of vitest's JSON report that is counted. */
const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(z.object({ name: z.string(), status: z.string(), assertionResults: z.array(z.unknown()) })),
});

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
}

/** Tests of the vitest configuration. */
export interface TestSelection {
  project: string;
  /** Files, and folders with a slash at the end, relative to the project's: these alone, or all but these. All unless given. */
  only?: readonly string[];
  except?: readonly string[];
}

export interface ProjectEnd extends TestCounts {
  ms: number;
  /** True when the time was up; then the tests that had run by then are not known. */
  isStopped: boolean;
}

/**
 * Runs one project of the vitest configuration, or some of its files, and counts its tests. What goes wrong outside of a test is a failure
 * too: a file that does not load, an error that nothing caught, a crash, a run that takes too long or finds no test.
 */
export async function vitestProject(
  { project, only = [], except = [] }: TestSelection,
  options: PartOptions,
): Promise<ProjectEnd> {
  const folder = makeOwnedFolder("report");
  const reportFile = join(folder, "report.json");
  const words = ["run", "--config", "test/vitest.config.ts", "--project", project, ...only];
  words.push(...except.map((path) => `--exclude=${path.endsWith("/") ? `${path}**` : path}`));
  words.push("--reporter=default", "--reporter=./test/second-tries.ts");
  words.push("--reporter=json", `--outputFile.json=${reportFile}`);
  if (options.fillsGaps) words.push(`--testTimeout=${options.timeoutMs}`, `--hookTimeout=${options.timeoutMs}`);
  try {
    const { code, ms } = await runPart("vitest/vitest.mjs", words, options);
    const report = code === undefined ? "" : await readFile(reportFile, "utf8").catch(() => "");
    return { ...countTests(report, code), ms, isStopped: code === undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param exitCode undefined for a run that was stopped. */
export function countTests(report: string, exitCode: number | undefined): TestCounts {
  const parsed = Report.safeParse(parseJson(report));
  if (!parsed.success) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests: passed, numPendingTests, numTodoTests, testResults } = parsed.data;
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = parsed.data.numFailedTests + brokenFiles.length;
  const skipped = numPendingTests + numTodoTests;
  const isHollow = passed + failed + skipped === 0 || (failed === 0 && exitCode !== 0);
  return { passed, failed: isHollow ? failed + 1 : failed, skipped };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
