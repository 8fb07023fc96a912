import { expect, test } from "vitest";
import { isHeavy } from "../../../../src/content/html/is-heavy.ts";

const TEXT = "word ".repeat(100_000);

test.each([
  { what: "text", html: `<p>${TEXT}`, heavy: true },
  { what: "a script", html: `<script async>${TEXT}</script><p>a`, heavy: false },
  { what: "text behind a style of a drawing that closes itself", html: `<svg><style/></svg><p>${TEXT}`, heavy: true },
])("$what: heavy $heavy", ({ html, heavy }) => {
  expect(isHeavy(new TextEncoder().encode(html))).toBe(heavy);
});
