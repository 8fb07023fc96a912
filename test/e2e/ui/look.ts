import { mkdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { PROJECT_ROOT } from "../../../src/tools/wrangler.ts";
import { DESKTOP, PHONE } from "./browser.ts";

const PICTURES = join(PROJECT_ROOT, ".wrangler", "pictures");
const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const COLOURS = ["light", "dark"] as const;
/** On a busy machine new colours can take a while to be everywhere. A complaint that stays is one. */
const MAX_LOOKS = 4;

interface AxeNode {
  target: string[];
  failureSummary?: string;
}
interface AxeResult {
  violations: { id: string; impact: string | null; nodes: AxeNode[] }[];
}

/**
 * Photographs what is shown, at desktop width light and dark and at phone width, to `.wrangler/pictures`. axe-core is
 * asked about the dark one and the narrow one: nothing serious or critical. Nothing may scroll sideways.
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
      // Both colours and both widths have their turn; each combination of them would take as long again.
      const isAsked = size === "phone" || colorScheme === "dark";
      const complaints = isAsked ? await complaintsOfAxe(page) : [];
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

/** New colours and sizes are there with the second frame. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate("new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))");
}

async function complaintsOfAxe(page: Page): Promise<string[]> {
  let complaints: string[] = [];
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    complaints = await askAxe(page);
    if (complaints.length === 0) break;
    await drawn(page);
  }
  return complaints;
}

/** Evaluated past the page's own policy, which would not let a script of ours in. */
async function askAxe(page: Page): Promise<string[]> {
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
