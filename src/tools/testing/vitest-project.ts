import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { makeOwnedFolder } from "../process/run-leftovers.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { runPart, type PartOptions } from "./run-part.ts";

const MAX_MESSAGE_CHARS = 600;
/** Tests with this tag run with `npm test -- --all` only. */
const LONG = "long";

const Assertion = z.object({
  status: z.string().optional(),
  fullName: z.string().optional(),
  failureMessages: z.array(z.string()).nullish(),
  tags: z.array(z.string()).optional(),
});

/** The part of vitest's JSON report that is counted, and what is said of failures. */
const Report = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  numPendingTests: z.int(),
  numTodoTests: z.int(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(Assertion),
    }),
  ),
});

export interface TestCounts {
  passed: number;
  failed: number;
  skipped: number;
  /** Long tests that the short form leaves out. They do not count as skipped. */
  left: number;
  /** For each failed test, its file, its name and the beginning of its error, for the end of a long output. */
  failures: string[];
  /** The files that they are in. */
  failedFiles: FileCounts[];
}

/** The tests of one file. A file in which something else fails, such as its loading or a hook, counts as one failed test. */
export interface FileCounts {
  /** Path relative to the project's folder. */
  file: string;
  passed: number;
  failed: number;
  skipped: number;
  left: number;
}

/** Tests of the vitest configuration. */
export interface TestSelection {
  project: string;
  /** Files, and folders with a slash at the end, relative to the project's: these alone, or all but these. All unless given. */
  only?: readonly string[];
  except?: readonly string[];
  /** True to leave out long tests. */
  isShort?: boolean;
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
  { project, only = [], except = [], isShort = false }: TestSelection,
  options: PartOptions,
): Promise<ProjectEnd> {
  const folder = makeOwnedFolder("report");
  const reportFile = join(folder, "report.json");
  const words = ["run", "--config", "test/vitest.config.ts", "--project", project, ...only];
  words.push(...except.map((path) => `--exclude=${path.endsWith("/") ? `${path}**` : path}`));
  if (isShort) words.push(`--tagsFilter=!${LONG}`);
  const env = { ...options.env, ...(isShort ? { TEST_SHORT: "1" } : {}) };
  words.push("--reporter=default", "--reporter=./test/further-tries.ts");
  words.push("--reporter=json", `--outputFile.json=${reportFile}`);
  if (options.fillsGaps) words.push(`--testTimeout=${options.timeoutMs}`, `--hookTimeout=${options.timeoutMs}`);
  try {
    const { code, ms } = await runPart("vitest/vitest.mjs", words, { ...options, env });
    const report = code === undefined ? "" : await readFile(reportFile, "utf8").catch(() => "");
    return { ...countTests(report, code, { isShort }), ms, isStopped: code === undefined };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns the counts of a run after the files that failed in it were run again by themselves.
 * @param again Counts of that run.
 */
export function countAgain(first: TestCounts, again: TestCounts): TestCounts {
  const sum = (kind: "passed" | "failed" | "skipped" | "left"): number =>
    first[kind] - first.failedFiles.reduce((total, counts) => total + counts[kind], 0) + again[kind];
  const { failures, failedFiles } = again;
  return {
    passed: sum("passed"),
    failed: sum("failed"),
    skipped: sum("skipped"),
    left: sum("left"),
    failures,
    failedFiles,
  };
}

/** True for a run that failed before its first test, such as one whose runner did not start in vitest's 90 seconds. */
export function failedToStart({ passed, failed, skipped, left, failedFiles }: TestCounts): boolean {
  return failed > 0 && passed + skipped + left === 0 && failedFiles.length === 0;
}

/**
 * @param exitCode undefined for a run that was stopped.
 * @param options.isShort whether the run left out long tests.
 */
export function countTests(
  report: string,
  exitCode: number | undefined,
  { isShort = false }: { isShort?: boolean } = {},
): TestCounts {
  const parsed = Report.safeParse(parseJson(report));
  if (!parsed.success) return { passed: 0, failed: 1, skipped: 0, left: 0, failures: [], failedFiles: [] };
  const { numPassedTests: passed, numPendingTests, numTodoTests, testResults } = parsed.data;
  const leftOf = (result: FileResult): number => (isShort ? countLeft(result) : 0);
  const failedFiles = testResults
    .filter(({ status }) => status === "failed")
    .map((result) => countsOf(result, leftOf(result)));
  const broken = testResults.filter((result) => result.status === "failed" && failedTestsOf(result).length === 0);
  const failed = parsed.data.numFailedTests + broken.length;
  const left = testResults.reduce((sum, result) => sum + leftOf(result), 0);
  const skipped = numPendingTests + numTodoTests - left;
  const isHollow = passed + failed + skipped + left === 0 || (failed === 0 && exitCode !== 0);
  const failures = testResults.flatMap(failuresOf);
  return { passed, failed: isHollow ? failed + 1 : failed, skipped, left, failures, failedFiles };
}

type FileResult = z.infer<typeof Report>["testResults"][number];

function failedTestsOf({ assertionResults }: FileResult): FileResult["assertionResults"] {
  return assertionResults.filter(({ status }) => status === "failed");
}

function countLeft({ assertionResults }: FileResult): number {
  return assertionResults.filter(({ status, tags }) => status === "skipped" && tags?.includes(LONG)).length;
}

function countsOf(result: FileResult, left: number): FileCounts {
  const { name, assertionResults } = result;
  const passed = assertionResults.filter(({ status }) => status === "passed").length;
  const failed = failedTestsOf(result).length;
  const skipped = assertionResults.length - passed - failed - left;
  return { file: relative(PROJECT_ROOT, name), passed, failed: Math.max(1, failed), skipped, left };
}

function failuresOf(result: FileResult): string[] {
  const file = relative(PROJECT_ROOT, result.name);
  const tests = failedTestsOf(result).map(({ fullName, failureMessages }) =>
    describeFailure(`${file} > ${fullName ?? "a test"}`, failureMessages?.join("\n")),
  );
  return tests.length > 0 || result.status !== "failed" ? tests : [describeFailure(file, result.message)];
}

/** The name, and below it the first part of the error, indented. */
function describeFailure(name: string, error: string | undefined): string {
  const lines = (error ?? "").slice(0, MAX_MESSAGE_CHARS).trimEnd().split("\n");
  return [name, ...lines.filter((line) => line !== "").map((line) => `    ${line}`)].join("\n");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
