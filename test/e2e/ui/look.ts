import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { violationsOf } from "../axe.ts";
import { isShort } from "../../sample.ts";
import { DESKTOP, PHONE } from "./browser.ts";

const PICTURES = join(PROJECT_ROOT, ".wrangler", "pictures");
/** True to save a screenshot of each view, which takes a quarter of the time of these tests. */
const SAVES_PICTURES = process.env["PICTURES"] === "1";
/** The rules whose results differ with colours and widths. All others are checked once, at desktop width. */
const RULES_OF_STYLE = ["color-contrast", "target-size", "scrollable-region-focusable", "button-name", "link-name"];
/** The short form checks one of so many views, chosen by name. */
const VIEWS_PER_LOOK = 12;
/** Number of axe-core runs before a violation counts, because new colours appear late on a busy machine. */
const MAX_LOOKS = 4;

/** A tab begins at desktop width in light colours: the page is laid out and painted anew for the second look only. */
const LOOKS = [
  { size: "desktop", viewport: DESKTOP, colorScheme: "light", rules: undefined },
  { size: "phone", viewport: PHONE, colorScheme: "dark", rules: RULES_OF_STYLE },
] as const;

/**
 * Expects no axe-core violation of any level at desktop width in light colours, none of the rules of style at phone
 * width in dark colours, and no horizontal scrolling. `PICTURES=1` saves both as `.wrangler/pictures`.
 */
export async function look(page: Page, name: string): Promise<void> {
  if (isShort() && letterSum(name) % VIEWS_PER_LOOK !== 0) return;
  const found: string[] = [];
  for (const { size, viewport, colorScheme, rules } of LOOKS) {
    await dress(page, viewport, colorScheme);
    await drawn(page);
    found.push(...(await complaintsOfAxe(page, rules)).map((complaint) => `${size}, ${colorScheme}: ${complaint}`));
    await savePicture(page, `${name}-${size}-${colorScheme}`);
    const [inner, outer] = await page.evaluate<[number, number]>(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    );
    if (inner > outer) found.push(`${size}: the page is ${inner} pixels wide and the window ${outer}`);
  }
  await dress(page, DESKTOP, "light");
  expect(found, name).toEqual([]);
}

/** Saves a screenshot of a view as it is, with `PICTURES=1`. */
export async function savePicture(page: Page, name: string): Promise<void> {
  if (SAVES_PICTURES) await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}

function letterSum(name: string): number {
  return [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
}

/** Gives a page a width and colours at once: each alone would have all of it styled, laid out and painted anew. */
async function dress(page: Page, viewport: typeof DESKTOP, colorScheme: "light" | "dark"): Promise<void> {
  await Promise.all([page.setViewportSize(viewport), page.emulateMedia({ colorScheme })]);
}

/** Waits for two animation frames, after which new colours and sizes are painted. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
}

async function complaintsOfAxe(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  let complaints: string[] = [];
  for (let tries = 0; tries < MAX_LOOKS; tries++) {
    complaints = await runAxe(page, rules);
    if (complaints.length === 0) break;
    await drawn(page);
  }
  return complaints;
}

async function runAxe(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  const violations = await violationsOf(page, { iframes: false, ...(rules === undefined ? {} : { runOnly: rules }) });
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id} ${target.join(" ")} ${failureSummary}`),
  );
}
