import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { DESKTOP, PHONE } from "./browser.ts";

const PICTURES = join(PROJECT_ROOT, ".wrangler", "pictures");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.js");
/** True to save a screenshot of each view, which takes a quarter of the time of these tests. */
const SAVES_PICTURES = process.env["PICTURES"] === "1";
/** The rules whose results differ with colours and widths. All others are checked once, at desktop width. */
const RULES_OF_STYLE = ["color-contrast", "target-size", "scrollable-region-focusable", "button-name", "link-name"];
/** Number of axe-core runs before a violation counts, because new colours appear late on a busy machine. */
const MAX_LOOKS = 4;

const LOOKS = [
  { size: "desktop", viewport: DESKTOP, colorScheme: "dark", rules: undefined },
  { size: "phone", viewport: PHONE, colorScheme: "light", rules: RULES_OF_STYLE },
] as const;

interface AxeNode {
  target: string[];
  failureSummary?: string;
}
interface AxeResult {
  violations: { id: string; nodes: AxeNode[] }[];
}

/**
 * Expects no axe-core violation of any level at desktop width in dark colours, none of the rules of style at phone
 * width in light colours, and no horizontal scrolling. `PICTURES=1` saves both as `.wrangler/pictures`.
 */
export async function look(page: Page, name: string): Promise<void> {
  const found: string[] = [];
  for (const { size, viewport, colorScheme, rules } of LOOKS) {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await drawn(page);
    found.push(...(await complaintsOfAxe(page, rules)).map((complaint) => `${size}, ${colorScheme}: ${complaint}`));
    if (SAVES_PICTURES) await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`) });
    const [inner, outer] = await page.evaluate<[number, number]>(
      "[document.documentElement.scrollWidth, document.documentElement.clientWidth]",
    );
    if (inner > outer) found.push(`${size}: the page is ${inner} pixels wide and the window ${outer}`);
  }
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: "light" });
  expect(found, name).toEqual([]);
}

/** Waits for two animation frames, after which new colours and sizes are painted. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
}

async function complaintsOfAxe(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  let complaints: string[] = [];
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    complaints = await runAxe(page, rules);
    if (complaints.length === 0) break;
    await drawn(page);
  }
  return complaints;
}

/** Runs axe-core with `evaluate`, which bypasses the page's Content-Security-Policy. */
async function runAxe(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(await readFile(AXE, "utf8"));
  const options = { iframes: false, resultTypes: ["violations"], ...(rules === undefined ? {} : { runOnly: rules }) };
  const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => `${id} ${target.join(" ")} ${failureSummary}`),
  );
}
