import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/service/wrangler.ts";
import { DESKTOP, PHONE } from "./browser.ts";

const PICTURES = join(PROJECT_ROOT, ".wrangler", "pictures");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const COLOURS = ["light", "dark"] as const;
/** Number of axe-core runs before a violation counts, because new colours appear late on a busy machine. */
const MAX_LOOKS = 4;

interface AxeNode {
  target: string[];
  failureSummary?: string;
}
interface AxeResult {
  violations: { id: string; impact: string | null; nodes: AxeNode[] }[];
}

/**
 * Takes screenshots at desktop width, light and dark, and at phone width, into `.wrangler/pictures`. Expects no serious
 * or critical axe-core violations in the dark and the narrow one, and no horizontal scrolling.
 */
export async function look(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true });
  const found: string[] = [];
  for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of size === "desktop" ? COLOURS : COLOURS.slice(0, 1)) {
      await page.emulateMedia({ colorScheme });
      await drawn(page);
      const about = `${size}, ${colorScheme}`;
      // Checks each colour scheme and each width once, because checking all combinations takes twice as long.
      const isChecked = size === "phone" || colorScheme === "dark";
      const complaints = isChecked ? await complaintsOfAxe(page) : [];
      found.push(...complaints.map((complaint) => `${about}: ${complaint}`));
      await page.screenshot({ path: join(PICTURES, `${name}-${size}-${colorScheme}.png`) });
    }
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

async function complaintsOfAxe(page: Page): Promise<string[]> {
  let complaints: string[] = [];
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    complaints = await runAxe(page);
    if (complaints.length === 0) break;
    await drawn(page);
  }
  return complaints;
}

/** Runs axe-core with `evaluate`, which bypasses the page's Content-Security-Policy. */
async function runAxe(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(await readFile(AXE, "utf8"));
  const { violations } = await page.evaluate<AxeResult>(
    "axe.run(document, { iframes: false, resultTypes: ['violations'] })",
  );
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = "" }) => `${id} ${target.join(" ")} ${failureSummary}`),
    );
}
