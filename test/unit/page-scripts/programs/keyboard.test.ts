import { beforeEach, expect, test, vi } from "vitest";

const NO_KEYS = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

beforeEach(() => () => {
  vi.unstubAllGlobals();
});

test.each([
  { why: "Option and L on a German Mac, which writes", platform: "MacIntel", key: "@", pressed: { altKey: true }, is: 0 },
  { why: "Option, Shift and 7 on a German Mac", platform: "MacIntel", key: "\\", pressed: { altKey: true, shiftKey: true }, is: 8 },
  { why: "Option and an arrow on a Mac", platform: "MacIntel", key: "ArrowLeft", pressed: { altKey: true }, is: 1 },
  { why: "Option, Command and a letter on a Mac", platform: "MacIntel", key: "i", pressed: { altKey: true, metaKey: true }, is: 3 },
  { why: "Alt and a letter elsewhere", platform: "Linux x86_64", key: "f", pressed: { altKey: true }, is: 1 },
])("the modifiers of $why are $is", async ({ platform, key, pressed, is }) => {
  vi.stubGlobal("navigator", { platform });
  vi.resetModules();
  const { keyModifiersOf } = await import("../../../../src/page-scripts/live-view/input/modifiers.ts");
  expect(keyModifiersOf({ ...NO_KEYS, ...pressed, key } as KeyboardEvent)).toBe(is);
}); // prettier-ignore
