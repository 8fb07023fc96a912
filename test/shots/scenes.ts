import type { Page } from "playwright-core";

export interface Shot {
  name: string;
  /** Path and fragment. */
  url: string;
  /** What a person does before the picture. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Undoes what would change the next picture. */
  restore?: (page: Page) => Promise<unknown>;
}

const RUN_MS = 30_000;

/**
 * Views that take a step to reach: results of requests, dialogs, menus, errors.
 * @param site Origin of the test site.
 */
export function scenes(site: string): Shot[] {
  return [
    {
      name: "result-markdown",
      url: request("post /v2/scrape", { url: `${site}/articles/seagrass`, formats: ["markdown", "links", "html"] }),
      prepare: runRequest,
    },
    {
      name: "result-screenshot",
      url: request("post /v2/scrape", { url: `${site}/articles/`, formats: ["screenshot", "markdown", "images"] }),
      prepare: runRequest,
    },
    {
      name: "result-metadata",
      url: request("post /v2/scrape", { url: `${site}/metadata`, formats: ["markdown"] }),
      prepare: async (page) => {
        await runRequest(page);
        await page.getByRole("tab", { name: /metadata/i }).click();
      },
    },
    {
      name: "result-images",
      url: request("post /v2/scrape", { url: `${site}/images`, formats: ["images"] }),
      prepare: runRequest,
    },
    {
      name: "result-receipt",
      url: request("post /v2/scrape", { url: `${site}/articles/seagrass`, maxAge: 0 }),
      prepare: async (page) => {
        await runRequest(page);
        await page.getByRole("tab", { name: /receipt/i }).click();
      },
    },
    {
      name: "result-code",
      url: request("post /v2/scrape", { url: `${site}/articles/seagrass` }),
      prepare: (page) => page.getByRole("tab", { name: /code/i }).first().click(),
    },
    { name: "result-search", url: request("post /v2/search", { query: "seagrass", limit: 5 }), prepare: runRequest },
    { name: "result-map", url: request("post /v2/map", { url: site }), prepare: runRequest },
    { name: "result-error", url: request("post /v2/scrape", { url: "http://missing.invalid/" }), prepare: runRequest },
    {
      name: "playground-options",
      url: request("post /v2/scrape", { url: `${site}/articles/`, formats: ["json"] }),
      prepare: (page) =>
        page
          .getByText(/more options/i)
          .first()
          .click(),
    },
    { name: "playground-crawl", url: request("post /v2/crawl", { url: site }) },
    { name: "palette", url: "/#/jobs", prepare: (page) => page.keyboard.press("Control+k") },
    { name: "shortcuts", url: "/#/jobs", prepare: (page) => page.keyboard.press("?") },
    {
      name: "search-results",
      url: "/#/search",
      prepare: async (page) => {
        await page.getByRole("searchbox").first().fill("seagrass");
        await page.keyboard.press("Enter");
        await page.locator(".result").first().waitFor({ timeout: RUN_MS });
      },
    },
    { name: "monitor-new", url: `/#/monitors/new?url=${encodeURIComponent(`${site}/articles/seagrass`)}` },
    { name: "login-guide", url: "/#/sessions?login" },
    {
      name: "key-create",
      url: "/#/keys",
      prepare: (page) =>
        page
          .getByRole("button", { name: /create key/i })
          .first()
          .click(),
    },
    { name: "webhook-test", url: "/#/webhooks/test" },
    { name: "webhook-endpoints", url: "/#/webhooks/endpoints" },
    { name: "job-missing", url: "/#/jobs/0198c0de-0000-7000-8000-000000000000" },
    { name: "docs", url: "/docs" },
    { name: "docs-guide", url: "/docs/getting-started" },
  ];
}

function request(operation: string, body: object): string {
  const query = new URLSearchParams({
    op: operation,
    request: Buffer.from(JSON.stringify({ body })).toString("base64url"),
  });
  return `/#/playground?${query.toString()}`;
}

async function runRequest(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.waitForURL(/[?&]run=/, { timeout: RUN_MS });
}
