import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.js"), "utf8");

/** Expects a page without any complaint of axe-core that does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate("axe.run()")) as { violations: { id: string; help: string }[] };
  expect(violations.map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}
