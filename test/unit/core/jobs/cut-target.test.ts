import { expect, test } from "vitest";
import { cutTarget, isCutTarget } from "../../../../src/core/jobs/cut-target.ts";
import { utf8Length } from "../../../../src/core/text/utf8.ts";

test("a target of at most 2,048 bytes is stored as it is", () => {
  const target = `https://a.example/${"é".repeat(1_015)}`;
  expect(utf8Length(target)).toBe(2_048);
  expect(cutTarget(target)).toBe(target);
  expect(isCutTarget(target)).toBe(false);
});

test.each(["a", "é", "字", "🕸"])("a longer one of “%s” is cut to its beginning and a hash", (letter) => {
  const long = `https://a.example/${letter.repeat(2_100)}`;
  const cut = cutTarget(long);
  expect(cut).toMatch(/^https:\/\/a\.example\/.*…[0-9a-z]{11}$/u);
  expect(cut.isWellFormed()).toBe(true);
  expect(utf8Length(cut)).toBeLessThanOrEqual(2_048);
  expect(isCutTarget(cut)).toBe(true);
  expect(cutTarget(cut)).toBe(cut);
  expect(cutTarget(`${long}2`)).not.toBe(cut);
});
