import { expect, test } from "vitest";
import { HeldBytes } from "../../../src/core/waits/held-bytes.ts";
import type { LoadedPage } from "../../../src/core/scrape/page.ts";
import { createBrowserEngine } from "../../../src/engines/browser.ts";
import type { PageRequest } from "../../../src/engines/engine.ts";
import { createPlainFetchEngine } from "../../../src/engines/plain-fetch.ts";
import { loadPage } from "../../../src/engines/waterfall.ts";
import type { BrowserRequest } from "../../../src/ports/browser.ts";
import type { OutboundOutcome } from "../../../src/ports/outbound/http.ts";

const ARTICLE = `<html><head><title>Article</title></head><body><article>${"<p>Plain words of the page.</p>".repeat(30)}</article></body></html>`;
const OPEN = { clean: { onlyMainContent: true, includeTags: [], excludeTags: [] }, pdf: {}, bytesOnly: false };

/** Loads a page whose plain request ends like this, with a browser that brings a page. */
async function load(outcome: OutboundOutcome, brought: Partial<LoadedPage> = {}) {
  const asked: BrowserRequest[] = [];
  const page: LoadedPage = { engine: "browser", url: "https://192.0.66.2/", statusCode: 200, headers: {}, contentType: "text/html", body: ARTICLE, warnings: [], ...brought }; // prettier-ignore
  const fetchEngine = createPlainFetchEngine({ request: async () => outcome }, { userAgent: "test", maxBodyBytes: 1 });
  const browser = createBrowserEngine({
    load: async (request) => {
      asked.push(request);
      return { kind: "loaded", page };
    },
  });
  const request: PageRequest = {
    url: page.url, deadlineMs: 60_000, waitForMs: 0, mobile: false, headers: {}, languages: [], blockAds: true,
    skipTlsVerification: true, fastMode: false, actions: [], screenshot: undefined, needs: new Set(), ownHosts: [],
  }; // prettier-ignore
  const tools = {
    engines: [fetchEngine, browser],
    clock: { now: () => 0 },
    sleep: async () => undefined,
    memory: new HeldBytes(),
  };
  return { loaded: await loadPage(tools, request, OPEN), asked };
}

test("an address that the platform's fetch does not load is loaded in a browser, without a warning", async () => {
  const { loaded } = await load({ kind: "failed", code: "SCRAPE_SITE_ERROR", message: "No address", edgeNumber: 1003 });
  expect(loaded.view.loaded).toMatchObject({ engine: "browser", warnings: [] });
  expect(loaded.attempts).toMatchObject([
    { outcome: "insufficient", reason: "address_literal" },
    { outcome: "loaded" },
  ]);
});

test("a certificate that the edge refuses is left to a browser that accepts it", async () => {
  const { loaded, asked } = await load({ kind: "failed", code: "SCRAPE_SSL_ERROR", message: "526", edgeNumber: 526 });
  expect(loaded.view.loaded.engine).toBe("browser");
  expect(asked).toMatchObject([{ skipTlsVerification: true }]);
});

test("the edge's page in a browser is an error of the site", async () => {
  const brought = { statusCode: 521, headers: { server: "cloudflare" }, body: "error code: 521" };
  await expect(load({ kind: "failed", code: "SCRAPE_SITE_ERROR", message: "521" }, brought)).rejects.toMatchObject({
    code: "SCRAPE_SITE_ERROR",
  });
});
