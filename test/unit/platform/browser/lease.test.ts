import { expect, test } from "vitest";
import { leaseBrowser, type LeaseOptions } from "../../../../src/platform/browser/lease.ts";

/** Options with a pool whose object fails so often. */
function poolThatFails(times: number, error: Error) {
  let asked = 0;
  const acquire = async () => {
    if (asked++ < times) throw error;
    return { kind: "granted", leaseId: "lease", queuedMs: 0 };
  };
  const settings = { tabsPerBrowser: 1, warmBrowsers: 0, launchesPerMinute: 1, maxBrowsers: 2 };
  const options = { binding: {}, pool: { getByName: () => ({ acquire }) }, settings } as unknown as LeaseOptions;
  return { options, asked: () => asked };
}

const RESET = Object.assign(new Error("Durable Object reset because its code was updated"), {
  durableObjectReset: true,
});

test.each([
  { what: "one that was reset", times: 1, error: RESET, leftMs: 10_000, asked: 2, kind: "granted" },
  { what: "one that is reset again", times: 2, error: RESET, leftMs: 10_000, asked: 2, kind: "refused" },
  {
    what: "one that was reset shortly before the deadline",
    times: 1,
    error: RESET,
    leftMs: 1_000,
    asked: 1,
    kind: "refused",
  },
  { what: "one that fails", times: 1, error: new Error("broken"), leftMs: 10_000, asked: 1, kind: "refused" },
])("a pool is asked $asked times: $what", async ({ times, error, leftMs, asked, kind }) => {
  const pool = poolThatFails(times, error);
  expect(await leaseBrowser(pool.options, { deadlineMs: Date.now() + leftMs })).toMatchObject({ kind });
  expect(pool.asked()).toBe(asked);
});
