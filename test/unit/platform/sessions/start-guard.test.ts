import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startGuard } from "../../../../src/platform/sessions/start-guard.ts";
import type { OutboundGuard } from "../../../../src/ports/outbound/outbound-guard.ts";
import { FakeChromium } from "../../../fakes/fake-chromium.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Starts a guard that checks nothing, in a new browser. */
async function start(chromium: FakeChromium) {
  await chromium.binding.fetch("https://browser/v1/devtools/browser", { method: "POST" });
  const guard = { check: async () => ({ kind: "allowed" }) } as unknown as OutboundGuard;
  const session = { browserSessionId: "session-1", life: { ownHosts: [] } };
  const starting = startGuard({ BROWSER: chromium.binding }, session, { guard, isNew: false });
  return starting.then(
    () => "started",
    (error: unknown) => String(error),
  );
}

test.each(["Browser.getVersion", "Target.getTargets"])(
  "a browser that leaves %s unanswered keeps no connection",
  async (method) => {
    const chromium = new FakeChromium();
    chromium.unanswered.add(method);
    const starting = start(chromium);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(chromium.openSockets).toBe(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await Promise.race([starting, "late"])).toBe("BrowserGoneError: The browser does not answer");
    expect(chromium.openSockets).toBe(0);
  },
);

test("the connection of a guard that has started in time stays open", async () => {
  const chromium = new FakeChromium();
  const starting = start(chromium);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await starting).toBe("started");
  expect(chromium.openSockets).toBe(1);
});
