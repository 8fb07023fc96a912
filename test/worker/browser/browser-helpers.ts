import { sessions } from "@cloudflare/puppeteer";
import { env } from "cloudflare:workers";
import { expect, inject } from "vitest";
import type { SessionPlan } from "../../../src/core/sessions/browser-session.ts";
import type { LoadedPage } from "../../../src/core/scrape/page.ts";
import { createBrowser } from "../../../src/platform/browser/browser-rendering.ts";
import type { BrowserSettings } from "../../../src/platform/browser/lease.ts";
import { createBrowserSessions } from "../../../src/platform/sessions/session-port.ts";
import { createOutboundGuard } from "../../../src/platform/outbound/outbound-guard.ts";
import type { BrowserSessions } from "../../../src/ports/sessions/browser-session.ts";
import type { Browser, BrowserRequest } from "../../../src/ports/browser.ts";

const SETTINGS: BrowserSettings = { maxBrowsers: 2, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600 };

/** The binding of the local browser, which every test project has. */
export function browserBinding(): Fetcher {
  if (env.BROWSER === undefined) throw new Error("The tests need a browser binding");
  return env.BROWSER;
}

/** The real thing: pool, binding and Chromium; only local sites may be called. */
export function testBrowser(settings: Partial<BrowserSettings> = {}, binding: Fetcher = browserBinding()): Browser {
  const resolver = { resolve: () => Promise.resolve({ kind: "unknown" as const, reason: "no network in tests" }) };
  return createBrowser({
    binding,
    pool: env.BROWSER_POOL,
    guard: createOutboundGuard({ allowPrivateHosts: ["127.0.0.1", "localhost"], resolver }),
    clock: { now: () => Date.now() },
    settings: { ...SETTINGS, ...settings },
  });
}

export function browserRequest(url: string, more: Partial<BrowserRequest> = {}): BrowserRequest {
  return {
    url,
    deadlineMs: Date.now() + 30_000,
    waitForMs: 0,
    mobile: false,
    headers: {},
    languages: [],
    blockAds: true,
    skipTlsVerification: false,
    actions: [],
    ownHosts: [],
    ...more,
  };
}

/** Loads a page that is expected to load. */
export async function loadPage(
  url: string,
  more: Partial<BrowserRequest> = {},
  browser: Browser = testBrowser(),
): Promise<LoadedPage & { body: string }> {
  const outcome = await browser.load(browserRequest(url, more));
  if (outcome.kind !== "loaded")
    throw new Error(`Not loaded: ${JSON.stringify(outcome)} ${String("cause" in outcome && outcome.cause)}`);
  const { body } = outcome.page;
  expect(typeof body).toBe("string");
  return { ...outcome.page, body: String(body) };
}

/** Sessions as the service opens them, with real browsers; only the local site of the tests, or given hosts, may be called. */
export function testSessions(allowPrivateHosts = [new URL(inject("siteUrl")).host]): BrowserSessions {
  return createBrowserSessions({
    namespace: env.BROWSER_SESSION,
    settings: {
      maxSessions: 3,
      warmBrowsers: 0,
      launchesPerMinute: 600,
      allowPrivateHosts,
      resolverUrl: "off",
    },
  });
}

export function sessionPlan(more: Partial<SessionPlan> = {}): SessionPlan {
  return {
    id: crypto.randomUUID(),
    teamId: "team",
    keyId: "key",
    monthlyCredits: undefined,
    ttlMs: 60_000,
    activityTtlMs: 60_000,
    streamWebView: true,
    recordSession: false,
    ownHosts: [],
    ...more,
  };
}

/** Sessions of the binding that live: it lists ended ones for a moment longer. */
export async function liveSessions(): Promise<string[]> {
  return (await sessions(browserBinding())).map(({ sessionId }) => sessionId);
}
