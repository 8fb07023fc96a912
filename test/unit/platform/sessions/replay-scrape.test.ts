import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { replayScrape } from "../../../../src/platform/sessions/replay-scrape.ts";
import { FakeChromium } from "../../../fakes/fake-chromium.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each(["fine", "alert"])("the page of a scrape is there again, and no dialog holds it up: %s", async (page) => {
  const chromium = new FakeChromium();
  const { binding } = chromium;
  await binding.fetch("https://browser/v1/devtools/browser", { method: "POST" });
  const url = `https://example.com/${page}`;
  const replaying = replayScrape(binding, "session-1", {
    url,
    waitForMs: 0,
    actions: [],
    mobile: false,
    languages: [],
  });
  await vi.advanceTimersByTimeAsync(40_000);
  expect(await Promise.race([replaying, "late"])).toBeUndefined();
  expect(chromium.openSockets).toBe(0);
});

test("a browser that does not answer ends the replay, and keeps no connection", async () => {
  const chromium = new FakeChromium();
  chromium.unanswered.add("Target.getTargets");
  await chromium.binding.fetch("https://browser/v1/devtools/browser", { method: "POST" });
  const replay = { url: "https://example.com/fine", waitForMs: 0, actions: [], mobile: false, languages: [] };
  const replaying = replayScrape(chromium.binding, "session-1", replay);
  await vi.advanceTimersByTimeAsync(89_000);
  expect(chromium.openSockets).toBe(1);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.race([replaying, "late"])).toMatch(/time|deadline/i);
  expect(chromium.openSockets).toBe(0);
});
