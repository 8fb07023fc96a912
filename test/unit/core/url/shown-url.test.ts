import { expect, test } from "vitest";
import { shownUrl } from "../../../../src/core/url/shown-url.ts";

test.each([
  ["https://hooks.example/orders/done", "https://hooks.example/orders/done"],
  ["https://user:pass@hooks.example:8443/a?token=hush#x", "https://hooks.example:8443/a"],
  [
    "https://chat.example/services/T01234567/B01234567/abcDEF0123456789ghiJKL",
    "https://chat.example/services/T01234567/B01234567/…",
  ],
  ["https://hooks.example/a-rather-long-name-of-a-place", "https://hooks.example/a-rather-long-name-of-a-place"],
])("%s is shown as %s", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
