import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { call, fresh, sitePage } from "../client.ts";
import { inject } from "../inject.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();
/** The service takes longer on a busy machine. */
const SOON = { timeout: 45_000 };

async function start(path: string, body: object): Promise<string> {
  const { text } = await call(path, { body });
  return (JSON.parse(text) as { id: string }).id;
}

/** Waits for the end of a job. */
async function ended(id: string): Promise<void> {
  const status = async () =>
    (JSON.parse((await call(`/v2/jobs/${id}`)).text) as { job: { status: string } }).job.status;
  await expect.poll(status, { timeout: 60_000 }).not.toBe("running");
}

/** A site that closes every connection until it recovers. */
async function startRecovering(): Promise<{ url: string; recover: () => void; close: () => Promise<void> }> {
  let isUp = false;
  const server = createServer((_, response) => {
    if (!isUp) return void response.socket?.destroy();
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Recovered</title><p>Open again.</p>");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    recover: () => (isUp = true),
    close: () => new Promise((closed) => void server.close(() => closed())),
  };
}

// Screenshots and axe-core take long on a busy machine.
describe("jobs", { timeout: 150_000 }, () => {
  test("of all kinds are listed, filtered, searched and opened by link, by keyboard", async () => {
    const page = tab();
    const url = sitePage(fresh("/docs/"));
    const crawl = await start("/v2/crawl", { url, limit: 2 });
    const batch = await start("/v2/batch/scrape", { urls: [`${url}&batch`], formats: ["markdown"] });
    await Promise.all([ended(crawl), ended(batch)]);
    await openView(page, "jobs");
    const rows = page.getByRole("main").getByRole("listitem");
    await rows
      .filter({ hasText: /Batch scrape/ })
      .first()
      .waitFor();
    await look(page, "jobs");

    const search = page.getByRole("searchbox", { name: "Search by URL or ID" });
    await search.focus();
    await page.keyboard.type(url.slice(-20));
    await expect.poll(() => rows.count(), SOON).toBe(2);
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => rows.allInnerTexts(), SOON).toEqual([expect.stringContaining("Batch scrape")]);
    await expect.poll(() => page.url(), SOON).toContain("kind=batch_scrape");
    // A reload keeps the filter, which is part of the URL.
    await page.reload();
    await rows.getByText("Batch scrape").waitFor();
    await expect.poll(() => rows.count(), SOON).toBe(1);
    await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
    await page.getByRole("heading", { name: "No jobs match this filter" }).waitFor();
    await look(page, "jobs-none");
    await page.getByRole("button", { name: "Clear filter" }).click();
    await search.fill(batch);
    await expect.poll(() => rows.allInnerTexts(), SOON).toEqual([expect.stringContaining("Batch scrape")]);
    await rows.getByRole("link").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /Batch scrape of 127/ }).waitFor();
    await page.getByText("1 of 1 pages").waitFor();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Copied").waitFor();
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(link).toBe(`${inject("serviceUrl")}/#/jobs/${batch}`);
  });

  test("run again, open in the playground with the same request, and become monitors", { tags: ["long"] }, async () => {
    const page = tab();
    const url = sitePage(fresh("/docs/"));
    const id = await start("/v2/crawl", { url, limit: 2, scrapeOptions: { onlyMainContent: false } });
    await ended(id);
    await openView(page, `jobs/${id}`);
    const request = page.getByRole("region", { name: "Request", exact: true });
    await request
      .getByRole("row")
      .filter({ hasText: /Only main content.*No/ })
      .waitFor();
    await look(page, "job-request");

    await page.getByRole("button", { name: "Run again" }).click();
    await expect.poll(() => page.url(), SOON).not.toContain(id);
    const again = page.url().split("/").at(-1) ?? "";
    await ended(again);
    const { text } = await call(`/v2/jobs/${again}`);
    expect(JSON.parse(text)).toMatchObject({
      request: { path: "/v2/crawl", body: { url, limit: 2, scrapeOptions: { onlyMainContent: false } } },
    });

    await page.goBack();
    await page.getByRole("link", { name: "Open in playground" }).click();
    await page.getByRole("button", { name: "Run", exact: true }).waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: /^URL/ }).first().inputValue(), SOON).toBe(url);

    await page.goBack();
    await page.getByRole("link", { name: "Make this a monitor" }).click();
    await expect.poll(() => page.url(), SOON).toContain("monitors/new");
    expect(page.url()).toContain(new URLSearchParams({ url }).toString());
  });

  test("with failed pages explain them, and retry these alone in the same job", { tags: ["long"] }, async () => {
    const page = tab();
    const recovering = await startRecovering();
    const [good, bad] = [sitePage(fresh("/docs/")), recovering.url];
    const id = await start("/v2/batch/scrape", { urls: [good, bad], waitFor: 1 });
    await ended(id);
    await openView(page, `jobs/${id}`);
    await page.getByRole("tab", { name: /Errors/ }).click();
    const failures = page.getByRole("group", { name: "Failed pages" });
    await failures.getByRole("link", { name: bad }).waitFor();
    await look(page, "job-errors");
    recovering.recover();
    await page.getByRole("button", { name: "Retry failed pages" }).click();
    const pages = async (): Promise<unknown> => JSON.parse((await call(`/v2/jobs/${id}`)).text).pages;
    await expect.poll(pages, SOON).toMatchObject({ completed: 2, failed: 0 });
    const listed = async (): Promise<unknown> => {
      const { jobs } = JSON.parse((await call("/v2/jobs?limit=100")).text) as {
        jobs: { id: string; pages?: object }[];
      };
      return jobs.find((job) => job.id === id)?.pages;
    };
    await expect.poll(listed, SOON).toEqual({ completed: 2, failed: 0, total: 2 });
    expect(page.url()).toContain(id);
    await page.getByText("2 of 2 pages").waitFor();
    await page.getByRole("tab", { name: /Pages/ }).click();
    await page.getByRole("group", { name: "Scraped pages" }).getByRole("button").nth(1).waitFor();
    expect(await page.getByRole("button", { name: "Retry failed pages" }).count()).toBe(0);
    await recovering.close();
  });

  test("without a list of pages show their result", { tags: ["long"] }, async () => {
    const page = tab();
    const id = await start("/v2/extract", {
      urls: [sitePage(fresh("/articles/"))],
      schema: { type: "object", properties: { title: { type: "string" } } },
    });
    await ended(id);
    await openView(page, `jobs/${id}`);
    await page.getByRole("heading", { name: /Extract of 127/ }).waitFor();
    const result = page.getByRole("region", { name: "Result", exact: true });
    await result.getByRole("tab", { name: "JSON" }).click();
    await result.getByText("title").first().waitFor();
    await look(page, "job-extract");
    const waiting = page.waitForEvent("download");
    await result.getByRole("button", { name: "Download JSON" }).click();
    expect((await waiting).suggestedFilename()).toBe(`extract-${id.slice(-6)}.json`);
  });
});
