import type { ElementStyle } from "../../core/scrape/page-styles.ts";
import { toRgb } from "./colors.ts";

/** Returns the first visible elements that match. */
export function visible<E extends Element = Element>(selector: string, limit: number): E[] {
  const found: E[] = [];
  for (const element of document.querySelectorAll<E>(selector)) {
    if (found.length >= limit) break;
    if (isVisible(element)) found.push(element);
  }
  return found;
}

function isVisible(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0 && getComputedStyle(element).visibility === "visible";
}

export function styleOf(element: Element): ElementStyle {
  const style = getComputedStyle(element);
  return {
    color: toRgb(style.color),
    background: toRgb(style.backgroundColor),
    borderColor: toRgb(style.borderTopColor),
    borderWidth: style.borderTopWidth,
    radii: [
      style.borderTopLeftRadius,
      style.borderTopRightRadius,
      style.borderBottomRightRadius,
      style.borderBottomLeftRadius,
    ],
    shadow: style.boxShadow,
    fontFamily: style.fontFamily,
    fontSize: style.fontSize,
    fontWeight: style.fontWeight,
    lineHeight: style.lineHeight,
    padding: style.padding,
    margin: style.margin,
    transitionDuration: style.transitionDuration,
    easing: style.transitionTimingFunction,
  };
}

/** Returns an absolute URL; empty without an address, or for one that is none. */
export function absolute(address: string | null | undefined): string {
  try {
    return address ? new URL(address, document.baseURI).href : "";
  } catch {
    return "";
  }
}
