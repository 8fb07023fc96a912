import type { Browser, Locator, Page } from "playwright-core";
import { expect } from "vitest";

export interface Sight {
  colorScheme?: "light" | "dark";
  isPhone?: boolean;
}

export interface Point {
  x: number;
  y: number;
}

/** Opens a live view's page as a person does, and waits for its first picture. */
export async function watchView(
  person: Browser,
  url: string,
  { colorScheme = "light", isPhone = false }: Sight = {},
): Promise<Page> {
  const phone = { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true };
  const viewer = await person.newPage({
    colorScheme,
    ...(isPhone ? phone : { viewport: { width: 1280, height: 860 } }),
  });
  const problems: string[] = [];
  viewer.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  viewer.on("pageerror", (error) => problems.push(error.message));
  await viewer.goto(url);
  await viewer.locator("#screen:not([hidden])").waitFor();
  expect(problems).toEqual([]);
  return viewer;
}

/** The place in a viewer's picture under which an element of the session's page lies, so many CSS pixels across it. */
export async function pointIn(
  viewer: Page,
  element: Locator,
  across: (box: { width: number }) => number,
): Promise<Point> {
  const box = await element.boundingBox();
  const canvas = await viewer.locator("#canvas").boundingBox();
  const [width, height] = (await element.page().evaluate("[innerWidth, innerHeight]")) as [number, number];
  if (box === null || canvas === null) throw new Error(`${String(element)} is not to be seen`);
  return {
    x: canvas.x + ((box.x + across(box)) / width) * canvas.width,
    y: canvas.y + ((box.y + box.height / 2) / height) * canvas.height,
  };
}
