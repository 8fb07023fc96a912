import { edgeErrorOf } from "../core/scrape/edge-error.ts";
import type { EngineOutcome } from "../core/scrape/page.ts";
import type { Browser } from "../ports/browser.ts";
import type { Engine } from "./engine.ts";

/** Loads pages in a real browser: scripts run, actions are carried out, pictures are taken. */
export function createBrowserEngine(browser: Browser): Engine {
  return {
    engine: "browser",
    provides: new Set(["browser", "screenshot", "actions", "branding"]),
    async load(request) {
      const { url, deadlineMs, waitForMs, mobile, headers, languages, blockAds, skipTlsVerification, ownHosts } =
        request;
      const outcome = await browser.load({
        url,
        deadlineMs,
        waitForMs,
        mobile,
        headers,
        languages,
        blockAds,
        skipTlsVerification,
        ownHosts,
        owner: request.owner,
        actions: request.actions,
        readStyles: request.needs.has("branding"),
        ...(request.profile === undefined ? {} : { profile: request.profile }),
        ...(request.screenshot === undefined ? {} : { screenshot: request.screenshot }),
      });
      return withoutEdgePage(outcome);
    },
  };
}

/** Returns a failure for the error page of an edge that did not reach the site. */
function withoutEdgePage(outcome: EngineOutcome): EngineOutcome {
  const error = outcome.kind === "loaded" ? edgeErrorOf(outcome.page) : undefined;
  return error === undefined ? outcome : { kind: "failed", code: error.code, message: error.message };
}
