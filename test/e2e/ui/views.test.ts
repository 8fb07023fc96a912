import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, fresh, scraped, sitePage } from "../client.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

// A live view that is still connecting when its session is closed receives status 410.
const tab = withReader({ expected: /^WebSocket connection to '[^']*\/view\/[^']*' failed: .* 410$/ });

describe("keys", () => {
  test("require the admin key, are shown once when created, and are revoked", async () => {
    const page = tab();
    await openView(page, "keys");
    await page.getByRole("heading", { name: "Admin key required" }).waitFor();
    await look(page, "keys-locked");
    await page.getByLabel("Admin key").fill(inject("adminKey"));
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("button", { name: "Create key" }).click();
    const name = `nightly crawl ${crypto.randomUUID().slice(0, 8)}`;
    await page.getByLabel("Name").fill(name);
    await page.getByLabel("Expires").selectOption("In 30 days");
    await page.getByLabel("Monthly credits").fill("5000");
    await page.getByRole("button", { name: "Crawl", exact: true }).click();
    await page.getByText("More limits").click();
    await look(page, "keys-create");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const shown = await page.locator(".key-text").innerText();
    expect(shown).toMatch(/^fc-[0-9a-f]{32}$/);
    await look(page, "keys-created");
    expect(await statusWith(shown, "/v2/crawl/active")).toBe(200);
    await page.getByRole("button", { name: "Done" }).click();
    const record = page.getByRole("listitem").filter({ hasText: name });
    await record.getByText("Endpoints: crawl · 5,000 credits per month").waitFor();
    expect(await page.content()).not.toContain(shown);
    await look(page, "keys");
    await page.getByRole("button", { name: `Revoke ${name}` }).click();
    await page.getByRole("button", { name: "Revoke key" }).click();
    await record.getByText("Revoked", { exact: true }).waitFor();
  });
});

async function statusWith(key: string, path: string): Promise<number> {
  const response = await fetch(`${inject("serviceUrl")}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return response.status;
}

describe("search", () => {
  test("finds scraped pages, highlights the words, and shows the stored page", async () => {
    const page = tab();
    const address = fresh("/articles/seagrass");
    await scraped(address);
    await openView(page, "search");
    await look(page, "search-empty");
    await found(page, address);
    await page.locator("mark").first().waitFor();
    await look(page, "search");
    // Opening a result reads the stored scrape: no scrape, no credit, no failure.
    const sent: string[] = [];
    page.on("response", (response) => sent.push(`${response.request().method()} ${response.status()}`));
    await resultOf(page, address).getByRole("button").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Rendered" }).waitFor();
    await dialog.getByText("A seagrass seed is the size").first().waitFor();
    expect(sent).toContain("GET 200");
    expect(sent.filter((one) => !one.startsWith("GET 2"))).toEqual([]);
    await look(page, "search-page");
    await page.keyboard.press("Escape");
    await searchFor(page, "xyzzyplugh");
    await page.getByText("No scraped pages match this query").waitFor();
    expect(await page.locator(".result").count()).toBe(0);
  });

  test("shows the stored scrape of a page that is not in the cache", { tags: ["long"] }, async () => {
    const page = tab();
    const address = fresh("/articles/seagrass");
    await scraped(address, { headers: { "x-reader": "harbour master" } });
    await openView(page, "search");
    await found(page, address);
    await resultOf(page, address).getByRole("button").click();
    await page.getByRole("dialog").getByText("A seagrass seed is the size").first().waitFor();
  });

  test("reports that there is no copy of a page, and scrapes it again on request", { tags: ["long"] }, async () => {
    const page = tab();
    const address = fresh("/articles/seagrass");
    await scraped(address, { headers: { "x-reader": "harbour master" } });
    // As after the retention period.
    await page.route("**/v2/scrape/*", (route) => route.fulfill({ status: 404, json: { success: false, error: "" } }));
    await openView(page, "search");
    await found(page, address);
    await resultOf(page, address).getByRole("button").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "No stored copy of this page" }).waitFor();
    await look(page, "search-not-kept");
    await dialog.getByRole("button", { name: "Scrape now" }).click();
    await dialog.getByText("A seagrass seed is the size").first().waitFor();
  });
});

/** Returns the result of one URL. Other tests scrape the same text under other URLs. */
const resultOf = (page: Page, address: string) =>
  page.locator(".result").filter({ has: page.getByRole("link", { name: sitePage(address), exact: true }) });

async function searchFor(page: Page, words: string): Promise<void> {
  await page.getByLabel("Search query").fill(words);
  const answered = page.waitForResponse("**/v2/search");
  await page.getByRole("search").getByRole("button", { name: "Search" }).click();
  await answered;
  await page.getByRole("region", { name: "Results" }).waitFor();
}

/** Searches until the page of a fresh URL is found, because it is indexed after the scrape's response. */
async function found(page: Page, address: string): Promise<void> {
  const words = `seagrass meadow ${address.split("=")[1]?.split("-")[0]}`;
  await expect
    .poll(() => searchFor(page, words).then(() => resultOf(page, address).count()), { timeout: 45_000 })
    .toBe(1);
}

// Screenshots and axe-core take long on a busy machine.
describe("usage", { timeout: 150_000 }, () => {
  test("is charted by day and listed by endpoint, key and request", async () => {
    const page = tab();
    await scraped("/articles/bell-foundry");
    // Usage is recorded after the response.
    await expect
      .poll(async () => (await call("/v2/team/activity?endpoint=scrape")).text)
      .toContain("/articles/bell-foundry");
    await openView(page, "usage");
    await page.locator(".chart canvas").waitFor();
    await page
      .getByRole("region", { name: "By endpoint, table" })
      .getByRole("rowheader", { name: "Scrape", exact: true })
      .waitFor();
    await page.getByRole("region", { name: "By key, table" }).waitFor();
    const log = page.getByRole("region", { name: "Log" });
    await log.getByText("/articles/bell-foundry").first().waitFor();
    await look(page, "usage");

    // A request opens by keyboard to its timing, attempts and receipt.
    await log.locator("summary").filter({ hasText: "/articles/bell-foundry" }).first().focus();
    await page.keyboard.press("Enter");
    await log.getByRole("heading", { name: "Timing" }).waitFor();
    await log.getByRole("heading", { name: "Attempts" }).waitFor();
    await log.getByText("Estimated cost").waitFor();
    await look(page, "usage-log");

    await page.getByRole("button", { name: "2 days by hour" }).click();
    const hours = page.getByRole("region", { name: "By hour", exact: true });
    await hours.locator(".pages-chart rect").first().waitFor({ state: "attached" });
    const breakdown = page.getByRole("region", { name: "Breakdown" });
    await breakdown.getByText(new URL(inject("siteUrl")).host).waitFor();
    await breakdown.getByRole("button", { name: "Engines" }).click();
    await breakdown.getByText("fetch").waitFor();
    await page.getByRole("region", { name: "Budgets" }).getByText("No limit").first().waitFor();
    await page.getByRole("region", { name: "Storage" }).getByText("Results are stored").waitFor();
    const waiting = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    expect((await waiting).suggestedFilename()).toMatch(/^usage-.+\.csv$/);
    await look(page, "usage-hours");
    await page.getByRole("button", { name: "Latency" }).click();
    await page.getByRole("region", { name: "By day", exact: true }).getByText("Show as table").click();
    await page.getByRole("region", { name: "Latency by day" }).getByRole("columnheader", { name: /p95/ }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("region", { name: "Log" }).getByLabel("Endpoint").selectOption("Map");
    await look(page, "usage-latency");
  });
});

// The short form opens sessions, live views and recordings in hostile-views.test.ts, and works with them in test/e2e/sessions.
describe("sessions", { tags: ["long"], timeout: 120_000 }, () => {
  test("have a name and a size, are watched live, controlled, closed and replayed", async () => {
    const page = tab();
    await openView(page, "sessions");
    // Other tests may have active sessions.
    const isEmpty = page.getByRole("heading", { name: "No active sessions" });
    await isEmpty.or(page.locator(".session-card")).first().waitFor();
    await look(page, "sessions-empty");
    await page.getByRole("button", { name: "Create session" }).click();
    await page.getByLabel("Name (optional)").fill("Harbour log");
    await page.getByLabel("Viewport").selectOption("820x1180");
    await look(page, "sessions-open");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Harbour log" }).waitFor({ timeout: 60_000 });
    const id = new URL(page.url()).hash.split("/").at(-1) ?? "";
    const live = page.frameLocator("iframe.live-frame");
    await live.locator("#screen:not([hidden])").waitFor({ timeout: 60_000 });
    const sizeOf = async (frame: typeof live): Promise<unknown> =>
      await Promise.all(["width", "height"].map((side) => frame.locator("#canvas").getAttribute(side)));
    await expect.poll(() => sizeOf(live)).toEqual(["820", "1180"]);
    const code = "await page.evaluate(() => `${innerWidth}x${innerHeight}`)";
    expect((await call(`/v2/browser/${id}/execute`, { body: { code } })).body).toMatchObject({ result: "820x1180" });
    await look(page, "session-live");
    // On a phone too, the picture fills its frame.
    const size = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const freeHeight = () =>
      live.locator("#stage").evaluate((stage) => {
        const { clientHeight, firstElementChild } = stage as unknown as {
          clientHeight: number;
          firstElementChild: { getBoundingClientRect(): { height: number } };
        };
        return clientHeight - firstElementChild.getBoundingClientRect().height;
      });
    await expect.poll(freeHeight).toBeLessThan(40);
    await page.setViewportSize(size ?? { width: 1280, height: 900 });

    await page.getByRole("tab", { name: "Actions as code" }).click();
    await page.getByRole("heading", { name: "No actions recorded yet" }).waitFor();
    await page.getByRole("tab", { name: "Network" }).click();
    await page.getByRole("heading", { name: "No requests yet" }).waitFor();
    await page.getByRole("button", { name: "Take control" }).click();
    await live.locator("#back:not([hidden])").waitFor({ timeout: 60_000 });
    await live.locator("#address").fill(sitePage("/app/form"));
    await live.locator("#address").press("Enter");
    await page.getByRole("tab", { name: "Network" }).click();
    await page.getByRole("cell", { name: "/app/form" }).first().waitFor();
    await look(page, "session-network");
    await page.getByRole("tab", { name: "Actions as code" }).click();
    await page.getByText(`await page.goto("${sitePage("/app/form")}");`).waitFor();
    await look(page, "session-actions");
    const logged = { code: 'await page.evaluate(() => console.error("the mooring is loose"))' };
    await call(`/v2/browser/${id}/execute`, { body: logged });
    await page.getByRole("tab", { name: "Console" }).click();
    await page.getByText("the mooring is loose").waitFor();
    await page.getByRole("tab", { name: "Connect" }).click();
    expect(await page.getByLabel("CDP URL").inputValue()).toContain(`/v2/browser/${id}/cdp?token=`);
    await look(page, "session-connect");

    await page.getByRole("link", { name: "Sessions" }).first().click();
    const card = page.locator(".session-card").filter({ hasText: "Harbour log" });
    await card.frameLocator("iframe").locator("#screen:not([hidden])").waitFor({ timeout: 60_000 });
    await look(page, "sessions");
    await card.getByRole("link").click();
    await page.getByRole("button", { name: "Close session" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
    // An ended session opens on its replay.
    const replay = page.frameLocator('iframe[title="Session recording"]');
    await replay.locator("#canvas:not([hidden])").waitFor({ timeout: 60_000 });
    expect(await sizeOf(replay)).toEqual(["820", "1180"]);
    await look(page, "session-replay");
  });
});
