import { hasText } from "../text/has-text.ts";
import type { ElementNode } from "./tree/tree.ts";

const HIDING_STYLE = /(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const SCREEN_READER_CLASS =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|screenreader|a11y-hidden|offscreen|u-hidden-visually)(?:\s|$)/i;

/** Elements whose content is never text for a reader. */
export const SILENT_TAGS: ReadonlySet<string> = new Set(
  "head script style template svg object embed canvas select textarea title datalist noscript map applet noembed noframes".split(
    " ",
  ),
);
/** Ids of late parts from a server that are not put in place (see streamed-parts.ts). */
const STREAMED_PART = /(?:^|[^a-z])S:[0-9a-f]+$/i;

/** True for elements that a page does not show: `hidden`, hiding styles, and text for screen readers alone. */
export function isHidden({ attributes }: ElementNode): boolean {
  const { hidden, style, id } = attributes;
  if (hidden !== undefined && hidden !== "until-found") return id === undefined || !STREAMED_PART.test(id);
  return (style !== undefined && HIDING_STYLE.test(style)) || isForScreenReaders(attributes["class"]);
}

/** True for class names that hide text from view by convention. */
export function isForScreenReaders(classes: string | undefined): boolean {
  return classes !== undefined && SCREEN_READER_CLASS.test(classes);
}

/**
 * Reports whether a template is a declarative shadow root (HTML § 4.12.3), which is shown in place; others are not
 * shown.
 */
export function isShadowRoot({ tag, attributes }: ElementNode): boolean {
  return tag === "template" && attributes["shadowrootmode"] !== undefined;
}

/** Elements that show their content although they are marked as hidden: those in the set, or all of them. */
export type Revealed = "all" | ReadonlySet<ElementNode>;

/** True for elements that are left out because they are hidden and not revealed. */
export function isConcealed(element: ElementNode, revealed: Revealed): boolean {
  return revealed !== "all" && isHidden(element) && !revealed.has(element);
}

/**
 * True for a `<noscript>` that is read: some sites put their whole text there for readers without scripts. Twins of
 * pictures, and those that the classifier did not choose, are left out.
 */
export function isReadNoscript(element: ElementNode, revealed: Revealed): boolean {
  if (element.tag !== "noscript") return false;
  return revealed === "all" ? holdsText(element) : revealed.has(element);
}

/** True for each `<noscript>` that holds any text; those that were asked about, and those in them. */
const withText = new WeakMap<ElementNode, boolean>();

/** Reports whether a `<noscript>` holds any text. Each element is read once, however deep they are nested. */
function holdsText(noscript: ElementNode): boolean {
  const known = withText.get(noscript);
  if (known !== undefined) return known;
  const stack = [noscript];
  for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
    const { tag, children } = element;
    const isKnown = tag === "noscript" ? withText.get(element) : undefined;
    if (isKnown === true || children.some((child) => typeof child === "string" && hasText(child))) {
      noteText(element, noscript);
      return true;
    }
    // Holds when all of it has been read; those around a text are noted then.
    if (tag === "noscript") withText.set(element, false);
    if (isKnown === false) continue;
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index];
      if (child !== undefined && typeof child !== "string") stack.push(child);
    }
  }
  return false;
}

function noteText(from: ElementNode, upTo: ElementNode): void {
  for (let element: ElementNode | undefined = from; element !== undefined; element = element.parent) {
    if (element.tag === "noscript") withText.set(element, true);
    if (element === upTo) return;
  }
}
