import { expect, test } from "vitest";
import { endsEarly } from "../../../../src/platform/browser/requests/ends-early.ts";

const GZIP = [{ name: "Content-Encoding", value: "gzip" }];
const page = (text: string): Uint8Array => new TextEncoder().encode(text);
const WHOLE = `<!doctype html><html lang="en"><body><p>${"The ferry leaves at nine. ".repeat(200)}</p></body></html>\n`;

test.each([1_000, 2_000, 4_000, WHOLE.length - 12])(
  "a compressed page that is cut after %i bytes ends early",
  (bytes) => {
    expect(endsEarly(page(WHOLE.slice(0, bytes)), GZIP)).toBe(true);
  },
);

test.each([
  ["a whole one", WHOLE, GZIP],
  ["one with a comment at its end", `${WHOLE}<!-- cached -->`, GZIP],
  ["one with text behind its end", `${WHOLE}in 3 ms`, GZIP],
  ["one without end tags", `<html><body><p>${"a ".repeat(3_000)}</p><script>1</script>`, GZIP],
  ["a fragment", "<p>One paragraph without an end", GZIP],
  ["text", "no tags at all", GZIP],
  ["one that is not compressed", WHOLE.slice(0, 2_000), []],
  ["one in no coding", WHOLE.slice(0, 2_000), [{ name: "content-encoding", value: "identity" }]],
  ["an empty one", "", GZIP],
])("%s does not", (_what, text, headers) => {
  expect(endsEarly(page(text), headers)).toBe(false);
});
