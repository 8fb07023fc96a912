import { expect, test } from "vitest";
import { decodePercent } from "../../../../src/core/url/decode-percent.ts";

test.each([
  { text: "/caf%C3%A9%20noir", decoded: "/café noir" },
  { text: "100%", decoded: "100%" },
  { text: "%E9t%E9", decoded: "%E9t%E9" },
  { text: "plain", decoded: "plain" },
])("$text reads $decoded", ({ text, decoded }) => {
  expect(decodePercent(text)).toBe(decoded);
});
