import { expect, test } from "vitest";
import { seenAtMs, type RecordedPage } from "../../../../src/page-scripts/replay/recording.ts";

const page = (...starts: number[]): RecordedPage => ({
  url: "https://example.com/",
  title: "",
  width: 1280,
  height: 720,
  startMs: 0,
  endMs: 9_000,
  segments: starts.map((startMs) => ({ startMs, endMs: startMs + 1_000 })),
});

test.each([
  { atMs: 4_500, pageref: "page_1", seen: 5_000 },
  { atMs: 5_500, pageref: "page_1", seen: 5_500 },
  { atMs: 500, pageref: "page_0", seen: 1_000 },
  { atMs: 4_500, pageref: "page_2", seen: 4_500 },
  { atMs: 4_500, pageref: "page_7", seen: 4_500 },
])("a request of $pageref at $atMs ms is seen at $seen ms, when its tab is filmed", ({ atMs, pageref, seen }) => {
  expect(seenAtMs(atMs, pageref, [page(1_000, 2_000), page(5_000, 6_000), page()])).toBe(seen);
});
