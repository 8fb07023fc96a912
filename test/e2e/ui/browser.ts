import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { inject } from "../inject.ts";
import { findInstalledBrowser } from "../../../src/tools/browser/installed-browser.ts";

/** A tab with the dashboard, in the installed Chromium. */
export interface Reader {
  page: Page;
  /** Errors of the page, violations of its Content-Security-Policy, and requests to other origins. */
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

/** Opens a tab without state from earlier tests. Records errors and requests to other origins as complaints. */
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
    // Chromium logs each error response. Some tests expect error responses.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      complaints.push(message.text());
    }
  });
  page.on("request", (request) => {
    const url = request.url();
    if (/^(?:data|blob|about):/.test(url) || request.isNavigationRequest()) return;
    if (new URL(url).origin !== new URL(page.url()).origin) complaints.push(`requested ${url}`);
  });
  return { page, complaints, close: () => context.close() };
}

/** Returns the dashboard's sign-in URL, with the admin key if `isAdmin`, and the URL of a view. */
export function dashboardUrl(view = "playground", { isAdmin = false } = {}): { signIn: string; view: string } {
  const key = inject("apiKey");
  const admin = isAdmin ? `&admin=${inject("adminKey")}` : "";
  const start = `&try=${encodeURIComponent(`${inject("siteUrl")}/articles/`)}`;
  return { signIn: `${inject("serviceUrl")}/#key=${key}${admin}${start}`, view: `${inject("serviceUrl")}/#/${view}` };
}

/** Signs in with the URL that `npm start` prints and opens a view. */
export async function openView(page: Page, view: string, options: { isAdmin?: boolean } = {}): Promise<void> {
  const urls = dashboardUrl(view, options);
  await page.goto(urls.signIn);
  await page.getByRole("navigation", { name: "Main" }).waitFor();
  if (view !== "playground") await page.goto(urls.view);
  await page.getByRole("heading", { level: 1 }).waitFor();
}
