import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CdpConnection } from "../../../../src/platform/browser/cdp-connection.ts";
import { PageSettings } from "../../../../src/platform/sessions/page-settings.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const METRICS = { width: 1_280, height: 720, deviceScaleFactor: 1, mobile: false };

/** Settings of pages, with what is sent for them. */
function setUp({ isSilent = false } = {}) {
  const sent: string[] = [];
  const send = (
    method: string,
    { browserContextId = "" }: { browserContextId?: string },
    sessionId = "",
  ): Promise<unknown> => {
    // prettier-ignore
    sent.push(`${method} ${browserContextId}${sessionId}`);
    if (isSilent) return new Promise(() => undefined);
    return browserContextId === "gone" ? Promise.reject(new Error("No context")) : Promise.resolve({});
  };
  // As much of a connection as is used here.
  const settings = new PageSettings({ send } as Pick<CdpConnection, "send">, METRICS);
  return { settings, sent };
}

test("downloads are denied once in each new context, however many contexts there were before", () => {
  const { settings, sent } = setUp();
  for (let at = 0; at < 5_000; at++) {
    settings.add(`page-${at}`, { sessionId: `session-${at}`, contextId: `context-${at}` });
    settings.add(`other-${at}`, { sessionId: `session-${at}`, contextId: `context-${at}` });
    settings.delete(`page-${at}`);
    settings.delete(`other-${at}`);
  }
  expect(sent).toHaveLength(5_000);
  settings.denyDownloads();
  expect(sent.slice(5_000)).toEqual(["Browser.setDownloadBehavior "]);
});

test("downloads are denied again in the contexts of all pages, also when one of them is gone", async () => {
  const { settings, sent } = setUp();
  for (const contextId of ["a", "gone", "b"]) settings.add(`of ${contextId}`, { sessionId: contextId, contextId });
  sent.length = 0;
  settings.restore();
  await vi.advanceTimersByTimeAsync(10);
  const denied = ["", "a", "gone", "b"].map((context) => `Browser.setDownloadBehavior ${context}`);
  const sized = ["a", "gone", "b"].map((session) => `Emulation.setDeviceMetricsOverride ${session}`);
  expect(sent).toEqual([...denied, ...sized]);
});

test("drivers that leave one after another are one restoration, and another one afterwards", async () => {
  const { settings, sent } = setUp();
  settings.add("page", { sessionId: "session", contextId: "context" });
  sent.length = 0;
  for (let at = 0; at < 1_000; at++) settings.restore();
  await vi.advanceTimersByTimeAsync(10);
  expect(sent).toHaveLength(2 * 3);
});

test("settings that the browser does not confirm are set again all the same", async () => {
  const { settings, sent } = setUp({ isSilent: true });
  settings.denyDownloads();
  settings.denyDownloads();
  expect(sent).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(600);
  expect(sent).toHaveLength(2);
});
