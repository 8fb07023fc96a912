import { expect, test } from "vitest";
import { readTestOptions } from "../../../../src/tools/testing/test-options.ts";

test("npm test is the short form, unless all tests are asked for", () => {
  expect(readTestOptions([], {})).toEqual({ all: false, help: false });
  expect(readTestOptions(["--all"], {})).toEqual({ all: true, help: false });
  expect(readTestOptions(["--help"], {})).toEqual({ all: false, help: true });
});

test.each([
  { words: ["--al"], says: "Unknown option '--al'" },
  { words: ["e2e"], says: "Unexpected argument 'e2e'" },
  { words: ["--all=some"], says: "Option '--all' does not take an argument" },
])("$words are refused, with the options that there are", ({ words, says }) => {
  expect(() => readTestOptions(words, {})).toThrow(says);
  expect(() => readTestOptions(words, {})).toThrow("npm test [-- options]");
});

test("an option that npm took for its own is named", () => {
  expect(() => readTestOptions([], { npm_config_all: "true" })).toThrow("npm test -- --all");
});
