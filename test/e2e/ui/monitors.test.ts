import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { call, fresh, sitePage } from "../client.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();

async function checkNow(page: Page, checks: number): Promise<void> {
  await page.getByRole("button", { name: "Check now" }).click();
  await expect.poll(() => page.locator(".check-link").count(), { timeout: 60_000 }).toBe(checks);
  await page.getByRole("button", { name: "Check now" }).and(page.locator(":enabled")).waitFor({ timeout: 60_000 });
}

// Screenshots, a browser for the preview and axe-core take long on a busy machine.
describe("monitors", { timeout: 180_000 }, () => {
  test(
    "are created with a preview, checked, compared in three ways, paused and deleted",
    { tags: ["long"] },
    async () => {
      const page = tab();
      // The preview loads the page as well.
      const address = sitePage(fresh("/changing"));
      await openView(page, "monitors");
      await page.getByRole("link", { name: "Create monitor" }).waitFor();
      await look(page, "monitors-empty");
      await openView(page, `monitors/new?url=${encodeURIComponent(address)}`);
      expect(await page.getByLabel("URLs").inputValue()).toBe(address);
      const name = `Catch ${crypto.randomUUID().slice(0, 8)}`;
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Compare", { exact: true }).selectOption("Text and fields");
      await page.getByRole("button", { name: "Create monitor" }).click();
      await page.getByText("Enter the name of a field.").waitFor();
      await page.getByLabel("Fields to compare").fill("price");
      await page.getByLabel("Take a screenshot at each check").check();
      await page.getByRole("button", { name: "Preview", exact: true }).click();
      await page.locator(".region-map").waitFor({ timeout: 60_000 });
      await look(page, "monitor-preview");
      await page.getByRole("tab", { name: "Compared text" }).click();
      await page.getByRole("region", { name: "Compared text" }).getByText("Herring").waitFor();
      await page.getByRole("button", { name: "Create monitor" }).click();
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.getByRole("heading", { name: "No checks yet" }).waitFor();
      await checkNow(page, 1);
      await checkNow(page, 2);
      // The newest check is shown.
      await page.locator(".check-head").getByText("1 changed").waitFor();
      const diff = page.getByRole("region", { name: "Differences of the text" });
      await diff.locator("del").first().waitFor();
      expect(await diff.locator("del").first().innerText()).toMatch(/^\d+$/);
      await look(page, "monitor-text-sides");
      await page.getByRole("button", { name: "Inline" }).click();
      expect(await diff.getByRole("columnheader").count()).toBe(0);
      await look(page, "monitor-text-inline");
      // The site has no structured data, and the service no model, so the fields are those of a prepared response.
      await page.route("**/v2/monitor/*/checks/*?*", async (route) => {
        const response = await route.fetch();
        const json = (await response.json()) as { data: { pages: { diff: { json: object } | null }[] } };
        for (const { diff } of json.data.pages)
          if (diff !== null) diff.json = { price: { previous: "£3.25", current: "£3.50" } };
        await route.fulfill({ response, json });
      });
      await page.reload();
      await page.getByRole("tab", { name: "Fields" }).click();
      const fields = page.getByRole("region", { name: "Differences of the fields" });
      expect(await fields.getByRole("row").nth(1).innerText()).toMatch(/^price\s+£3\.25\s+£3\.50$/);
      await look(page, "monitor-fields");
      await page.getByRole("tab", { name: "Screenshot" }).click();
      await page.getByText(/of the picture differs, in/).waitFor({ timeout: 60_000 });
      await page.getByRole("button", { name: "Side by side" }).click();
      expect(await page.locator(".picture-outlines rect").count()).toBeGreaterThan(0);
      await look(page, "monitor-pictures");
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("Active", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Monitors" }).first().click();
      await page.getByRole("listitem").filter({ hasText: name }).getByText("1 changed").waitFor();
      await look(page, "monitors");
      await page.getByRole("link", { name, exact: true }).click();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("button", { name: "Delete monitor" }).click();
      await page.getByRole("link", { name: "Create monitor" }).waitFor();
      expect(await page.getByRole("link", { name, exact: true }).count()).toBe(0);
    },
  );

  test("ignore a part of the page that was chosen on its picture", { tags: ["long"] }, async () => {
    const page = tab();
    const address = sitePage(`/counter?key=${crypto.randomUUID()}`);
    const { body } = await call("/v2/monitor", {
      body: {
        name: "Turnstile",
        schedule: { text: "weekly" },
        targets: [{ type: "scrape", urls: [address] }],
      },
    });
    const { id } = body.data as unknown as { id: string };
    await openView(page, `monitors/${id}`);
    await page.getByRole("button", { name: "Noise rules" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Preview", exact: true }).click();
    const map = dialog.locator(".region-map");
    await map.waitFor({ timeout: 60_000 });
    // The list chooses by keyboard.
    await dialog.getByLabel("Regions of the page").fill("#count");
    await dialog.getByRole("button", { name: "Ignore #count" }).focus();
    await page.keyboard.press("Enter");
    expect(await dialog.getByLabel("Ignore these parts").inputValue()).toBe("#count");
    await page.keyboard.press("Enter");
    expect(await dialog.getByLabel("Ignore these parts").inputValue()).toBe("");
    // A click on the picture chooses what is there, the smallest first.
    const outline = map.locator(".region-pointed");
    await outline.waitFor();
    const box = await outline.boundingBox();
    await outline.scrollIntoViewIfNeeded();
    expect(box?.width).toBeGreaterThan(0);
    await outline.click({ force: true });
    await dialog.getByText("The regions at this point").waitFor();
    expect(await dialog.locator(".region code").first().innerText()).toBe("#count");
    await dialog.getByRole("button", { name: "Ignore #count" }).click();
    await look(page, "monitor-rules");
    await dialog.getByRole("button", { name: "Save rules" }).click();
    await dialog.waitFor({ state: "detached" });
    await checkNow(page, 1);
    await checkNow(page, 2);
    await page.locator(".check-head").getByText("no change").waitFor();
    await call(`/v2/monitor/${id}`, { method: "DELETE" });
  });
});
