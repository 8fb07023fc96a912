import { env } from "cloudflare:workers";
import { expect, inject, test, vi } from "vitest";
import { Meter } from "../../../src/core/account/meter.ts";
import { createRemoteBrowser, type BrowserLoaders } from "../../../src/platform/browser/remote/remote-browser.ts";
import { browserRequest } from "./browser-helpers.ts";

const site = inject("siteUrl");
const BROWSERS = { maxBrowsers: 2, tabsPerBrowser: 4, warmBrowsers: 1, launchesPerMinute: 600 };

/** The browser behind its objects, with the calls to them. */
function remote(options: { callerLeft?: AbortSignal; allowPrivateHosts?: string[] } = {}) {
  const { callerLeft, allowPrivateHosts = ["127.0.0.1"] } = options;
  const calls: string[] = [];
  const deferred: Promise<unknown>[] = [];
  const loaders = env.BROWSER_LOADER as unknown as BrowserLoaders;
  const counted: BrowserLoaders = {
    getByName(name, hint) {
      const stub = loaders.getByName(name, hint);
      return {
        load: (...args) => {
          calls.push("load");
          return stub.load(...args);
        },
        leave: (id) => {
          calls.push("leave");
          return stub.leave(id);
        },
      };
    },
  };
  const meter = new Meter();
  const settings = {
    browsers: BROWSERS,
    region: undefined,
    allowPrivateHosts,
    resolverUrl: "off",
    isBesideLoads: false,
  };
  const defer = (work: Promise<unknown>): void => void deferred.push(work);
  const browser = createRemoteBrowser({ loaders: counted, settings, meter, callerLeft, defer });
  return { browser, calls, deferred, meter };
}

test("a load with a picture and actions is one call of its caller, who pays what it used", async () => {
  const { browser, calls, meter } = remote();
  const outcome = await browser.load(
    browserRequest(`${site}/app/shell`, {
      screenshot: { fullPage: true },
      actions: [{ type: "executeJavascript", script: "({ mark: 7 })" }],
    }),
  );
  expect(outcome).toMatchObject({
    kind: "loaded",
    page: {
      statusCode: 200,
      body: expect.stringContaining("Saint Bride"),
      actions: { javascriptReturns: [{ value: { mark: 7 } }] },
    },
  });
  const picture = outcome.kind === "loaded" ? outcome.page.screenshot : undefined;
  expect([...(picture?.bytes.slice(0, 4) ?? [])]).toEqual([0x89, 0x50, 0x4e, 0x47]);
  expect(calls).toEqual(["load"]);
  // Of the object: waiting for a browser, naming its context, releasing it; again for a browser that was gone.
  expect(meter.counts.durableObjectRequests).toBeGreaterThanOrEqual(3);
  expect(meter.counts.browserMs).toBeGreaterThan(0);
  // An estimate measures by pages what the receipt will count.
  expect(outcome.kind === "loaded" ? outcome.page.browserMs : 0).toBe(meter.counts.browserMs);
});

test("the object refuses what the caller's settings refuse", async () => {
  const { browser } = remote({ allowPrivateHosts: [] });
  const outcome = await browser.load(browserRequest(`${site}/final`));
  expect(outcome).toMatchObject({ kind: "failed", code: "SAFE_MODE_BLOCKED" });
});

test("a caller who leaves ends the load, and the browser is released", async () => {
  const left = new AbortController();
  const { browser, calls, deferred } = remote({ callerLeft: left.signal });
  const pool = env.BROWSER_POOL.getByName("pool");
  const patience = { timeout: 15_000, interval: 100 };
  // The tabs of earlier loads are closed after their calls.
  await vi.waitFor(async () => expect((await pool.status()).leases).toBe(0), patience);
  const loading = browser.load(browserRequest(`${site}/final`, { waitForMs: 25_000 }));
  await vi.waitFor(async () => expect((await pool.status()).leases).toBe(1), patience);
  left.abort(new DOMException("The client has left", "AbortError"));
  expect(await loading).toMatchObject({ kind: "failed", code: "SCRAPE_TIMEOUT" });
  await Promise.all(deferred);
  expect(calls).toEqual(["load", "leave"]);
  expect(await pool.status()).toMatchObject({ leases: 0, waiters: 0 });
});
