import { chromium, type Browser } from "playwright-core";
import { findInstalledBrowser } from "../../src/tools/browser/installed-browser.ts";

/**
 * Features that are off. Chromium would render two windows of its own beside each window of a context, and keep a renderer
 * ready, which takes as long as the tests' own pages. The others are those that Playwright turns off: of two flags of
 * this name, the last one takes effect.
 */
const DISABLED_FEATURES = [
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
  "SpareRendererForSitePerProcess",
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "ThirdPartyStoragePartitioning",
];

let running: Promise<Browser> | undefined;

/**
 * The Chrome or Chromium of this machine, as a person's browser. All files of a lane share it, each with contexts of its
 * own, and it ends with the lane's process.
 * @throws Error when there is none.
 */
export function localBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

/** Ends all contexts, with their tabs, so that none works beside the next file. */
export async function closeContexts(): Promise<void> {
  const contexts = (await running)?.contexts() ?? [];
  await Promise.all(contexts.map((context) => context.close()));
}

async function launch(): Promise<Browser> {
  const forget = (): void => {
    running = undefined;
  };
  try {
    const executablePath = await findInstalledBrowser();
    if (executablePath === undefined) throw new Error("No Chrome or Chromium found; set CHROME_PATH.");
    const disabled = `--disable-features=${DISABLED_FEATURES.join(",")}`;
    const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", disabled] });
    return browser.once("disconnected", forget);
  } catch (error) {
    forget();
    throw error;
  }
}
