import type { ScrapeDocument } from "../../core/scrape/document.ts";
import type { Evidence } from "../../core/scrape/evidence.ts";

// Values that the examples of the OpenAPI document share.

export const EXAMPLE_ORIGIN = "https://orbweaver.example";
export const EXAMPLE_ID = "019a9d0c-7c1e-7d42-9a55-3f0c7be1a2d4";
export const OTHER_ID = "019a9d0e-2b70-7a3d-8c1f-52d90f4be6a7";
export const EXAMPLE_START = "2026-11-21T10:15:00.000Z";
export const EXAMPLE_END = "2026-11-21T10:15:04.000Z";
export const EXAMPLE_EXPIRY = "2026-11-22T10:15:00.000Z";
export const EXAMPLE_TOKEN = "q3Zr8bVfYw2LxTn5";

export const DOCUMENT_EXAMPLE: ScrapeDocument = {
  markdown: "# Example Domain\n\nThis domain is for use in illustrative examples in documents.",
  metadata: {
    title: "Example Domain",
    sourceURL: "https://example.com",
    url: "https://example.com/",
    statusCode: 200,
    contentType: "text/html",
    proxyUsed: "basic",
    cacheState: "miss",
    scrapeId: EXAMPLE_ID,
    creditsUsed: 1,
    engine: "fetch",
    attempts: [{ engine: "fetch", outcome: "loaded", ms: 212 }],
  },
};

export const EVIDENCE_EXAMPLE: Evidence = {
  field: "name",
  url: "https://example.com/",
  quote: "Example Domain",
  place: { in: "markdown", start: 2, end: 16 },
  from: "heading",
};

export const SESSION_LINKS_EXAMPLE = {
  cdpUrl: `wss://orbweaver.example/v2/browser/${EXAMPLE_ID}/cdp?token=${EXAMPLE_TOKEN}`,
  liveViewUrl: `${EXAMPLE_ORIGIN}/view/${EXAMPLE_ID}?token=${EXAMPLE_TOKEN}`,
  interactiveLiveViewUrl: `${EXAMPLE_ORIGIN}/view/${EXAMPLE_ID}?token=${EXAMPLE_TOKEN}&interactive=true`,
};

export const EXECUTION_EXAMPLE = {
  stdout: "",
  result: "Example Domain",
  stderr: "",
  exitCode: 0,
  killed: false,
  truncated: false,
};
