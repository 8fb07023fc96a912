import type { ScreenshotOptions } from "../../../core/scrape/actions.ts";
import type { PageFile } from "../../../core/scrape/page.ts";
import { pageFunctions } from "#page-scripts";
import { within } from "../abortable.ts";
import { captureTurnsOf } from "./capture-turns.ts";
import type { PageSession } from "../page/page-session.ts";
import { DESKTOP, viewportOf } from "../page/set-up-page.ts";

/** Longer pages are cut: Chromium renders no higher surfaces. */
const MAX_HEIGHT_PX = 16_000;
/** Whole pages with more pixels become JPEGs. */
const MAX_PNG_PIXELS = 16_000_000;
const FALLBACK_QUALITY = 85;
const LEAST_QUALITY = 40;
/** Length of a picture in base64: a message of the protocol has 32 MiB at most, and a longer one ends the connection. */
const MAX_DATA_CHARS = 32_000_000;
/** The most characters that a pixel of noise takes in a JPEG of a quality (`.95`, and `1.87` of the best), and in a PNG. */
const CHARS_OF_JPEG = [
  { quality: FALLBACK_QUALITY, chars: 1 },
  { quality: 100, chars: 2 },
];
const CHARS_OF_PNG = 16 / 3;
/** A picture with more pixels is taken when its page is the next of its browser. */
const LARGE_PIXELS = 4_000_000;
/** Pixels of the smaller picture that shows how long a large one will be. */
const TRIAL_PIXELS = 1_000_000;
/** A picture that takes longer keeps the others of its browser waiting no more: a page may never be drawn. */
const TURN_LIMIT_MS = 10_000;
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
    if (!fullPage) return await captureFitting(page, { ...size, quality });
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
  const shot = await captureFitting(page, { width, height: shownHeight, quality: used, fromTop: true });
  return { file: shot.file, warnings: [...warnings, ...shot.warnings] };
}

/**
 * Captures an area as asked, or as a JPEG of the best quality that a message of the protocol holds, with a warning.
 * @throws Error when no quality makes it small enough
 */
async function captureFitting(page: PageSession, area: CaptureArea): Promise<Shot> {
  const { width, height, quality: asked } = area;
  const qualities = [asked, FALLBACK_QUALITY, LEAST_QUALITY].filter(
    (quality, at) => at === 0 || (quality ?? 100) < (asked ?? 101),
  );
  for (const quality of qualities) {
    const file = await inItsTurn(page, area, async () =>
      (await isSmallEnough(page, { ...area, quality })) ? await capture(page, { ...area, quality }) : undefined,
    );
    if (file === undefined) continue;
    if (quality === asked) return { file, warnings: [] };
    const what = asked === undefined ? "a PNG" : `a quality of ${asked}`;
    const warning = `The screenshot is a JPEG of quality ${quality}, since ${what} of ${width} x ${height} px would be too large.`;
    return { file, warnings: [warning] };
  }
  throw new Error(`a screenshot of ${width} x ${height} px of this page is too large`);
}

async function inItsTurn<T>(page: PageSession, { width, height }: CaptureArea, take: () => Promise<T>): Promise<T> {
  if (width * height <= LARGE_PIXELS) return await take();
  const { browserId, owner, signal } = page;
  const { taking } = await captureTurnsOf(browserId).run(
    owner,
    async () => {
      const taking = take();
      await within(Promise.allSettled([taking]), TURN_LIMIT_MS, undefined);
      return { taking };
    },
    { left: signal },
  );
  return await taking;
}

/**
 * Reports whether a picture fits into a message: by its size, or by a smaller picture, which has more detail a pixel, so that
 * it is not too short.
 */
async function isSmallEnough(page: PageSession, area: CaptureArea): Promise<boolean> {
  const pixels = area.width * area.height;
  if (pixels * mostCharsAPixel(area) <= MAX_DATA_CHARS) return true;
  const scale = Math.sqrt(TRIAL_PIXELS / pixels);
  const { pageX, pageY } = (await page.send("Page.getLayoutMetrics")).cssVisualViewport;
  const [x, y] = area.fromTop === undefined ? [pageX, pageY] : [0, 0];
  const data = await captureData(page, area, { x, y, width: area.width, height: area.height, scale });
  return data.length / scale ** 2 <= MAX_DATA_CHARS;
}

function mostCharsAPixel({ quality }: CaptureArea): number {
  if (quality === undefined) return CHARS_OF_PNG;
  return CHARS_OF_JPEG.find((known) => quality <= known.quality)?.chars ?? CHARS_OF_PNG;
}

interface CaptureArea {
  width: number;
  height: number;
  quality: number | undefined;
  /** Coordinates are relative to the top of the document instead of the viewport. */
  fromTop?: true;
}

async function capture(page: PageSession, area: CaptureArea): Promise<PageFile> {
  const clip =
    area.fromTop === undefined ? undefined : { x: 0, y: 0, width: area.width, height: area.height, scale: 1 };
  const data = await captureData(page, area, clip);
  return { bytes: fromBase64(data), contentType: `image/${area.quality === undefined ? "png" : "jpeg"}` };
}

/** Returns a picture in base64, of the viewport or of a part of the document, in CSS pixels. */
async function captureData(
  page: PageSession,
  { width, height, quality }: CaptureArea,
  clip: { x: number; y: number; width: number; height: number; scale: number } | undefined,
): Promise<string> {
  const { data } = await page.send("Page.captureScreenshot", {
    format: quality === undefined ? "png" : "jpeg",
    optimizeForSpeed: quality === undefined && width * height > MAX_PNG_PIXELS / 4,
    ...(quality === undefined ? {} : { quality }),
    ...(clip === undefined ? {} : { clip, captureBeyondViewport: true }),
  });
  return data;
}

export function fromBase64(data: string): Uint8Array {
  return new Uint8Array(Buffer.from(data, "base64"));
}
