import type { FrameLocator, Locator, Page } from "@cloudflare/playwright";
import type { BrowserState, ElementRef } from "../../core/sessions/workspace.ts";
import { TEXT_ROLE } from "./parse-snapshot.ts";

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
export async function locate(page: Page, state: BrowserState, selector: string): Promise<Locator> {
  const ref = REF.exec(selector)?.[1];
  if (ref === undefined) return page.locator(selector).first();
  const element = state.refs[ref];
  if (element === undefined) throw new UsageError(`There is no ${selector}: take a new snapshot`);
  return (await locateByDriver(page, element)) ?? locateElement(page, element);
}

/** All elements that a selector names. */
export async function locateAll(page: Page, state: BrowserState, selector: string): Promise<Locator> {
  return REF.test(selector) ? await locate(page, state, selector) : page.locator(selector);
}

/** The element by the driver's own reference; undefined when another connection took the snapshot, or of another page. */
async function locateByDriver(page: Page, { driverRef }: ElementRef): Promise<Locator | undefined> {
  if (driverRef === undefined) return undefined;
  const located = byDriverRef(page, driverRef);
  // The frame of the reference may be gone.
  const count = await located.count().catch(() => 0);
  return count === 1 ? located : undefined;
}

export function byDriverRef(page: Page, driverRef: string): Locator {
  return page.locator(`aria-ref=${driverRef}`);
}

type Role = Parameters<Page["getByRole"]>[0];

function locateElement(page: Page, element: ElementRef): Locator {
  const { role, name, nth, frames, isExact = false } = element;
  if (isExact) return candidatesOf(page, element).nth(nth);
  const scope = scopeOf(page, frames);
  if (role === TEXT_ROLE) return scope.getByText(name, { exact: true }).filter({ visible: true }).nth(nth);
  // Roles come from the driver's own snapshot.
  return scope.getByRole(role as Role, { name, exact: true }).nth(nth);
}

/** All elements with the role or text of one that has a text or no name, hidden ones included. */
export function candidatesOf(page: Page, { role, name, frames }: Omit<ElementRef, "nth">): Locator {
  const scope = scopeOf(page, frames);
  if (role === TEXT_ROLE) return scope.getByText(name, { exact: true });
  return scope.getByRole(role as Role, { includeHidden: true });
}

export function iframesOf(page: Page, frames: readonly number[]): Locator {
  return scopeOf(page, frames).locator("iframe, frame");
}

function scopeOf(page: Page, frames: readonly number[]): Page | FrameLocator {
  let scope: Page | FrameLocator = page;
  for (const index of frames) scope = scope.locator("iframe, frame").nth(index).contentFrame();
  return scope;
}
