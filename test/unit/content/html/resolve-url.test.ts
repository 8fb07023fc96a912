import { expect, test } from "vitest";
import { baseUrlOf, resolveUrl } from "../../../../src/content/html/resolve-url.ts";

test.each([
  "javascript:alert(1)",
  " vbscript:x",
  "blob:https://a.example/1",
  "about:blank",
  "data:text/html,<script>alert(1)</script>",
  "DATA:Text/HTML;base64,PHA+",
  "data:\ttext/html,x",
  "data:application/xhtml+xml,x",
  "data:text/xml,x",
])("%j runs code where it is opened, and is no address", (address) => {
  expect(resolveUrl(address, "https://a.example/")).toBeUndefined();
});

test.each([
  ["data:image/svg+xml,x", "data:image/svg+xml,x"],
  ["data:text/csv,a;b", "data:text/csv,a;b"],
  ["/data:text/html", "https://a.example/data:text/html"],
  ["mailto:a@b.example", "mailto:a@b.example"],
])("%j is the address %j", (address, resolved) => {
  expect(resolveUrl(address, "https://a.example/")).toBe(resolved);
});

test("a base counts when it is an address of usual length", () => {
  expect(baseUrlOf("/b/", "https://a.example/c")).toBe("https://a.example/b/");
  expect(baseUrlOf("data:text/plain,x", "https://a.example/c")).toBe("https://a.example/c");
  expect(baseUrlOf(`/${"b".repeat(2_000)}/`, "https://a.example/c")).toBe("https://a.example/c");
});
