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
