import type { Locator, Page } from "@cloudflare/playwright";
import type { ElementRef } from "../../core/sessions/workspace.ts";
import { byDriverRef, candidatesOf, iframesOf } from "./locate.ts";
import { TEXT_ROLE, type Snapshot } from "./parse-snapshot.ts";

/** Elements and frames of a snapshot that are looked up in the page: each takes a few commands to the browser. */
const MAX_LOOKED_UP = 100;
/** An element of the snapshot is there at once, or is gone. */
const LOOK_UP_MS = 1_000;

/**
 * Replaces indices that a snapshot cannot tell by those of the page: it does not list hidden elements and frames, which
 * locators count, and shows elements with `aria-hidden` without their names. Those that are not found keep theirs.
 */
export async function withExactPlaces(page: Page, { refs, iframes }: Snapshot): Promise<Record<string, ElementRef>> {
  const frames = await exactFrames(page, iframes);
  const entries = Object.entries(refs).map(([ref, element]): [string, ElementRef] => [
    ref,
    { ...element, frames: frames.get(JSON.stringify(element.frames)) ?? element.frames },
  ]);
  const groups = new Map<string, ElementRef[]>();
  for (const [, element] of entries
    .filter(([, { role, name }]) => role === TEXT_ROLE || name === "")
    .slice(0, MAX_LOOKED_UP)) {
    const key = JSON.stringify([element.frames, element.role, element.name]);
    groups.set(key, [...(groups.get(key) ?? []), element]);
  }
  await Promise.all([...groups.values()].map((group) => placeGroup(page, group)));
  return Object.fromEntries(entries);
}

/** Returns the indices of the frames in the page by those in the snapshot, both as JSON. */
async function exactFrames(page: Page, iframes: Snapshot["iframes"]): Promise<Map<string, number[]>> {
  const exact = new Map<string, number[]>();
  for (const { path, driverRef } of iframes.slice(0, MAX_LOOKED_UP)) {
    const parent = exact.get(JSON.stringify(path.slice(0, -1))) ?? path.slice(0, -1);
    const [index = -1] = await indicesOf(iframesOf(page, parent), [byDriverRef(page, driverRef)]);
    if (index >= 0) exact.set(JSON.stringify(path), [...parent, index]);
  }
  return exact;
}

/** Sets the indices of elements that the same locator finds. */
async function placeGroup(page: Page, group: readonly ElementRef[]): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const wanted = group.map(({ driverRef = "" }) => byDriverRef(page, driverRef));
  const indices = await indicesOf(candidatesOf(page, first), wanted);
  for (const [at, element] of group.entries()) {
    const index = indices[at] ?? -1;
    if (index >= 0) Object.assign(element, { nth: index, isExact: true });
  }
}

/** Returns the index of each wanted element, or of the first one in it, among the candidates; -1 for none. */
async function indicesOf(candidates: Locator, wanted: readonly Locator[]): Promise<number[]> {
  try {
    const handles = await Promise.all(
      wanted.map((element) => element.elementHandle({ timeout: LOOK_UP_MS }).catch(() => null)),
    );
    return await candidates.evaluateAll(
      (elements, targets) =>
        targets.map((target) => elements.findIndex((element) => target?.contains(element) === true)),
      handles,
    );
  } catch {
    return [];
  }
}
