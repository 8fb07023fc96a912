import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { inject } from "vitest";
import { findInstalledBrowser } from "../../../src/tools/installed-browser.ts";

/** A reader of the dashboard, in the Chromium of this machine. */
export interface Reader {
  page: Page;
  /** What the page complained about: errors, and what its Content-Security-Policy refused. */
  complaints: string[];
  close(): Promise<void>;
}

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };

let browser: Promise<Browser> | undefined;

async function launch(): Promise<Browser> {
  const executablePath = await findInstalledBrowser();
  if (executablePath === undefined)
    throw new Error("The dashboard's tests need a Chrome or Chromium; set CHROME_PATH.");
  return await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
}

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}

/** Opens a tab that has nothing from earlier tests. What a third party would be asked for ends the test. */
export async function newReader(): Promise<Reader> {
  browser ??= launch();
  const context = await (
    await browser
  ).newContext({
    viewport: DESKTOP,
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // Answers that are errors are part of what is tested; the browser mentions each.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  page.on("request", (request) => {
    const url = request.url();
    if (/^(?:data|blob|about):/.test(url) || request.isNavigationRequest()) return;
    if (new URL(url).origin !== new URL(page.url()).origin) complaints.push(`asked ${url}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** The dashboard's address, signed in as the key says; with the admin key as well when asked. */
export function dashboardUrl(view = "playground", { isAdmin = false } = {}): { signIn: string; view: string } {
  const key = inject("apiKey");
  const admin = isAdmin ? `&admin=${inject("adminKey")}` : "";
  const start = `&try=${encodeURIComponent(`${inject("siteUrl")}/articles/`)}`;
  return { signIn: `${inject("serviceUrl")}/#key=${key}${admin}${start}`, view: `${inject("serviceUrl")}/#/${view}` };
}

/** Signs in by the address that `npm start` prints and goes to a view. */
export async function openView(page: Page, view: string, options: { isAdmin?: boolean } = {}): Promise<void> {
  const urls = dashboardUrl(view, options);
  await page.goto(urls.signIn);
  await page.getByRole("navigation", { name: "Views" }).waitFor();
  if (view !== "playground") await page.goto(urls.view);
  await page.getByRole("heading", { level: 1 }).waitFor();
}
