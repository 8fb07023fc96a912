import { describe, expect, test } from "vitest";
import { countAgain, countTests, failedToStart } from "../../../../src/tools/testing/vitest-project.ts";

const report = (counts: Record<string, unknown>): string =>
  JSON.stringify({
    numPassedTests: 0,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
    ...counts,
  });
const brokenFile = { name: "a.test.ts", status: "failed", assertionResults: [] };
const failedFile = { name: "b.test.ts", status: "failed", assertionResults: [{ status: "failed" }] };
const failedHook = { name: "c.test.ts", status: "failed", assertionResults: [{ status: "skipped" }] };

test.each([
  { what: "a good run", report: report({ numPassedTests: 3, numTodoTests: 1 }), code: 0, counts: [3, 0, 1] },
  {
    what: "failed tests",
    report: report({ numPassedTests: 3, numFailedTests: 2, numPendingTests: 1, testResults: [failedFile] }),
    code: 1,
    counts: [3, 2, 1],
  },
  {
    what: "a file that does not load",
    report: report({ numPassedTests: 3, testResults: [brokenFile] }),
    code: 1,
    counts: [3, 1, 0],
  },
  {
    what: "a file whose hook fails",
    report: report({ numPassedTests: 3, numPendingTests: 1, testResults: [failedHook] }),
    code: 1,
    counts: [3, 1, 1],
  },
  { what: "an error outside of any test", report: report({ numPassedTests: 3 }), code: 1, counts: [3, 1, 0] },
  { what: "no test at all", report: report({}), code: 0, counts: [0, 1, 0] },
  { what: "a crash before the report", report: "", code: 134, counts: [0, 1, 0] },
  { what: "half a report", report: '{"numPassedTests":', code: 0, counts: [0, 1, 0] },
  { what: "a run that was stopped", report: "", code: undefined, counts: [0, 1, 0] },
])("counts $what", ({ report, code, counts }) => {
  const [passed, failed, skipped] = counts;
  expect(countTests(report, code)).toMatchObject({ passed, failed, skipped });
});

test("counts the long tests that the short form leaves out apart from skipped ones", () => {
  const assertionResults = [
    { status: "passed", tags: [] },
    { status: "skipped", tags: ["long"] },
    { status: "skipped", tags: [] },
    { status: "failed", tags: [] },
  ];
  const testResults = [{ name: `${process.cwd()}/test/a.test.ts`, status: "failed", assertionResults }];
  const text = report({ numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, testResults });
  expect(countTests(text, 1, { isShort: true })).toMatchObject({
    skipped: 1,
    left: 1,
    failedFiles: [{ file: "test/a.test.ts", passed: 1, failed: 1, skipped: 1, left: 1 }],
  });
  expect(countTests(text, 1)).toMatchObject({ skipped: 2, left: 0 });
});

test("names what failed, with the beginning of its error", () => {
  const assertionResults = [
    { status: "passed", fullName: "opens", failureMessages: [] },
    { status: "failed", fullName: "closes", failureMessages: [`AssertionError: open${" ".repeat(1000)}end`] },
  ];
  const testResults = [
    { name: `${process.cwd()}/test/a.test.ts`, status: "failed", assertionResults },
    { name: `${process.cwd()}/test/b.test.ts`, status: "failed", message: "No such module", assertionResults: [] },
  ];
  expect(countTests(report({ numFailedTests: 1, testResults }), 1).failures).toEqual([
    "test/a.test.ts > closes\n    AssertionError: open",
    "test/b.test.ts\n    No such module",
  ]);
});

describe("files that failed and are run again by themselves", () => {
  const one = (status: string) => ({ status, fullName: status });
  const path = (name: string): string => `${process.cwd()}/test/${name}.test.ts`;
  const first = countTests(
    report({
      numPassedTests: 10,
      numFailedTests: 2,
      numPendingTests: 2,
      testResults: [
        { name: path("a"), status: "passed", assertionResults: [one("passed")] },
        { name: path("b"), status: "failed", assertionResults: ["failed", "failed", "passed", "skipped"].map(one) },
        { name: path("c"), status: "failed", assertionResults: [one("skipped")] },
      ],
    }),
    1,
  );

  test("are counted by file", () => {
    expect(first).toMatchObject({ passed: 10, failed: 3, skipped: 2 });
    expect(first.failedFiles).toEqual([
      { file: "test/b.test.ts", passed: 1, failed: 2, skipped: 1, left: 0 },
      { file: "test/c.test.ts", passed: 0, failed: 1, skipped: 1, left: 0 },
    ]);
  });

  test("count as in the later run, and all others as in the first", () => {
    const again = countTests(report({ numPassedTests: 4, numPendingTests: 1 }), 0);
    expect(countAgain(first, again)).toEqual({
      passed: 13,
      failed: 0,
      skipped: 1,
      left: 0,
      failures: [],
      failedFiles: [],
    });
  });

  test("fail still when they fail again", () => {
    const testResults = [{ name: path("b"), status: "failed", assertionResults: ["failed", "passed"].map(one) }];
    const again = countTests(report({ numPassedTests: 1, numFailedTests: 1, testResults }), 1);
    expect(countAgain(first, again)).toMatchObject({ passed: 10, failed: 1, failures: ["test/b.test.ts > failed"] });
  });

  test("do not make up for a failure outside of them, nor for a later run that was stopped", () => {
    const crashed = countTests(report({ numPassedTests: 3 }), 1);
    expect(countAgain(crashed, countTests(report({ numPassedTests: 3 }), 0)).failed).toBe(1);
    expect(countAgain(first, countTests("", undefined)).failed).toBe(1);
  });
});

test("a run failed to start when no test ran and no file failed", () => {
  expect(failedToStart(countTests(report({}), 1))).toBe(true);
  expect(failedToStart(countTests("", 1))).toBe(true);
  expect(failedToStart(countTests(report({ numPassedTests: 3 }), 1))).toBe(false);
  expect(failedToStart(countTests(report({ numPassedTests: 3 }), 0))).toBe(false);
  const testResults = [{ name: "a.test.ts", status: "failed", assertionResults: [], message: "SyntaxError" }];
  expect(failedToStart(countTests(report({ testResults }), 1))).toBe(false);
});
