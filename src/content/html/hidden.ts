import { textOf, type ElementNode } from "./tree/tree.ts";

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
  return revealed === "all" ? /\S/.test(textOf(element)) : revealed.has(element);
}
