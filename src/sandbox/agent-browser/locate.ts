import type { FrameLocator, Locator, Page } from "@cloudflare/playwright";
import type { BrowserState, ElementRef } from "../../core/sessions/workspace.ts";

/** An error in the command that the caller wrote. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}

const REF = /^(?:@|ref=)(e\d+)$/;

/**
 * The element that a selector names: `@e1` of the last snapshot, `text=…`, an XPath (`xpath=…` or `//…`), or CSS.
 * @throws UsageError for a reference that the last snapshot did not give
 */
export function locate(page: Page, state: BrowserState, selector: string): Locator {
  const ref = REF.exec(selector)?.[1];
  if (ref === undefined) return page.locator(selector).first();
  const element = state.refs[ref];
  if (element === undefined) throw new UsageError(`There is no ${selector}: take a new snapshot`);
  return locateElement(page, element);
}

/** All elements that a selector names. */
export function locateAll(page: Page, state: BrowserState, selector: string): Locator {
  return REF.test(selector) ? locate(page, state, selector) : page.locator(selector);
}

type Role = Parameters<Page["getByRole"]>[0];

function locateElement(page: Page, { role, name, nth, frames }: ElementRef): Locator {
  let scope: Page | FrameLocator = page;
  for (const index of frames) scope = scope.locator("iframe, frame").nth(index).contentFrame();
  if (role === "text") return scope.getByText(name, { exact: true }).nth(nth);
  // Roles come from the driver's own snapshot.
  return scope.getByRole(role as Role, { name, exact: true }).nth(nth);
}
