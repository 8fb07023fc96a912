import type { Browser } from "../ports/browser.ts";
import type { Engine } from "./engine.ts";

/** Loads pages in a real browser: scripts run, actions are carried out, pictures are taken. */
export function createBrowserEngine(browser: Browser): Engine {
  return {
    engine: "browser",
    provides: new Set(["browser", "screenshot", "actions", "branding"]),
    load(request) {
      const { url, deadlineMs, waitForMs, mobile, headers, languages, blockAds, skipTlsVerification, ownHosts } =
        request;
      return browser.load({
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
        ...(request.screenshot === undefined ? {} : { screenshot: request.screenshot }),
      });
    },
  };
}
