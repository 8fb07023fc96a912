import type { PageSession } from "./page-session.ts";

/** Longest wait for an element that is to be clicked, which may not have been added yet. */
const CLICK_PATIENCE_MS = 1_000;
/** Longest wait for a selector in a wait action. */
const WAIT_PATIENCE_MS = 30_000;
const POLL_MS = 100;
const MAX_CLICKS = 100;

/** Waits until an element matches the selector. @throws Error when none does, or for an invalid selector */
export async function waitForSelector(page: PageSession, selector: string): Promise<void> {
  await waitForMatch(page, selector, Math.min(WAIT_PATIENCE_MS, Math.max(0, page.remainingMs() - 500)));
}

async function waitForMatch(page: PageSession, selector: string, patienceMs: number): Promise<void> {
  const endMs = Date.now() + patienceMs;
  for (;;) {
    const found = await page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)}) !== null`);
    if (found) return;
    if (Date.now() >= endMs) throw new Error(`nothing matches the selector ${selector}`);
    await page.sleep(POLL_MS);
  }
}

/** Clicks the first match as a user does: scrolled into view, with the mouse. */
export async function clickElement(page: PageSession, selector: string): Promise<void> {
  await waitForMatch(page, selector, CLICK_PATIENCE_MS);
  await clickNth(page, selector, 0);
}

/** Clicks every match. No match is not a failure. */
export async function clickAll(page: PageSession, selector: string): Promise<void> {
  const count = await page.evaluate<number>(
    `(globalThis.toClick = [...document.querySelectorAll(${JSON.stringify(selector)})]).length`,
  );
  for (let index = 0; index < Math.min(count, MAX_CLICKS); index++) {
    await clickExpression(page, `globalThis.toClick?.[${index}]`).catch((error: unknown) => {
      // An earlier click may have removed the others, or navigated the page.
      if (index === 0 || page.signal.aborted) throw error;
    });
  }
}

async function clickNth(page: PageSession, selector: string, index: number): Promise<void> {
  await clickExpression(page, `document.querySelectorAll(${JSON.stringify(selector)})[${index}]`);
}

async function clickExpression(page: PageSession, expression: string): Promise<void> {
  const { result } = await page.evaluateRaw(expression, { returnByValue: false });
  const { objectId } = result;
  if (objectId === undefined) throw new Error("the element is not in the page any more");
  await page.trySend("DOM.scrollIntoViewIfNeeded", { objectId });
  const point = await clickPoint(page, objectId);
  if (point === undefined) {
    // Without a visible box (hidden or fully covered) the mouse has no target, but a script can still click the
    // element.
    const functionDeclaration = "function () { this.click(); }";
    await page.send("Runtime.callFunctionOn", { objectId, functionDeclaration, userGesture: true });
    return;
  }
  const mouse = { x: point.x, y: point.y, button: "left" as const, clickCount: 1 };
  await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: point.x, y: point.y });
  await page.send("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
  await page.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
}

/** Returns the centre of the element's first visible box, if a click there would hit the element. */
async function clickPoint(page: PageSession, objectId: string): Promise<{ x: number; y: number } | undefined> {
  const answer = await page.send("Runtime.callFunctionOn", {
    objectId,
    returnByValue: true,
    functionDeclaration: `function () {
      for (const box of this.getClientRects()) {
        const x = (Math.max(0, box.left) + Math.min(innerWidth, box.right)) / 2;
        const y = (Math.max(0, box.top) + Math.min(innerHeight, box.bottom)) / 2;
        if (box.width <= 0 || box.height <= 0 || x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
        const hit = this.getRootNode().elementFromPoint(x, y);
        if (hit !== null && (this === hit || this.contains(hit) || hit.contains(this) || hit.closest("label")?.control === this)) return { x, y };
      }
    }`,
  });
  return answer.result.value as { x: number; y: number } | undefined;
}
