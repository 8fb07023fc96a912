import type { Page } from "playwright-core";
import { expect } from "vitest";
import { violationsOf } from "./axe.ts";

/** Expects a page without any complaint of axe-core that does not scroll sideways. */
export async function expectAccessible(page: Page): Promise<void> {
  expect((await violationsOf(page)).map(({ id, help }) => `${id}: ${help}`)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
}
