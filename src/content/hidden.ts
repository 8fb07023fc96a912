import { textOf, type ElementNode } from "./tree.ts";

const HIDING_STYLE = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const SCREEN_READER_CLASS =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|screenreader|a11y-hidden|offscreen|u-hidden-visually)(?:\s|$)/i;

/** True for elements that a page does not show: `hidden`, hiding styles, and text for screen readers alone. */
export function isHidden({ attributes }: ElementNode): boolean {
  const { hidden, style } = attributes;
  if (hidden !== undefined && hidden !== "until-found") return true;
  return (style !== undefined && HIDING_STYLE.test(style)) || isForScreenReaders(attributes["class"]);
}

/** True for class names that by custom hide text from the eye. */
export function isForScreenReaders(classes: string | undefined): boolean {
  return classes !== undefined && SCREEN_READER_CLASS.test(classes);
}

/** A declarative shadow root (HTML § 4.12.3) is shown where it stands; other templates are not shown at all. */
export function isShadowRoot({ tag, attributes }: ElementNode): boolean {
  return tag === "template" && attributes["shadowrootmode"] !== undefined;
}

/**
 * True for `<noscript>` that is to be read: some sites keep their whole text there for readers without scripts, and the
 * classifier chose it. Twins of pictures, and whatever was not chosen, stay silent.
 */
export function isReadNoscript(element: ElementNode, revealsHidden: boolean): boolean {
  return revealsHidden && element.tag === "noscript" && /\S/.test(textOf(element));
}
