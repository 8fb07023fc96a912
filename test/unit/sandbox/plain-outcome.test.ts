import { expect, test } from "vitest";
import { plainOutcome } from "../../../src/sandbox/plain-outcome.ts";
import { toResult } from "../../../src/sandbox/to-result.ts";

const outcome = { stdout: "out\n", stderr: "", result: "1", exitCode: 0, killed: false };

test("an outcome of the program stays as it is", () => {
  expect(plainOutcome(outcome)).toEqual(outcome);
});

test("values in place of texts are left out, however few objects they are made of", () => {
  const row: unknown[] = Array.from({ length: 1_000 });
  const shared = Array.from({ length: 1_000 }, () => row);
  expect(plainOutcome({ ...outcome, result: shared, stdout: { length: 1 }, exitCode: shared })).toEqual({
    ...outcome,
    result: undefined,
    stdout: "",
    exitCode: 1,
  });
  expect(plainOutcome(undefined)).toMatchObject({ exitCode: 1, killed: false });
});

test("long texts are cut", () => {
  expect(plainOutcome({ ...outcome, stderr: "x".repeat(3_000_000) }).stderr.length).toBeLessThan(1_001_000);
});

test("code that replaces JSON.stringify does not decide what its result is", () => {
  const { stringify } = JSON;
  try {
    JSON.stringify = () => [] as unknown as string;
    expect(toResult({ a: 1 })).toBe('{"a":1}');
  } finally {
    JSON.stringify = stringify;
  }
});
