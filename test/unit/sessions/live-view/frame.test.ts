import { expect, test } from "vitest";
import { frameDelayMs, isReady, NOTHING_SENT } from "../../../../src/sessions/live-view/frame-pace.ts";
import { encodeFrame } from "../../../../src/sessions/live-view/frame.ts";

test("a frame begins with its number and size", () => {
  const bytes = encodeFrame({ number: 258, atMs: 0, width: 1280, height: 800, jpeg: Uint8Array.of(0xff, 0xd8) });
  expect([...bytes]).toEqual([0, 0, 1, 2, 5, 0, 3, 32, 0xff, 0xd8]);
});

test("a viewer that is three frames behind gets no more until it painted one or fell silent", () => {
  expect(isReady(NOTHING_SENT, 0)).toBe(true);
  expect(isReady({ sent: 5, painted: 3, sentAtMs: 1000 }, 1000)).toBe(true);
  expect(isReady({ sent: 6, painted: 3, sentAtMs: 1000 }, 1000)).toBe(false);
  expect(isReady({ sent: 6, painted: 3, sentAtMs: 1000 }, 4001)).toBe(true);
});

test("frames come faster for people than for a film", () => {
  expect(frameDelayMs(1000, 1010, true)).toBe(30);
  expect(frameDelayMs(1000, 1010, false)).toBe(190);
  expect(frameDelayMs(1000, 5000, true)).toBe(0);
});
