import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { inject } from "../inject.ts";
import { violationsOf } from "../axe.ts";
import { localBrowser } from "../local-browser.ts";
import { DESKTOP, openView } from "./browser.ts";
import { hostileReference, LIST_MARKUP, WATCH } from "./hostile-data.ts";
import { savePicture } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

test("the playground links to each endpoint in the API reference", { tags: ["long"] }, async () => {
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
  const browser = await localBrowser();
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  try {
    const foreign: string[] = [];
    const ran: string[] = [];
    await page.addInitScript(WATCH);
    page.on("console", (message) => {
      if (message.text().startsWith("HOSTILE")) ran.push(message.text());
    });
    const origin = new URL(inject("serviceUrl")).origin;
    page.on("request", (request) => {
      const { protocol } = new URL(request.url());
      if (/^https?:$/.test(protocol) && new URL(request.url()).origin !== origin) foreign.push(request.url());
    });
    await page.goto(hostileReference());
    await page.getByText("Scrape a page").first().waitFor({ timeout: 60_000 });
    expect(await page.evaluate(LIST_MARKUP)).toEqual([]);
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
    expect(ran).toEqual([]);
    // Its names are the same after an upgrade.
    const script = await fetch(`${origin}/assets/start-reference.js`);
    expect(script.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    await savePicture(page, "reference");
  } finally {
    await page.close();
  }
}, 60_000);

test(
  "/docs lists all endpoints beside the reference, and opens the one that is chosen",
  { tags: ["long"], timeout: 60_000 },
  async () => {
    const page = tab();
    await page.goto(`${inject("serviceUrl")}/docs`);
    const list = page.getByRole("navigation", { name: "Endpoints" });
    await list.getByRole("link", { name: "GET /v2/team/queue-status" }).click();
    const operation = page.locator("[id$=getV2TeamQueueStatus].is-open");
    await operation.waitFor();
    await expect
      .poll(async () => Math.abs((await operation.boundingBox())?.y ?? Infinity))
      .toBeLessThan(DESKTOP.height);
    const description = (await (await fetch(`${inject("serviceUrl")}/openapi.json`)).json()) as { paths: object };
    const operations = Object.values(description.paths).flatMap((methods: object) => Object.keys(methods));
    expect(await list.getByRole("link").count()).toBe(operations.length);
  },
);

test(
  "an opened operation has no critical or serious finding of axe, and sends the dashboard's key",
  { tags: ["long"], timeout: 120_000 },
  async () => {
    const page = tab();
    const missing: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) missing.push(`${response.status()} ${response.url()}`);
    });
    await openView(page, "playground");
    // The key is asked for before the description is there.
    await page.route("**/openapi.json", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.goto(`${inject("serviceUrl")}/docs`);
    await page.getByRole("button", { name: "Use my dashboard key" }).click();
    await page.getByText(`Requests of this page use the key ${inject("apiKey").slice(0, 7)}…`).waitFor();
    const status = await openOperation(page, "/v2/team/queue-status", "getV2TeamQueueStatus");
    await status.getByRole("button", { name: "Execute" }).click();
    await expect.poll(() => status.locator(".live-responses-table").innerText()).toContain('"success": true');
    await expect.poll(() => gravestFindings(page)).toEqual([]);
    const scrape = await openOperation(page, "/v2/scrape", "postV2Scrape");
    await scrape.getByRole("button", { name: "Execute" }).waitFor();
    await expect.poll(() => gravestFindings(page)).toEqual([]);
    expect(missing).toEqual([]);
  },
);

/** Opens an operation, which the filter brings near the window: others are not drawn. */
async function openOperation(page: Page, path: string, id: string): Promise<Locator> {
  await page.getByPlaceholder("Filter by tag or path").fill(path);
  const operation = page.locator(`[id$=${id}]`);
  await operation.locator("button.opblock-summary-control").click();
  return operation;
}

/** Runs axe-core. @returns The findings that are critical or serious. */
async function gravestFindings(page: Page): Promise<string[]> {
  return (await violationsOf(page))
    .filter(({ impact }) => impact === "critical" || impact === "serious")
    .flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id} ${target.join(" ")} ${html}`));
}
