import { h, render } from "preact";
import type { ComponentChildren } from "preact";
import { vi } from "vitest";

/** Lets the fake clock go on. */
export const pass = async (ms: number): Promise<void> => void (await vi.advanceTimersByTimeAsync(ms));
export const after = async <Value>(ms: number, value: Value): Promise<Value> =>
  await new Promise((resolve) => setTimeout(() => resolve(value), ms));

/** Runs a hook in a component until the end of the test. @returns its latest value, and a function to run it again */
export function running<Value>(hook: () => Value): { now: () => Value | undefined; again: () => void } {
  let value: Value | undefined;
  const { again } = shown(() => {
    value = hook();
    return null;
  });
  return { now: () => value, again };
}

/** Shows a component. @returns its place in the document, and functions to render it again and to remove it */
export function shown(View: () => ComponentChildren): { place: Element; again: () => void; leave: () => void } {
  const place = document.createElement("div");
  const again = (): void => render(h(View as () => null, {}), place);
  again();
  return { place, again, leave: () => render(null, place) };
}
