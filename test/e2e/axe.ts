import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.js"), "utf8");

/** A rule that a page violates, and the elements that do. */
export interface Violation {
  id: string;
  help: string;
  impact: string;
  nodes: { target: string[]; html: string; failureSummary?: string }[];
}

/**
 * Runs axe-core in a page with `evaluate`, which bypasses the page's Content-Security-Policy. The page loads it once.
 * @param options of `axe.run`, such as `runOnly` with the names of rules. Frames are included unless `iframes` is false.
 */
export async function violationsOf(page: Page, options: object = {}): Promise<Violation[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // Style sheets are not loaded again: only the rule for locked orientations reads them, which is experimental and off.
  const all = { resultTypes: ["violations"], preload: { assets: ["media"] }, ...options };
  const { violations } = await page.evaluate<{ violations: Violation[] }>(`axe.run(document, ${JSON.stringify(all)})`);
  return violations;
}
