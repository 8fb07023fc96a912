import { expect, test } from "vitest";
import { isHeavy } from "../../../../src/content/html/is-heavy.ts";

const TEXT = "word ".repeat(100_000);

test.each([
  { what: "text", html: `<p>${TEXT}`, heavy: true },
  { what: "a script", html: `<script async>${TEXT}</script><p>a`, heavy: false },
  { what: "text behind a style of a drawing that closes itself", html: `<svg><style/></svg><p>${TEXT}`, heavy: true },
  { what: "a script with many comparisons", html: `<script>${"if (a<b) c();".repeat(50_000)}</script><p>a`, heavy: false },
  { what: "a script of tag starts alone", html: `<script>${"<".repeat(600_000)}</script><p>a`, heavy: true },
  { what: "scripts with many tag starts together", html: `<script>${"<".repeat(60_000)}</script>`.repeat(10), heavy: true },
  { what: "a large script, whose decoding alone takes long", html: `<script>${"x".repeat(4_000_000)}</script>`, heavy: true },
])("$what: heavy $heavy", ({ html, heavy }) => {
  expect(isHeavy(new TextEncoder().encode(html))).toBe(heavy);
  expect(isHeavy(html)).toBe(heavy);
}); // prettier-ignore
