import { pageFunctions } from "#page-scripts";
import type { Action } from "../../../core/scrape/actions.ts";
import { CollectedItems } from "../../../core/scrape/collected-items.ts";
import { clickElement } from "../page/elements.ts";
import type { PageActivity } from "../page/page-activity.ts";
import type { PageSession } from "../page/page-session.ts";
import { MAX_MESSAGE_BYTES } from "../page/read-html.ts";
import { settleAction } from "../page/settle.ts";

type CollectAction = Extract<Action, { type: "collect" }>;
type ScrollAction = Extract<Action, { type: "scroll" }>;

interface ListContext {
  page: PageSession;
  activity: PageActivity;
  warnings: string[];
}

/** Waits at the end of a list for more items, in ms. */
const END_WAITS_MS = [150, 350, 800, 1_500];
/** Time that is kept for reading the page. */
const RESERVE_MS = 2_000;
const SCROLL_TO_END_MS = 20_000;
/** Items that are read from the page at a time. */
const MAX_SHOWN = 10_000;

/**
 * Collects the items of a list in order and once each, until it has no more, or a limit is reached; the page then shows
 * all of them. Items that the list takes out of the page while it is scrolled are kept.
 * @throws Error when nothing matches a selector
 */
export async function collectItems(action: CollectAction, { page, activity, warnings }: ListContext): Promise<void> {
  const { item, within, more, maxItems, maxMilliseconds } = action;
  const collected = new CollectedItems(maxItems);
  const endMs = Date.now() + Math.min(maxMilliseconds, Math.max(0, page.remainingMs() - RESERVE_MS));
  const read = async (): Promise<boolean> =>
    collected.add(await page.call(pageFunctions.readItems, item, MAX_SHOWN, MAX_MESSAGE_BYTES));
  await read();
  let isLate = false;
  if (collected.size === 0) throw new Error(`nothing matches the selector ${item}`);
  while (!collected.isFull) {
    if (Date.now() >= endMs) {
      isLate = true;
      break;
    }
    const step = more === undefined ? await scrollOn(page, { item, within }) : await loadMore(page, more);
    if (step === "end") break;
    await settleAction(page, activity);
    const isNew = await read();
    if (isNew || step === "on") continue;
    const next = await comesMore(page, read, endMs);
    isLate = next === "late";
    if (next !== "more") break;
  }
  if (isLate) {
    warnings.push(
      `collect: the time limit was reached after ${collected.size} items; raise maxMilliseconds or timeout to collect more.`,
    );
  }
  if (collected.isFull) warnings.push(`collect: it stopped after ${collected.size} items (maxItems).`);
  if (collected.isCut) warnings.push("collect: the items together are too large; the last ones are left out.");
  await page.call(pageFunctions.showItems, item, collected.html);
}

/** Scrolls to the end of the page or an element, until nothing more is loaded there. */
export async function scrollToEnd(action: ScrollAction, { page, activity, warnings }: ListContext): Promise<void> {
  const { selector, direction } = action;
  const endMs = Date.now() + Math.min(SCROLL_TO_END_MS, Math.max(0, page.remainingMs() - RESERVE_MS));
  const measure = async (): Promise<boolean> => {
    const state = await page.call(pageFunctions.scrollOneScreen, direction, selector ?? null);
    if (state === "missing") throw new Error(`nothing matches the selector ${selector ?? ""}`);
    return state === "moved";
  };
  while (Date.now() < endMs) {
    const isMoved = await measure();
    await settleAction(page, activity);
    if (!isMoved && (await comesMore(page, measure, endMs)) === "nothing") return;
  }
  warnings.push("scroll: the end of the page was not reached in time.");
}

/** A button may still be there without effect; a list that shows its end may still load more. */
type Step = "on" | "may_end" | "end";

async function scrollOn(page: PageSession, { item, within }: Pick<CollectAction, "item" | "within">): Promise<Step> {
  const { isMissing, isAtEnd } = await page.call(pageFunctions.scrollList, item, within ?? null);
  if (isMissing) throw new Error(`nothing matches the selector ${within ?? item}`);
  return isAtEnd ? "may_end" : "on";
}

async function loadMore(page: PageSession, more: string): Promise<Step> {
  if (!(await page.call(pageFunctions.canLoadMore, more))) return "end";
  await clickElement(page, more);
  return "may_end";
}

/** Waits for a while for something new. */
async function comesMore(
  page: PageSession,
  look: () => Promise<boolean>,
  endMs: number,
): Promise<"more" | "nothing" | "late"> {
  for (const waitMs of END_WAITS_MS) {
    if (Date.now() + waitMs >= endMs) return "late";
    await page.sleep(waitMs);
    if (await look()) return "more";
  }
  return "nothing";
}
