import { expect, test } from "vitest";
import { countTests } from "../../../../src/tools/testing/vitest-project.ts";

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
const failedFile = { name: "b.test.ts", status: "failed", assertionResults: [{}] };

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
  { what: "an error outside of any test", report: report({ numPassedTests: 3 }), code: 1, counts: [3, 1, 0] },
  { what: "no test at all", report: report({}), code: 0, counts: [0, 1, 0] },
  { what: "a crash before the report", report: "", code: 134, counts: [0, 1, 0] },
  { what: "half a report", report: '{"numPassedTests":', code: 0, counts: [0, 1, 0] },
  { what: "a run that was stopped", report: "", code: undefined, counts: [0, 1, 0] },
])("counts $what", ({ report, code, counts }) => {
  const [passed, failed, skipped] = counts;
  expect(countTests(report, code)).toMatchObject({ passed, failed, skipped });
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
