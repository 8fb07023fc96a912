import { RE2JS } from "re2js";
import { expect, test, vi } from "vitest";
import { assertQuickToCompile, compilePatterns, unicodeClassesIn } from "../../../../src/core/text/safe-pattern.ts";

test.each([
  ["repetitions", Array.from({ length: 5 }, () => "\\p{L}{999}".repeat(90))],
  ["nested repetitions", ["((a{10}){10}){10}".repeat(50)]],
  ["repetitions of optional parts", ["(?:(?i:a?){30}b{5}){30,60}"]],
  ["texts", Array.from({ length: 1_000 }, () => "a".repeat(906))],
])("patterns of many %s are refused before they are compiled", (_what, patterns) => {
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    expect(() => compilePatterns(patterns, "includePaths")).toThrow(/^includePaths is too large/);
    expect(compile).not.toHaveBeenCalled();
  } finally {
    compile.mockRestore();
  }
});

test("new patterns of more than 100 Unicode classes are refused", () => {
  const patterns = Array.from({ length: 10 }, () => String.raw`^/\pL{2}/[^\p{Nd}\P{Greek}]+\\p`);
  expect(unicodeClassesIn(patterns[0] ?? "")).toBe(3);
  expect(() => assertQuickToCompile(patterns, "includePaths")).not.toThrow();
  const many = [...patterns, String.raw`(?i)\pL`.repeat(71)];
  expect(() => assertQuickToCompile(many, "includePaths")).toThrow(/^includePaths .* 100 Unicode classes$/);
});

test("the second of two patterns is not compiled when the first one takes all steps", () => {
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    expect(() => compilePatterns(["(?:a|b|c)*d*".repeat(80), "x{900}", "y{900}"], "excludePaths")).toThrow("steps");
    expect(compile).toHaveBeenCalledTimes(2);
  } finally {
    compile.mockRestore();
  }
});

test("the states of matchers are dropped after some millions of steps, and the patterns match as before", () => {
  const patterns = compilePatterns(["x{900}", "y{900}"], "includePaths");
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    // Some 1.8 million steps a text: a program is dropped with at most ten million of them.
    for (let index = 0; index < 20; index++) expect(patterns.findIn(`${index}${"y".repeat(1_000)}`)).toBe(true);
    expect(compile.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(compile.mock.calls.length).toBeLessThan(10);
  } finally {
    compile.mockRestore();
  }
});

test("many small patterns are compiled again a few at a time, and those of other options are kept", () => {
  const many = Array.from({ length: 400 }, () => "[0-9]x");
  const patterns = compilePatterns(many, "includePaths");
  const others = compilePatterns(["^/blog/[0-9]+$"], "includePaths");
  const compile = vi.spyOn(RE2JS, "compile");
  try {
    let most = 0;
    // Some 600,000 steps a text.
    for (let index = 0; index < 40; index++) {
      expect(others.findIn("/blog/1")).toBe(true);
      const before = compile.mock.calls.length;
      expect(patterns.findIn(`/${index}-${"b".repeat(300)}`)).toBe(false);
      most = Math.max(most, compile.mock.calls.length - before);
    }
    expect(compile.mock.calls.length).toBeGreaterThan(most);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(many.length / 5);
    expect(compile.mock.calls.every(([pattern]) => pattern === "[0-9]x")).toBe(true);
  } finally {
    compile.mockRestore();
  }
});

test.each([
  ["^/blog/[0-9]{4}/[a-z-]+$", "/blog/2026/a-day"],
  ["\\{9999\\}", "{9999}"],
  ["[{9999}]+x", "{9}x"],
  ["\\Q{999}{999}{999}\\E", "{999}{999}{999}"],
  ["[]{999}]{2}", "}}"],
  ["(?P<year>\\d{4})/(?:a|b){3,9}", "2026/aba"],
  ["x{900}", "x".repeat(900)],
  ["a{2,}b{,3}", "aab{,3}"],
])("%s is compiled, and matches", (pattern, text) => {
  const patterns = compilePatterns([pattern, pattern], "includePaths");
  expect(patterns.findIn(text)).toBe(true);
  expect(patterns.findIn("nothing of it")).toBe(false);
});

test("wide ranges without regard to case count as Unicode classes, and ranges of letters as none", () => {
  const refused = { code: "BAD_REQUEST", message: "includePaths is too large: it has more than 100 Unicode classes" };
  for (const range of ["B-𞥂", String.raw`\x{42}-\x{1E942}`, String.raw`\u{42}-\u{1E942}`])
    expect(() => assertQuickToCompile([`(?i)[${range.repeat(3)}]`], "includePaths")).toThrow(
      expect.objectContaining(refused),
    );
  for (const pattern of ["(?i)[a-z0-9-]{9}[à-ÿ]+", "(?i)^/[一-龥]+", `[${"B-𞥂".repeat(90)}]`])
    expect(() => assertQuickToCompile([pattern], "includePaths")).not.toThrow();
});
