import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { call, sitePage } from "../client.ts";
import { openView } from "./browser.ts";
import { look } from "./look.ts";
import { withReader } from "./with-reader.ts";

const tab = withReader();
const VIEWPORT = { width: 1280, height: 720 };
const SOON = { timeout: 60_000 };

test(
  "a login by hand is saved as a profile, with which pages behind it are scraped",
  { tags: ["long"], timeout: 300_000 },
  async () => {
    const page = tab();
    const profile = `harbour ${crypto.randomUUID().slice(0, 8)}`;
    await openView(page, "sessions");
    await page.getByRole("button", { name: "Save a login" }).click();
    // The first field of a dialog has the focus.
    await expect.poll(() => page.getByLabel("Profile name").evaluate((field) => field.matches(":focus"))).toBe(true);
    await page.keyboard.type(profile);
    await page.getByLabel("Login page").fill(sitePage("/login"));
    await look(page, "sessions-login");
    await page.getByRole("button", { name: "Open login page" }).click();
    const live = page.frameLocator("iframe.live-frame");
    await live.locator("#back:not([hidden])").waitFor(SOON);
    await live.locator("#screen:not([hidden])").waitFor(SOON);
    await expect.poll(() => live.locator("#address").inputValue(), SOON).toBe(sitePage("/login"));
    await look(page, "session-login");

    const name = await placeOf(page, "#user");
    await clickInView(page, name);
    await page.keyboard.type("halloran");
    await page.keyboard.press("Tab");
    await page.keyboard.type("seven-fathoms");
    await page.keyboard.press("Enter");
    await expect.poll(() => live.locator("#address").inputValue(), SOON).toBe(sitePage("/account"));
    await page.getByRole("button", { name: "Save profile and close" }).click();
    await page.getByRole("heading", { name: `Profile “${profile}” is saved` }).waitFor(SOON);
    await page.getByText(`{"profile":{"name":"${profile}","saveChanges":false}}`).waitFor();
    await look(page, "session-login-saved");

    const scraped = async (options: object): Promise<string> =>
      (await call("/v2/scrape", { body: { url: sitePage("/account"), maxAge: 0, ...options } })).body.data.markdown ??
      "";
    expect(await scraped({})).toContain("Sign in for berth holders");
    expect(await scraped({ profile: { name: profile } })).toContain("halloran");

    // The same from the dashboard.
    await page.getByRole("link", { name: "Scrape with this login" }).click();
    await page.getByLabel("URL", { exact: false }).first().fill(sitePage("/account"));
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("region", { name: "Response" }).getByText("halloran").first().waitFor(SOON);
  },
);

/** The middle of an element of the login page, in pixels of the session's viewport. */
async function placeOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const own = await page.context().newPage();
  await own.setViewportSize(VIEWPORT);
  await own.goto(sitePage("/login"));
  const box = await own.locator(selector).boundingBox();
  await own.close();
  if (box === null) throw new Error(`${selector} is not to be seen`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function clickInView(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const canvas = page.frameLocator("iframe.live-frame").locator("#canvas");
  await canvas.scrollIntoViewIfNeeded();
  const box = await canvas.boundingBox();
  if (box === null) throw new Error("The live view shows no picture");
  await page.mouse.click(box.x + (x / VIEWPORT.width) * box.width, box.y + (y / VIEWPORT.height) * box.height);
}
