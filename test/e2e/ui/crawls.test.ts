import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { inject } from "../inject.ts";
import { call, fresh, sitePage } from "../client.ts";
import { isShort } from "../../sample.ts";
import { openView } from "./browser.ts";
import { look, savePicture } from "./look.ts";
import { serveCrawl } from "./serve-crawl.ts";
import { withReader } from "./with-reader.ts";

/** More than a page of results; the short form is satisfied with a crawl that lasts until its view is open. */
const PAGES = isShort() ? 60 : 110;
const tab = withReader();

async function startCrawl(page: Page, path: string, limit: number): Promise<void> {
  await page.getByLabel("Start URL").fill(`${inject("siteUrl")}${path}`);
  await page.getByLabel("Page limit").fill(String(limit));
  await page.getByRole("button", { name: "Start crawl" }).click();
  await page.getByRole("heading", { name: /Crawl of 127\.0\.0\.1/ }).waitFor();
}

async function downloaded(page: Page, label: string): Promise<Buffer> {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: `Download ${label}` }).click();
  return await readFile(await (await waiting).path());
}

const ended = (page: Page, state: string) =>
  page.locator(".page-actions").getByText(state, { exact: true }).waitFor({ timeout: 45_000 });

/** Runs an action and returns the time in ms until the next frame is painted, on the page's clock. */
async function paintedAfter(page: Page, script: string): Promise<number> {
  return await page.evaluate<number>(`new Promise((done) => {
    const startMs = performance.now();
    ${script};
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - startMs)));
  })`);
}

// Screenshots and axe-core take long on a busy machine.
describe("crawls", { timeout: 150_000 }, () => {
  test("show live progress, list every URL, and are downloaded as files", async () => {
    const page = tab();
    await openView(page, "jobs");
    const isEmpty = page.getByRole("heading", { name: "No jobs yet" });
    await isEmpty.or(page.getByRole("main").getByRole("listitem").first()).first().waitFor();
    await look(page, "crawls-empty");
    await startCrawl(page, "/tree/", PAGES);
    await page.getByRole("status").getByText("Live", { exact: true }).waitFor();
    await page.locator(".page-item").first().waitFor();
    await savePicture(page, "crawl-live-desktop");
    await ended(page, "Completed");
    await page.getByText(`${PAGES} of ${PAGES} pages`).waitFor();
    // The chart is drawn from stored times, so that it survives a reload.
    const bars = page.locator(".pages-chart rect");
    expect(await bars.count()).toBeGreaterThan(0);
    await page.reload();
    await bars.first().waitFor({ state: "attached" });
    await page.getByText(`${PAGES} of ${PAGES} pages`).waitFor();
    expect(await page.getByText("No page for").count()).toBe(0);
    await look(page, "crawl-ended");

    await page.locator(".page-item").first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Rendered" }).waitFor();
    await look(page, "crawl-page");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });

    await page.getByRole("tab", { name: /All URLs/ }).click();
    await page.getByRole("button", { name: /Skipped/ }).click();
    await page.getByLabel("Filter by URL or reason").fill("page limit");
    await page.getByText("Page limit reached").first().waitFor();
    await look(page, "crawl-urls");

    const lines = (await downloaded(page, "JSONL")).toString().trim().split("\n");
    expect(lines).toHaveLength(PAGES);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ markdown: expect.any(String) });
    const files = unzipSync(new Uint8Array(await downloaded(page, "Markdown")));
    expect(Object.keys(files)).toHaveLength(PAGES);
    expect(Object.keys(files).every((name) => /^127\.0\.0\.1\/.+\.md$/.test(name))).toBe(true);
    const table = (await downloaded(page, "CSV")).toString();
    expect(table.split("\r\n")[0]).toBe("url,outcome,reason,detail,depth,parent,attempt,change");
    expect(table.split("\r\n").length).toBeGreaterThan(PAGES);
    await page.getByRole("link", { name: "Jobs" }).first().click();
    await page
      .getByRole("listitem")
      .filter({ hasText: /tree.*Completed/s })
      .first()
      .waitFor();
    await look(page, "crawls");
  });

  test("show their errors, and are cancelled after a confirmation", { tags: ["long"] }, async () => {
    const page = tab();
    await openView(page, "jobs");
    await startCrawl(page, "/", 60);
    await ended(page, "Completed");
    await page.getByRole("tab", { name: /Errors/ }).click();
    const errors = page.getByRole("tabpanel").getByRole("group", { name: "Failed pages" });
    await errors.or(page.getByText("Blocked by robots.txt")).first().waitFor();
    await look(page, "crawl-errors");
    await page.getByRole("link", { name: "Jobs" }).first().click();
    await startCrawl(page, "/tree/", 2_000);
    await page.getByRole("button", { name: "Cancel crawl" }).click();
    await page.getByRole("button", { name: "Confirm cancel" }).click();
    await ended(page, "Cancelled");
  });

  test("that other clients started are listed", { tags: ["long"] }, async () => {
    const page = tab();
    const url = sitePage(fresh("/docs/"));
    await call("/v2/crawl", { body: { url, limit: 3 } });
    await openView(page, "jobs");
    await page
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: url, exact: true }) })
      .filter({ hasText: /Running|Completed/ })
      .waitFor();
  });

  test("of thousands of pages load earlier pages on request, and filter them", { tags: ["long"] }, async () => {
    const page = tab();
    const id = crypto.randomUUID();
    await serveCrawl(page, { id, completed: 5_000 });
    await openView(page, `jobs/${id}`);
    const items = page.locator(".page-item");
    await items.first().getByText("Page 4999", { exact: true }).waitFor();
    for (const held of ["600", "1,100"]) {
      await page.getByRole("button", { name: "Load earlier pages" }).click();
      await page.getByText(`Showing ${held} of 5,000`).waitFor();
    }
    expect(await items.count()).toBeLessThan(60);
    await page.getByLabel("Filter by title or URL").fill("page 4321");
    await expect.poll(() => items.allInnerTexts()).toEqual([expect.stringContaining("Page 4321")]);
    await page.getByText("1 match in the latest 1,100 of 5,000 pages").waitFor();
    await look(page, "crawl-of-thousands");
  });

  test(
    "with lists of 10,000 rows draw few of them, and are reached to their end by keyboard",
    { tags: ["long"] },
    async () => {
      const page = tab();
      const id = crypto.randomUUID();
      await serveCrawl(page, { id, completed: 10_000 });
      await openView(page, `jobs/${id}`);
      await page.getByRole("tab", { name: /All URLs/ }).click();
      const list = page.getByRole("group", { name: "URLs by path" });
      const rows = list.getByRole("listitem");
      await rows.first().waitFor();
      expect(await rows.count()).toBeLessThan(60);
      // The end of the list is reached by keyboard, and has its last row.
      await list.focus();
      await page.keyboard.press("End");
      await list.getByRole("link", { name: "/9999" }).waitFor();
      const last = await rows.last().getAttribute("aria-posinset");
      expect(last).toBe(await rows.last().getAttribute("aria-setsize"));
      expect(Number(last)).toBeGreaterThan(10_000);
      const times: number[] = [];
      for (const script of [
        `document.querySelector('.virtual-list').scrollTop = 160000`,
        `document.querySelector('.chips[aria-label="Filter by outcome"] .chip').click()`,
        `document.querySelectorAll('[role=tab]')[2].click()`,
        `document.querySelectorAll('[role=tab]')[1].click()`,
      ])
        times.push(await paintedAfter(page, script));
      await page.getByRole("tab", { name: /Errors/ }).click();
      const failures = page.getByRole("group", { name: "Failed pages" }).getByRole("listitem");
      await failures.first().waitFor();
      expect(await failures.count()).toBeLessThan(40);
      console.log(`Reactions with 10,000 rows, to the next paint: ${times.map(Math.round).join(", ")} ms`);
    },
  );

  test("that do not exist show an error", async () => {
    const page = tab();
    await openView(page, `crawls/${crypto.randomUUID()}`);
    await page
      .getByText(/not found/i)
      .first()
      .waitFor();
    await look(page, "crawl-unknown");
  });
});
