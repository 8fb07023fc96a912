import type { ScreenshotOptions } from "../../../core/scrape/actions.ts";
import type { PageFile } from "../../../core/scrape/page.ts";
import { pageFunctions } from "#page-scripts";
import type { PageSession } from "../page/page-session.ts";
import { DESKTOP, viewportOf } from "../page/set-up-page.ts";

/** Longer pages are cut: Chromium renders no higher surfaces. */
const MAX_HEIGHT_PX = 16_000;
/** A PNG with more pixels may exceed the size of a protocol message, so larger pictures become JPEGs. */
const MAX_PNG_PIXELS = 16_000_000;
const FALLBACK_QUALITY = 85;
const SCROLL_BUDGET_MS = 3_000;

export interface Shot {
  file: PageFile;
  warnings: string[];
}

/** Captures the viewport or the whole page, and restores the page's own viewport afterwards. */
export async function takeScreenshot(
  page: PageSession,
  { fullPage, quality, viewport }: ScreenshotOptions,
  { mobile }: { mobile: boolean },
): Promise<Shot> {
  if (viewport !== undefined) {
    await page.send("Emulation.setDeviceMetricsOverride", { ...viewportOf(mobile), ...viewport });
    await page.sleep(100);
  }
  try {
    const size = viewport ?? (mobile ? viewportOf(true) : DESKTOP);
    if (!fullPage) return { file: await capture(page, { ...size, quality }), warnings: [] };
    return await captureWhole(page, { width: size.width, quality });
  } finally {
    if (viewport !== undefined) await page.send("Emulation.setDeviceMetricsOverride", viewportOf(mobile));
  }
}

async function captureWhole(page: PageSession, { width, quality }: { width: number; quality: number | undefined }) {
  const budgetMs = Math.min(SCROLL_BUDGET_MS, page.remainingMs() / 4);
  await page.call(pageFunctions.scrollThrough, { maxHeight: MAX_HEIGHT_PX, budgetMs });
  const { cssContentSize } = await page.send("Page.getLayoutMetrics");
  const height = Math.max(1, Math.ceil(cssContentSize.height));
  const shownHeight = Math.min(height, MAX_HEIGHT_PX);
  const warnings: string[] = [];
  if (height > shownHeight) {
    warnings.push(`The page is ${height} px high; the screenshot shows the first ${MAX_HEIGHT_PX} px.`);
  }
  const isTooLarge = quality === undefined && width * shownHeight > MAX_PNG_PIXELS;
  if (isTooLarge)
    warnings.push(`The screenshot is a JPEG, since a PNG of ${width} x ${shownHeight} px would be too large.`);
  const used = isTooLarge ? FALLBACK_QUALITY : quality;
  return { file: await capture(page, { width, height: shownHeight, quality: used, fromTop: true }), warnings };
}

interface CaptureArea {
  width: number;
  height: number;
  quality: number | undefined;
  /** Coordinates are relative to the top of the document instead of the viewport. */
  fromTop?: true;
}

async function capture(page: PageSession, { width, height, quality, fromTop }: CaptureArea): Promise<PageFile> {
  const format = quality === undefined ? "png" : "jpeg";
  const { data } = await page.send("Page.captureScreenshot", {
    format,
    optimizeForSpeed: format === "png" && width * height > MAX_PNG_PIXELS / 4,
    ...(quality === undefined ? {} : { quality }),
    ...(fromTop === undefined ? {} : { clip: { x: 0, y: 0, width, height, scale: 1 }, captureBeyondViewport: true }),
  });
  return { bytes: fromBase64(data), contentType: `image/${format}` };
}

export function fromBase64(data: string): Uint8Array {
  return new Uint8Array(Buffer.from(data, "base64"));
}
