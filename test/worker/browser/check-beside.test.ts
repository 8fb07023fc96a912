import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";
import { createBrowser } from "../../../src/platform/browser/browser-rendering.ts";
import type { Browser } from "../../../src/ports/browser.ts";
import type { GuardVerdict, OutboundGuard } from "../../../src/ports/outbound/outbound-guard.ts";
import { browserBinding, browserRequest } from "./browser-helpers.ts";

const site = inject("siteUrl");
const ALLOWED: GuardVerdict = { kind: "allowed" };

function browserWith(guard: OutboundGuard): Browser {
  return createBrowser({
    binding: browserBinding(),
    pool: env.BROWSER_POOL,
    guard,
    clock: { now: () => Date.now() },
    settings: { maxBrowsers: 2, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600 },
  });
}

test("a page whose check does not end is returned after a short wait", async () => {
  const { promise: verdict, resolve } = Promise.withResolvers<GuardVerdict>();
  const browser = browserWith({ check: () => verdict, checkText: () => ALLOWED });
  expect(await browser.load(browserRequest(`${site}/final`))).toMatchObject({
    kind: "loaded",
    page: { statusCode: 200 },
  });
  resolve(ALLOWED);
});

test("a check beside the load that refuses the address ends it", async () => {
  const refused: GuardVerdict = { kind: "refused", reason: "The host resolves to a private address" };
  const browser = browserWith({ check: async () => refused, checkText: () => ALLOWED });
  const outcome = await browser.load(browserRequest(`${site}/slow?ms=4000`));
  expect(outcome).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED", message: refused.reason });
});

test("a page whose check refuses it after it has loaded is not returned", async () => {
  const { promise: verdict, resolve } = Promise.withResolvers<GuardVerdict>();
  const browser = browserWith({ check: () => verdict, checkText: () => ALLOWED });
  const loading = browser.load(browserRequest(`${site}/final`));
  const refused: GuardVerdict = { kind: "refused", reason: "The host resolves to a private address" };
  // Longer than the page takes, and shorter than it waits.
  setTimeout(() => resolve(refused), 1_500);
  expect(await loading).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED", message: refused.reason });
});

test("what the text of an address refuses is not loaded", async () => {
  const check = async (): Promise<GuardVerdict> => ALLOWED;
  const browser = browserWith({ check, checkText: () => ({ kind: "refused", reason: "The host is private" }) });
  expect(await browser.load(browserRequest(`${site}/final`))).toMatchObject({ code: "SAFE_MODE_BLOCKED" });
});
