import { afterEach, expect, test, vi } from "vitest";
import { readViewerMessage } from "../../../../src/sessions/live-view/viewer-message.ts";

afterEach(() => void vi.restoreAllMocks());

test("the longest messages are read", () => {
  const choose = { type: "choose", indexes: Array.from({ length: 1_000 }, (_, index) => 99_000 + index) };
  const part = ",:[{\\".repeat(200_000);
  const file = { type: "file", name: "a.txt", mimeType: "text/plain", part, isLast: true };
  for (const message of [choose, file]) {
    expect(readViewerMessage(JSON.stringify(message), "drive")).toEqual({ kind: "drive", message });
  }
});

test.each([
  `${"[".repeat(31_500)}${"]".repeat(31_500)}`,
  `{"type":"ping",${'"a":0,'.repeat(2_000)}"b":0}`,
  JSON.stringify({ type: "choose", indexes: Array(2_000).fill(0) }),
])("a message of more values than any has is not parsed", (text) => {
  const parse = vi.spyOn(JSON, "parse");
  expect(readViewerMessage(text, "drive")).toEqual({ kind: "unknown" });
  expect(parse).not.toHaveBeenCalled();
});
