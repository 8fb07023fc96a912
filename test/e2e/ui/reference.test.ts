import { join } from "node:path";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { personsBrowser } from "../sessions/browser-client.ts";
import { DESKTOP, openView } from "./browser.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

test("the playground links to each endpoint in the API reference", async () => {
  const page = tab();
  await openView(page, "playground");
  await page.getByLabel("Endpoint", { exact: true }).selectOption("GET /v2/crawl/{id}/urls");
  const opening = page.waitForEvent("popup");
  await page.getByRole("link", { name: "API reference" }).click();
  const reference = await opening;
  const operation = reference.locator(".opblock.is-open");
  await operation.waitFor();
  expect(await operation.innerText()).toContain("List the URLs of a crawl with their outcome");
  // The rest of the page loads later and moves it.
  await expect.poll(async () => Math.abs((await operation.boundingBox())?.y ?? Infinity)).toBeLessThan(DESKTOP.height);
});

test("/docs shows the API reference, and sends requests to the service only", async () => {
  const browser = await personsBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const foreign: string[] = [];
    const origin = new URL(inject("serviceUrl")).origin;
    page.on("request", (request) => {
      const { protocol } = new URL(request.url());
      if (/^https?:$/.test(protocol) && new URL(request.url()).origin !== origin) foreign.push(request.url());
    });
    await page.goto(`${origin}/docs`);
    await page.getByText("Scrape a page").first().waitFor({ timeout: 30_000 });
    // Sends a request with a key from the page.
    await page.getByRole("button", { name: "Authorize" }).click();
    await page.locator(".auth-container input").fill(inject("apiKey"));
    await page.locator(".auth-container button.authorize").click();
    await page.locator(".auth-container button.btn-done").click();
    // The page draws the operations near the window only; the filter brings this one there.
    await page.getByPlaceholder("Filter by tag or path").fill("/v2/team/queue-status");
    const operation = page.locator("[id$=getV2TeamQueueStatus]");
    await operation.locator("button.opblock-summary-control").click();
    await operation.getByRole("button", { name: "Execute" }).click();
    await expect.poll(() => operation.locator(".live-responses-table").innerText()).toContain('"success": true');
    expect(foreign).toEqual([]);
    await page.screenshot({ path: join(PROJECT_ROOT, ".wrangler", "pictures", "reference.png") });
  } finally {
    await browser.close();
  }
}, 60_000);
