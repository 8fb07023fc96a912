import { readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { z } from "zod";
import { makeOwnedFolder } from "../process/run-leftovers.ts";
import { PROJECT_ROOT } from "../service/wrangler.ts";
import { runPart, type PartOptions } from "./run-part.ts";

const MAX_MESSAGE_CHARS = 600;

const Assertion = z.object({
  status: z.string().optional(),
  fullName: z.string().optional(),
  failureMessages: z.array(z.string()).nullish(),
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
  /** For each failed test, its file, its name and the beginning of its error, for the end of a long output. */
  failures: string[];
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
  words.push("--reporter=default", "--reporter=./test/further-tries.ts");
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
  if (!parsed.success) return { passed: 0, failed: 1, skipped: 0, failures: [] };
  const { numPassedTests: passed, numPendingTests, numTodoTests, testResults } = parsed.data;
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const failed = parsed.data.numFailedTests + brokenFiles.length;
  const skipped = numPendingTests + numTodoTests;
  const isHollow = passed + failed + skipped === 0 || (failed === 0 && exitCode !== 0);
  const failures = testResults.flatMap(failuresOf);
  return { passed, failed: isHollow ? failed + 1 : failed, skipped, failures };
}

type FileResult = z.infer<typeof Report>["testResults"][number];

function failuresOf({ name, status, message, assertionResults }: FileResult): string[] {
  const file = relative(PROJECT_ROOT, name);
  if (assertionResults.length === 0) return status === "failed" ? [describeFailure(file, message)] : [];
  const failed = assertionResults.filter((assertion) => assertion.status === "failed");
  return failed.map(({ fullName, failureMessages }) =>
    describeFailure(`${file} > ${fullName ?? "a test"}`, failureMessages?.join("\n")),
  );
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
