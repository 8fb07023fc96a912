import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EngineOutcome } from "../../../../src/core/scrape/page.ts";
import { createBrowserEngine } from "../../../../src/engines/browser.ts";
import { createBrowser, type BrowserOptions } from "../../../../src/platform/browser/browser-rendering.ts";
import type { Browser, BrowserRequest } from "../../../../src/ports/browser.ts";
import { FakeChromium } from "../../../fakes/fake-chromium.ts";
import { MemoryBrowserPool } from "../../../fakes/memory/memory-browser-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function world(settings: Partial<BrowserOptions["settings"]> = {}): {
  chromium: FakeChromium;
  pool: MemoryBrowserPool;
  browser: Browser;
} {
  const chromium = new FakeChromium();
  const pool = new MemoryBrowserPool(chromium.binding);
  const browser = createBrowser({
    binding: chromium.binding,
    // The memory pool has what is called of a stub; a stub has much more that is not.
    pool: { getByName: () => pool } as unknown as BrowserOptions["pool"],
    guard: { check: async () => ({ kind: "allowed" }) },
    clock: { now: () => Date.now() },
    settings: { maxBrowsers: 3, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600, ...settings },
  });
  return { chromium, pool, browser };
}

const request = (url: string): BrowserRequest => ({
  url,
  deadlineMs: Date.now() + 10_000,
  waitForMs: 0,
  mobile: false,
  headers: {},
  languages: [],
  blockAds: true,
  skipTlsVerification: false,
  actions: [],
  ownHosts: [],
});

async function settled<T>(promise: Promise<T>): Promise<T> {
  const advancing = vi.advanceTimersByTimeAsync(40_000);
  const value = await promise;
  await advancing;
  return value;
}

test.each<{ page: string; outcome: object }>([
  { page: "fine", outcome: { kind: "loaded" } },
  { page: "hang", outcome: { kind: "failed", code: "SCRAPE_TIMEOUT" } },
  {
    page: "crash",
    outcome: { kind: "failed", code: "SCRAPE_SITE_ERROR", message: expect.stringContaining("crashed") },
  },
  { page: "die", outcome: { kind: "failed", code: "SCRAPE_BROWSER_UNAVAILABLE" } },
])("a page that does this: $page", async ({ page, outcome }) => {
  const { browser } = world();
  expect(await settled(browser.load(request(`https://example.com/${page}`)))).toMatchObject(outcome);
});

test("a load is served in its team's turn, however many loads of another team wait for a browser", async () => {
  const { browser } = world({ maxBrowsers: 1, tabsPerBrowser: 1 });
  const engine = createBrowserEngine(browser);
  const served: string[] = [];
  const load = async (teamId: string): Promise<void> => {
    const owner = { teamId, keyId: teamId };
    const page = {
      ...request("https://example.com/fine"),
      screenshot: undefined,
      needs: new Set<never>(),
      fastMode: false,
    };
    expect(await engine.load({ ...page, owner })).toMatchObject({ kind: "loaded" });
    served.push(teamId);
  };
  await settled(Promise.all([...Array<string>(6).fill("loud"), "quiet"].map(load)));
  expect(served).toHaveLength(7);
  expect(served.indexOf("quiet")).toBeLessThanOrEqual(1);
});

test("a browser that ends is tried twice, in two browsers", async () => {
  const { browser, chromium } = world();
  await settled(browser.load(request("https://example.com/die")));
  expect(chromium.launches).toBe(2);
});

test("whatever 500 pages do, every connection and context is closed, and every browser in the end", async () => {
  const { browser, chromium, pool } = world();
  const faults = [
    "fine",
    "fine",
    "fine",
    "fine",
    "fine",
    "fine",
    "hang",
    "crash",
    "fine",
    "die",
    "fine",
    "keep-context",
  ];
  const outcomes = new Map<string, number>();
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let index = next++; index < 500; index = next++) {
      const outcome: EngineOutcome = await browser.load(
        request(`https://example.com/${faults[index % faults.length]}`),
      );
      outcomes.set(outcome.kind, (outcomes.get(outcome.kind) ?? 0) + 1);
    }
  };
  const callers = Promise.all(Array.from({ length: 20 }, caller));
  const done = () => [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  for (let seconds = 0; seconds < 3_600 && done() < 500; seconds++) await vi.advanceTimersByTimeAsync(1_000);
  await callers;
  const last = Promise.all(Array.from({ length: 8 }, () => browser.load(request("https://example.com/fine"))));
  await vi.advanceTimersByTimeAsync(10_000);
  await last;

  expect(done()).toBe(500);
  expect(outcomes.get("loaded")).toBeGreaterThan(200);
  expect(chromium.mostSessions).toBeLessThanOrEqual(3);
  expect(chromium.openSockets).toBe(0);
  expect(pool.state).toMatchObject({ leases: [], waiters: [] });
  expect(chromium.sessions.size).toBeGreaterThan(0);
  for (const session of chromium.sessions.values()) expect(session.contexts.size).toBe(0);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(chromium.sessions.size).toBe(0);
});

test("a browser that is not ready yet is tried again, and is not replaced", async () => {
  const { browser, chromium } = world();
  chromium.refusals.push(429, 503, 500);
  expect(await settled(browser.load(request("https://example.com/fine")))).toMatchObject({ kind: "loaded" });
  expect(chromium).toMatchObject({ launches: 1, refusals: [] });
});

test.each([404, 410])("a browser whose session answers %i is replaced at once", async (status) => {
  const { browser, chromium } = world();
  chromium.refusals.push(status);
  expect(await settled(browser.load(request("https://example.com/fine")))).toMatchObject({ kind: "loaded" });
  expect(chromium.launches).toBe(2);
});

test("messages of the browser may be binary frames", async () => {
  const { browser, chromium } = world();
  chromium.isBinary = true;
  expect(await settled(browser.load(request("https://example.com/fine")))).toMatchObject({ kind: "loaded" });
});

test("a load takes its browser from the pool of the client's region, which is placed there", async () => {
  const chromium = new FakeChromium();
  const pool = new MemoryBrowserPool(chromium.binding);
  const asked: unknown[][] = [];
  const getByName = (...args: unknown[]) => {
    asked.push(args);
    return pool;
  };
  const options: BrowserOptions = {
    binding: chromium.binding,
    pool: { getByName } as unknown as BrowserOptions["pool"],
    guard: { check: async () => ({ kind: "allowed" }) },
    clock: { now: () => Date.now() },
    settings: { tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600 },
    region: "apac",
  };
  const browser = createBrowser(options);
  expect(await settled(browser.load(request("https://example.com/fine")))).toMatchObject({ kind: "loaded" });
  // Acquisition, context and release.
  expect(asked).toEqual(Array.from({ length: 3 }, () => ["apac", { locationHint: "apac" }]));
  // A fixed number of browsers is that of the whole service.
  const fixed = createBrowser({ ...options, settings: { ...options.settings, maxBrowsers: 3 } });
  expect(await settled(fixed.load(request("https://example.com/fine")))).toMatchObject({ kind: "loaded" });
  expect(asked.slice(3)).toEqual(Array.from({ length: 3 }, () => ["pool"]));
});
