import { expect, test } from "vitest";
import { shownUrl } from "../../../../src/core/url/shown-url.ts";

test.each([
  ["https://hooks.example/orders/done", "https://hooks.example/orders/done"],
  ["https://user:pass@hooks.example:8443/a?token=hush#x", "https://hooks.example:8443/a"],
  ["https://chat.example/services/T01234567/B01234567/abcDEF0123456789ghiJKL", "https://chat.example/services/…/…/…"],
  ["https://api.chat.example/bot123456789:AAEhBOweik/sendMessage", "https://api.chat.example/…/sendMessage"],
  ["https://hooks.example/hooks/catch/1234567/a1b2c3d/", "https://hooks.example/hooks/catch/1234567/…/"],
  ["https://hooks.example/hook/s3cr3t%3Atoken0123456789", "https://hooks.example/hook/…"],
  ["https://hooks.example/hook/AbcdefGhijklmnOpqrstuv", "https://hooks.example/hook/…"],
  ["https://hooks.example/api/v1/oauth2/orders-2026", "https://hooks.example/api/v1/oauth2/orders-2026"],
  ["https://hooks.example/a-rather-long-name-of-a-place", "https://hooks.example/a-rather-long-name-of-a-place"],
])("%s is shown as %s", (url, shown) => {
  expect(shownUrl(url)).toBe(shown);
});
