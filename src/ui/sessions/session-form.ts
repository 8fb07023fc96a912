/** The values of the form to create a session. */
export interface SessionForm {
  name: string;
  url: string;
  /** Width and height in CSS pixels: `1280x720`. */
  viewport: string;
  /** Seconds. */
  ttl: number;
  isRecorded: boolean;
  /** Name of the profile; empty for none. */
  profile: string;
  savesProfile: boolean;
}

/** Returns the body of the request that creates the session (`CreateBrowser`). */
export function sessionBody({ name, viewport, ttl, isRecorded, profile, savesProfile }: SessionForm): object {
  const [width = 1280, height = 720] = viewport.split("x").map(Number);
  return {
    ttl,
    activityTtl: ttl,
    streamWebView: true,
    recordSession: isRecorded,
    viewport: { width, height },
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(profile.trim() === "" ? {} : { profile: { name: profile.trim(), saveChanges: savesProfile } }),
  };
}

/** Returns the request that opens a session with a saved profile, as a command for a terminal. */
export function profileCommand(origin: string, profile: string): string {
  const body = JSON.stringify({ profile: { name: profile, saveChanges: false } }).replaceAll("'", String.raw`'\''`);
  return [
    `curl -X POST ${origin}/v2/browser \\`,
    `  -H "Authorization: Bearer $ORBWEAVER_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join("\n");
}

/** Returns code that connects Playwright or Puppeteer to a session. */
export function connectCode(client: "Playwright" | "Puppeteer" | "Playwright (Python)", cdpUrl: string): string {
  const url = JSON.stringify(cdpUrl);
  if (client === "Puppeteer") {
    return `import puppeteer from "puppeteer-core";

const browser = await puppeteer.connect({ browserWSEndpoint: ${url}, defaultViewport: null });
const [page] = await browser.pages();
console.log(await page.title());
await browser.disconnect();`;
  }
  if (client === "Playwright") {
    return `import { chromium } from "playwright";

const browser = await chromium.connectOverCDP(${url});
const [page] = browser.contexts()[0].pages();
console.log(await page.title());
await browser.close(); // Disconnects; the session continues.`;
  }
  return `from playwright.sync_api import sync_playwright

with sync_playwright() as playwright:
    browser = playwright.chromium.connect_over_cdp(${url})
    page = browser.contexts[0].pages[0]
    print(page.title())`;
}
