import type { Page } from "playwright-core";
import { describe, expect, inject, test } from "vitest";
import { scraped } from "../client.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

describe("keys", () => {
  test("need the admin key, are made and shown once, and end when they are revoked", async () => {
    const page = tab();
    await openView(page, "keys");
    await page.getByRole("heading", { name: "Managing keys needs the admin key" }).waitFor();
    await look(page, "keys-locked");
    await page.getByLabel("Admin key").fill(inject("adminKey"));
    await page.getByRole("button", { name: "Use this key" }).click();
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Name").fill("nightly crawl");
    await page.getByLabel("Works until").selectOption("30 days from now");
    await page.getByLabel("Credits a month").fill("5000");
    await page.getByRole("button", { name: "Crawl", exact: true }).click();
    await page.getByText("More limits").click();
    await look(page, "keys-create");
    await page.getByRole("button", { name: "Create the key" }).click();
    const shown = await page.locator(".key-text").innerText();
    expect(shown).toMatch(/^fc-[0-9a-f]{32}$/);
    await look(page, "keys-created");
    expect(await statusWith(shown, "/v2/crawl/active")).toBe(200);
    await page.getByRole("button", { name: "Done" }).click();
    const record = page.getByRole("listitem").filter({ hasText: "nightly crawl" });
    await record.getByText("only crawl · 5,000 credits a month").waitFor();
    expect(await page.content()).not.toContain(shown);
    await look(page, "keys");
    await page.getByRole("button", { name: "Revoke nightly crawl" }).click();
    await page.getByRole("button", { name: "Revoke the key" }).click();
    await record.getByText("Revoked", { exact: true }).waitFor();
  });
});

async function statusWith(key: string, path: string): Promise<number> {
  const response = await fetch(`${inject("serviceUrl")}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return response.status;
}

describe("search", () => {
  test("finds what was scraped, with the words marked, and shows the page as it is kept", async () => {
    const page = tab();
    await scraped("/articles/seagrass", { maxAge: 172_800_000 });
    await openView(page, "search");
    await look(page, "search-empty");
    await expect.poll(() => find(page, "seagrass meadow"), { timeout: 20_000 }).toBeGreaterThan(0);
    await page.locator("mark").first().waitFor();
    await look(page, "search");
    // Other tests have scraped other pages with these words.
    await page.locator(".result").filter({ hasText: "Sowing a meadow" }).first().getByRole("button").first().click();
    await page.getByRole("dialog").getByRole("tab", { name: "Rendered" }).waitFor();
    await page.getByRole("dialog").getByText("A seagrass seed is the size").first().waitFor();
    await look(page, "search-page");
    await page.keyboard.press("Escape");
    expect(await find(page, "xyzzyplugh")).toBe(0);
    await page.getByText("Nothing that was scraped here has these words").waitFor();
  });
});

async function find(page: Page, words: string): Promise<number> {
  await page.getByLabel("Words to look for").fill(words);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("region", { name: "Results" }).waitFor();
  return await page.locator(".result").count();
}

describe("usage", () => {
  test("is drawn by day and listed by endpoint, key and request", async () => {
    const page = tab();
    await scraped("/articles/bell-foundry");
    await openView(page, "usage");
    await page.locator(".chart canvas").waitFor();
    await page
      .getByRole("region", { name: "By endpoint, table" })
      .getByRole("rowheader", { name: "Scrape", exact: true })
      .waitFor();
    await page.getByRole("region", { name: "By key, table" }).waitFor();
    await page.getByRole("region", { name: "Activity" }).getByText("/articles/bell-foundry").first().waitFor();
    await look(page, "usage");
    await page.getByRole("button", { name: "Latency" }).click();
    await page.getByText("As a table").click();
    await page.getByRole("region", { name: "Latency by day" }).getByRole("columnheader", { name: /p95/ }).waitFor();
    await page.getByRole("button", { name: "7 days" }).click();
    await page.getByRole("region", { name: "Activity" }).getByLabel("Endpoint").selectOption("Map");
    await look(page, "usage-latency");
  });
});

describe("sessions", { timeout: 120_000 }, () => {
  test("are opened, watched live, taken over, closed and replayed", async () => {
    const page = tab();
    await openView(page, "sessions");
    await page.getByRole("heading", { name: "No session is open" }).waitFor();
    await look(page, "sessions-empty");
    await page.getByRole("button", { name: "Open a session" }).click();
    await look(page, "sessions-open");
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByRole("heading", { name: /Session [0-9a-f]{8}/ }).waitFor({ timeout: 60_000 });
    const live = page.frameLocator("iframe.live-frame");
    await live.locator("#screen:not([hidden])").waitFor({ timeout: 30_000 });
    await look(page, "session-live");
    await page.getByRole("button", { name: "Take over" }).click();
    await live.locator("#back:not([hidden])").waitFor({ timeout: 30_000 });
    await look(page, "session-driven");
    await page.getByRole("link", { name: "Sessions" }).first().click();
    await page.locator(".session-card iframe").waitFor();
    await page.frameLocator(".session-card iframe").locator("#screen:not([hidden])").waitFor({ timeout: 30_000 });
    await look(page, "sessions");
    await page.locator(".session-card a").click();
    await page.getByRole("button", { name: "Close session" }).click();
    await page.getByText("Ended", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Replay" }).click();
    await page.getByTitle("Recording of the session").waitFor({ timeout: 30_000 });
    await look(page, "session-replay");
  });
});
