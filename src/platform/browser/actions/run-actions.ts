import { pageFunctions } from "#page-scripts";
import type { Action } from "../../../core/scrape/actions.ts";
import type { ActionResults } from "../../../core/scrape/page.ts";
import { CdpError } from "../cdp-connection.ts";
import { clickAll, clickElement, waitForSelector } from "../page/elements.ts";
import { collectItems, scrollToEnd } from "./collect-items.ts";
import { executeScript } from "./execute-script.ts";
import { pressKey, typeText } from "./keyboard.ts";
import { failed, LoadEnd } from "../page/load-end.ts";
import type { PageActivity } from "../page/page-activity.ts";
import type { PageSession } from "../page/page-session.ts";
import { OutputRoom } from "./output-room.ts";
import { printPdf } from "./print-pdf.ts";
import { readHtml } from "../page/read-html.ts";
import { settleAction } from "../page/settle.ts";
import { takeScreenshot } from "./take-screenshot.ts";

type ScrollAction = Extract<Action, { type: "scroll" }>;

interface ActionContext {
  page: PageSession;
  activity: PageActivity;
  mobile: boolean;
  results: ActionResults;
  /** Taken for each result. */
  room: OutputRoom;
  warnings: string[];
}

/**
 * Runs actions in order.
 * @throws LoadEnd with `SCRAPE_ACTION_ERROR`, which gives the index of the failed action, counted from 0, and the cause
 */
export async function runActions(
  actions: readonly Action[],
  options: Omit<ActionContext, "results" | "room">,
): Promise<ActionResults> {
  const results: ActionResults = { screenshots: [], scrapes: [], javascriptReturns: [], pdfs: [] };
  const room = new OutputRoom();
  for (const [index, action] of actions.entries()) {
    try {
      await runAction(action, { ...options, results, room });
    } catch (error) {
      throw explained(error, `Action ${index} (${action.type}) failed`, options.page);
    }
  }
  return results;
}

/** Adds the prefix to an action's error. An error that ended the whole load (crash, deadline) stays unchanged. */
function explained(error: unknown, prefix: string, page: PageSession): unknown {
  if (page.signal.aborted || error instanceof LoadEnd || !(error instanceof Error)) return error;
  const why = error instanceof CdpError ? `the browser refused it (${error.message})` : error.message;
  return new LoadEnd(failed("SCRAPE_ACTION_ERROR", `${prefix}: ${why}`, error));
}

async function runAction(action: Action, context: ActionContext): Promise<void> {
  const { page, activity, mobile, results, room, warnings } = context;
  switch (action.type) {
    case "wait":
      if (action.selector === undefined) return page.sleep(action.milliseconds ?? 0);
      return waitForSelector(page, action.selector);
    case "click":
      await (action.all ? clickAll(page, action.selector) : clickElement(page, action.selector));
      return settleAction(page, activity);
    case "write":
      await requireFocus(page);
      return typeText(page, action.text);
    case "press":
      await pressKey(page, action.key);
      return settleAction(page, activity);
    case "scroll": {
      if (action.toEnd) return scrollToEnd(action, { page, activity, warnings });
      await scroll(page, action);
      return settleAction(page, activity);
    }
    case "collect":
      return collectItems(action, { page, activity, warnings });
    case "scrape": {
      const { url, html } = await readHtml(page);
      room.take(html.length);
      results.scrapes.push({ url, html });
      return;
    }
    case "executeJavascript":
      results.javascriptReturns.push(await executeScript(page, action.script, room));
      return settleAction(page, activity);
    case "screenshot": {
      const shot = await takeScreenshot(page, action, { mobile });
      room.take(shot.file.bytes.byteLength);
      results.screenshots.push(shot.file);
      warnings.push(...shot.warnings);
      return;
    }
    case "pdf":
    case "generatePDF":
      results.pdfs.push(await printPdf(page, action, room));
      return;
  }
}

async function scroll(page: PageSession, { direction, selector }: ScrollAction): Promise<void> {
  if (selector === undefined) return await page.call(pageFunctions.scrollPage, direction);
  const done = await page.call(pageFunctions.scrollElement, direction, selector);
  if (done === "missing") throw new Error(`nothing matches the selector ${selector}`);
}

async function requireFocus(page: PageSession): Promise<void> {
  const hasFocus = await page.call(pageFunctions.hasFocus);
  if (!hasFocus) throw new Error("no element has the focus; click the field first");
}
