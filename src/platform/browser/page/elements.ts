import { pageFunctions } from "#page-scripts";
import { callOf, type PageObjectId } from "./call-function.ts";
import type { PageSession } from "./page-session.ts";

/** Longest wait for an element that is to be clicked, which may not have been added yet. */
const MAX_CLICK_WAIT_MS = 1_000;
/** Longest wait for a selector in a wait action. */
const MAX_SELECTOR_WAIT_MS = 30_000;
const POLL_MS = 100;
const MAX_CLICKS = 100;

/** Waits until an element matches the selector. @throws Error when none does, or for an invalid selector */
export async function waitForSelector(page: PageSession, selector: string): Promise<void> {
  await waitForMatch(page, selector, Math.min(MAX_SELECTOR_WAIT_MS, Math.max(0, page.remainingMs() - 500)));
}

async function waitForMatch(page: PageSession, selector: string, maxWaitMs: number): Promise<void> {
  const endMs = Date.now() + maxWaitMs;
  for (;;) {
    const found = await page.call(pageFunctions.hasMatch, selector);
    if (found) return;
    if (Date.now() >= endMs) throw new Error(`nothing matches the selector ${selector}`);
    await page.sleep(POLL_MS);
  }
}

/** Clicks the first match as a user does: scrolled into view, with the mouse. */
export async function clickElement(page: PageSession, selector: string): Promise<void> {
  await waitForMatch(page, selector, MAX_CLICK_WAIT_MS);
  await clickObject(page, await page.callForObject(pageFunctions.firstMatch, selector));
}

/** Clicks every match. No match is not a failure. */
export async function clickAll(page: PageSession, selector: string): Promise<void> {
  const count = await page.call(pageFunctions.storeMatches, selector);
  for (let index = 0; index < Math.min(count, MAX_CLICKS); index++) {
    const clicking = page.callForObject(pageFunctions.storedMatch, index).then((element) => clickObject(page, element));
    await clicking.catch((error: unknown) => {
      // An earlier click may have removed the others, or navigated the page.
      if (index === 0 || page.signal.aborted) throw error;
    });
  }
}

async function clickObject(page: PageSession, element: PageObjectId | undefined): Promise<void> {
  if (element === undefined) throw new Error("the element is not in the page any more");
  await page.trySend("DOM.scrollIntoViewIfNeeded", { objectId: element.objectId });
  const point = await page.callOn(element, pageFunctions.clickPoint);
  if (point === undefined) {
    // Without a visible box (hidden or fully covered) the mouse has no target, but a script can still click the
    // element.
    const { objectId } = element;
    await page.send("Runtime.callFunctionOn", {
      ...callOf(pageFunctions.click, [element]),
      objectId,
      userGesture: true,
    });
    return;
  }
  const mouse = { x: point.x, y: point.y, button: "left" as const, clickCount: 1 };
  await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: point.x, y: point.y });
  await page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
  await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
}
