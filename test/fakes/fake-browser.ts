import type { EngineOutcome } from "../../src/core/scrape/page.ts";
import type { Browser, BrowserRequest } from "../../src/ports/browser.ts";

type Answer = EngineOutcome | ((request: BrowserRequest) => EngineOutcome | Promise<EngineOutcome>);

/** A browser that answers as it is told, and keeps what it was asked. */
export function fakeBrowser(answer: Answer): Browser & { requests: BrowserRequest[] } {
  const requests: BrowserRequest[] = [];
  return {
    requests,
    load: async (request) => {
      requests.push(request);
      return typeof answer === "function" ? answer(request) : answer;
    },
  };
}

/** A page as a browser loads it, with what a test wants to be different. */
export function renderedPage(request: BrowserRequest, body: string): EngineOutcome {
  return {
    kind: "loaded",
    page: {
      engine: "browser",
      url: request.url,
      statusCode: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      contentType: "text/html; charset=utf-8",
      body,
      timezone: "UTC",
      queuedMs: 0,
      browserMs: 1,
      warnings: [],
    },
  };
}
