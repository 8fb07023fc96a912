import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Browser, Page } from "playwright-core";
import { PROJECT_ROOT } from "../../src/tools/service/wrangler.ts";
import { localBrowser } from "../e2e/local-browser.ts";
import { startService, type TestService } from "../e2e/service.ts";
import { startSite, type Site } from "../site/start-site.ts";
import { shotData } from "./shot-data.ts";
import { dialogScenes, failureScenes } from "./dialog-scenes.ts";
import { scenes } from "./scenes.ts";
import type { Shot } from "./scenes.ts";

/**
 * `npm run shots`: takes screenshots of every view of the dashboard, with data, at three widths, light and dark.
 * `npm run shots -- FOLDER NAME…` names the folder (default: `.wrangler/pictures/shots`), and views by a part of their name.
 * `SHOTS=1440-light,390-dark` limits widths and schemes.
 */
const SIZES = [
  { width: 1440, height: 900 },
  { width: 768, height: 1024 },
  { width: 390, height: 844 },
] as const;
const SCHEMES = ["light", "dark"] as const;
const SETTLE_MS = 400;
const READY_MS = 10_000;

const ONLY = process.env["SHOTS"]?.split(",");

const [folder = join(PROJECT_ROOT, ".wrangler", "pictures", "shots"), ...names] = process.argv.slice(2);
const service = await startService({ settings: { PROFILE_ENCRYPTION_KEY: "5a".repeat(32) } });
const site = await startSite();
let browser: Browser | undefined;
try {
  browser = await localBrowser();
  await takeAll(browser, { service, site });
} finally {
  await browser?.close();
  await site.close();
  await service.stop();
}

async function takeAll(
  opened: Browser,
  { service: { url, key, adminKey }, site: served }: { service: TestService; site: Site },
) {
  await mkdir(resolve(folder), { recursive: true });
  const made = await shotData({ url, key }, served.url);
  for (const colorScheme of SCHEMES) {
    if (ONLY?.every((look) => !look.endsWith(colorScheme)) === true) continue;
    const context = await opened.newContext({ colorScheme, reducedMotion: "reduce", viewport: SIZES[0] });
    const page = await context.newPage();
    if (isWanted("sign-in")) await take(page, url, { name: "sign-in", url: "/" }, colorScheme);
    // From another document: a change of the fragment alone does not sign in.
    await page.goto("about:blank");
    await page.setViewportSize(SIZES[0]);
    await page.goto(`${url}/#key=${key}&admin=${adminKey}&try=${encodeURIComponent(`${served.url}/articles/`)}`);
    const shots = [...(await viewsOf(page)), ...made, ...scenes(served.url), ...dialogScenes(), ...failureScenes()];
    for (const shot of shots.filter(({ name }) => isWanted(name))) await take(page, url, shot, colorScheme);
    await context.close();
  }
}

function isWanted(name: string): boolean {
  return names.length === 0 || names.some((part) => name.includes(part));
}

/** Returns the views of the navigation. */
async function viewsOf(page: Page): Promise<Shot[]> {
  const links = page.getByRole("navigation", { name: "Main" }).getByRole("link");
  await links.first().waitFor();
  const hrefs = await links.evaluateAll((found) => found.map((link) => String(link.getAttribute("href"))));
  return hrefs.map((href) => ({ name: href.replace("#/", ""), url: `/${href}` }));
}

async function take(page: Page, origin: string, { name, url, prepare, restore }: Shot, scheme: string): Promise<void> {
  await page.goto("about:blank");
  await page.setViewportSize(SIZES[0]);
  await page.goto(`${origin}${url}`);
  await page.waitForLoadState("networkidle", { timeout: READY_MS }).catch(() => undefined);
  await prepare?.(page).catch((error: unknown) => console.log(`${name}: ${String(error).split("\n")[0]}`));
  for (const size of SIZES) {
    if (ONLY?.includes(`${size.width}-${scheme}`) === false) continue;
    await page.setViewportSize(size);
    await page.waitForLoadState("networkidle", { timeout: READY_MS }).catch(() => undefined);
    await page.waitForTimeout(SETTLE_MS);
    const path = join(resolve(folder), `${name.replaceAll(/[^\w-]+/g, "-")}-${size.width}-${scheme}.png`);
    const isTaken = await page.screenshot({ path, fullPage: true }).then(
      () => true,
      () => false,
    );
    console.log(isTaken ? path : `${path}: not taken in time`);
  }
  await restore?.(page);
}
