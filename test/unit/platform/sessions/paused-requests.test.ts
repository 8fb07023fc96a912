import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PausedRequests, type Paused } from "../../../../src/platform/sessions/paused-requests.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

// As much of an event as is read here.
const paused = (at: number, postData?: string): Paused => ({ requestId: `r${at}`, request: { postData } }) as Paused;

test("requests that a page starts at once are answered in their order and in turns, and those beyond 5,000 fail", async () => {
  const answered: string[] = [];
  const failed: string[] = [];
  const requests = new PausedRequests({
    answer: async ({ requestId }) => void answered.push(requestId),
    fail: (requestId) => void failed.push(requestId),
  });
  for (let at = 0; at < 20_000; at++) requests.add(paused(at), "page");
  expect(answered).toHaveLength(500);
  expect(failed).toHaveLength(14_500);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(answered).toEqual(Array.from({ length: 5_500 }, (_, at) => `r${at}`));
});

test("requests that wait have 8 MB of bodies, and further ones fail", async () => {
  const answered: string[] = [];
  const failed: string[] = [];
  const requests = new PausedRequests({
    answer: async ({ requestId }) => void answered.push(requestId),
    fail: (requestId) => void failed.push(requestId),
  });
  const body = "a".repeat(1_000_000);
  for (let at = 0; at < 520; at++) requests.add(paused(at, body), "page");
  expect(failed).toHaveLength(12);
  await vi.advanceTimersByTimeAsync(1_000);
  requests.add(paused(1_000, body), "page");
  expect(answered).toHaveLength(509);
});

test("a request whose answer fails is failed", async () => {
  const failed: unknown[] = [];
  const requests = new PausedRequests({
    answer: () => Promise.reject(new Error("no verdict")),
    fail: (...request) => void failed.push(request),
  });
  requests.add(paused(1), "page");
  await vi.advanceTimersByTimeAsync(0);
  expect(failed).toEqual([["r1", "page"]]);
});
