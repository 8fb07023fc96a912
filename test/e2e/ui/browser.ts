import type { BrowserContext, Page } from "playwright-core";
import { inject } from "../inject.ts";
import { localBrowser } from "../local-browser.ts";

/** A tab with the dashboard, in the installed Chromium. */
export interface Reader {
  page: Page;
  /** Errors of the page, violations of its Content-Security-Policy, and requests to other origins. */
  complaints: string[];
  close(): Promise<void>;
}

export const DESKTOP = { width: 1280, height: 860 };
export const PHONE = { width: 390, height: 844 };
/** All but the cache of responses. */
const KEPT_FOR_A_PERSON = "cookies,local_storage,indexeddb,cache_storage,service_workers";
/** On a busy machine a view may wait for another browser to start. */
const WAIT_MS = 60_000;

/** Opens a tab in a context of its own. Records errors and requests to other origins as complaints. */
export async function newReader(): Promise<Reader> {
  const context = await newContext();
  return { ...(await openTab(context)), close: () => context.close() };
}

/** What a browser keeps of the dashboard for a person. */
export async function newContext(): Promise<BrowserContext> {
  const browser = await localBrowser();
  return await browser.newContext({
    viewport: DESKTOP,
    colorScheme: "light",
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
}

/**
 * Opens a tab without state from earlier tests. The context has its scripts and styles from them: loading and compiling these
 * takes longer than most tests.
 */
export async function openTab(context: BrowserContext): Promise<Omit<Reader, "close">> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const { origin } = new URL(inject("serviceUrl"));
  await session.send("Storage.clearDataForOrigin", { origin, storageTypes: KEPT_FOR_A_PERSON });
  await session.detach();
  page.setDefaultTimeout(WAIT_MS);
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
  return { page, complaints };
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
