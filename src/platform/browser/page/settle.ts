import type { PageActivity } from "./page-activity.ts";
import { pageFunctions } from "#page-scripts";
import type { PageSession } from "./page-session.ts";

/** A page counts as ready after this long without a change. */
const QUIET_MS = 100;
/** Longest wait for a document that a script or a style sheet holds up, and half of the time that is left. */
const MAX_DOCUMENT_MS = 20_000;
/** Longest wait for the load event once there is a document. */
const MAX_LOAD_MS = 10_000;
/** Longest wait for quiet after the load event: pages that animate or poll are never quiet. */
const MAX_SETTLE_MS = 4_000;
/** Longest wait for the content of a page that has scripts and shows nothing, or shows that it is busy. */
const MAX_EMPTY_MS = 3_500;
/** A redirect that the page announces for sooner than this is awaited. */
const MAX_REFRESH_MS = 3_000;
/** Time reserved for reading the page. */
const RESERVE_MS = 1_500;

/**
 * Waits until a page that has started to load is worth reading: it is loaded, and neither its document nor its network
 * has changed for a moment. A page that was ready at its load event costs one such moment; one that is never quiet is
 * read after a few seconds.
 */
export async function settle(page: PageSession, activity: PageActivity): Promise<void> {
  const { navigations } = activity;
  await waitForLoad(page, activity);
  await waitForQuiet(page, activity, MAX_SETTLE_MS);
  const progress = await page.call(pageFunctions.readProgress);
  if (progress.refreshMs >= 0 && progress.refreshMs <= MAX_REFRESH_MS) {
    await waitForNavigation(page, activity, progress.refreshMs + 500);
  } else if (progress.isOnItsWay) {
    await waitForContent(page, activity);
  }
  if (activity.navigations > navigations && activity.isAwaitingLoad) await waitForLoad(page, activity);
}

/** Waits after an action: for the end of a navigation that it started, then for a short quiet period. */
export async function settleAction(page: PageSession, activity: PageActivity): Promise<void> {
  await page.sleep(30);
  if (activity.isAwaitingLoad || !activity.hasDom) return settle(page, activity);
  await waitForQuiet(page, activity, 1_500);
  if (activity.isAwaitingLoad) await settle(page, activity);
}

/**
 * Waits for the document, for a while.
 * @returns URLs of the scripts and style sheets that hold it up; none when it is there, or waits for something else
 */
export async function findLateFiles(page: PageSession, activity: PageActivity): Promise<string[]> {
  const endMs = Date.now() + Math.min(MAX_DOCUMENT_MS, page.remainingMs() / 2);
  while (!hasDocument(activity)) {
    const leftMs = endMs - Date.now();
    if (leftMs <= 0) return activity.lateFiles();
    await activity.nextChange(Math.min(500, leftMs));
  }
  return [];
}

/** Loads the page again, up to its new document. */
export async function reload(page: PageSession, activity: PageActivity): Promise<void> {
  const { navigations } = activity;
  await page.send("Page.reload");
  while (activity.navigations === navigations) await activity.nextChange(500);
}

/**
 * Reports whether the document is there. A page that leads elsewhere while it is read, to what cannot be displayed, stays
 * without the rest of it.
 */
function hasDocument({ hasDom, isLoading, navigations }: PageActivity): boolean {
  return hasDom || (!isLoading && navigations > 0);
}

async function waitForLoad(page: PageSession, activity: PageActivity): Promise<void> {
  while (!hasDocument(activity)) await activity.nextChange(500);
  const endMs = Date.now() + bounded(page, MAX_LOAD_MS);
  while (activity.isAwaitingLoad && Date.now() < endMs) await activity.nextChange(Math.max(1, endMs - Date.now()));
  if (activity.isAwaitingLoad) activity.giveUpLoad();
}

async function waitForQuiet(page: PageSession, activity: PageActivity, limitMs: number): Promise<void> {
  const endMs = Date.now() + bounded(page, limitMs);
  for (;;) {
    const domQuietMs = await page.call(pageFunctions.quietMs);
    const missingMs = QUIET_MS - Math.min(domQuietMs, activity.quietMs());
    const leftMs = endMs - Date.now();
    if ((missingMs <= 0 && !activity.isAwaitingLoad) || leftMs <= 0) return;
    await page.sleep(Math.min(Math.max(missingMs, 10), leftMs));
  }
}

async function waitForContent(page: PageSession, activity: PageActivity): Promise<void> {
  const endMs = Date.now() + bounded(page, MAX_EMPTY_MS);
  while (Date.now() < endMs) {
    await page.sleep(100);
    const { isOnItsWay } = await page.call(pageFunctions.readProgress);
    if (!isOnItsWay) return waitForQuiet(page, activity, MAX_SETTLE_MS);
  }
}

async function waitForNavigation(page: PageSession, activity: PageActivity, limitMs: number): Promise<void> {
  const { navigations } = activity;
  const endMs = Date.now() + bounded(page, limitMs);
  while (activity.navigations === navigations && Date.now() < endMs) {
    await activity.nextChange(Math.max(1, endMs - Date.now()));
  }
  if (activity.navigations === navigations) return;
  await waitForLoad(page, activity);
  await waitForQuiet(page, activity, MAX_SETTLE_MS);
}

function bounded(page: PageSession, ms: number): number {
  return Math.max(0, Math.min(ms, page.remainingMs() - RESERVE_MS));
}
