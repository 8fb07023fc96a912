import type { XmlElement } from "../containers/xml-tree.ts";
import { childElement, childElements, walkElements } from "../containers/xml-tree.ts";

export interface OdfStyle {
  parent: string | undefined;
  displayName: string;
  bold: boolean | undefined;
  italic: boolean | undefined;
  strike: boolean | undefined;
  /** The HTML element of raised or lowered text; empty for text on the line. */
  shift: "sup" | "sub" | "" | undefined;
  hidden: boolean | undefined;
  listStyle: string | undefined;
}

export interface OdfStyles {
  styles: ReadonlyMap<string, OdfStyle>;
  /** For each list style, the first number of its levels, from the first level on; undefined for bullets. */
  numberedLevels: ReadonlyMap<string, readonly (number | undefined)[]>;
}

const MAX_LEVELS = 10;

/** Collects emphasis and numbering from the styles in `content.xml` and `styles.xml`, ODF 1.3 part 3 § 16. */
export function odfStyles(...documents: XmlElement[]): OdfStyles {
  const styles = new Map<string, OdfStyle>();
  const numberedLevels = new Map<string, (number | undefined)[]>();
  for (const document of documents) {
    for (const element of walkElements(document)) {
      const name = element.attributes["style:name"];
      if (name === undefined) continue;
      if (element.name === "style:style") styles.set(name, toStyle(element, name));
      if (element.name === "text:list-style") numberedLevels.set(name, toLevels(element));
    }
  }
  return { styles, numberedLevels };
}

/** Looks a property up along the chain of parents. */
export function inherited<Key extends "bold" | "italic" | "strike" | "shift" | "hidden" | "listStyle">(
  styles: OdfStyles,
  name: string | undefined,
  key: Key,
): OdfStyle[Key] | undefined {
  let at = name;
  for (let steps = 0; at !== undefined && steps < 20; steps++) {
    const style = styles.styles.get(at);
    if (style?.[key] !== undefined) return style[key];
    at = style?.parent;
  }
  return undefined;
}

/** Returns the display names of a style and of those it derives from, in lower case. */
export function styleNames(styles: OdfStyles, name: string | undefined): string[] {
  const names: string[] = [];
  let at = name;
  while (at !== undefined && names.length < 20) {
    const style = styles.styles.get(at);
    names.push((style?.displayName ?? at).toLowerCase().replaceAll("_20_", " "));
    at = style?.parent;
  }
  return names;
}

function toStyle(element: XmlElement, name: string): OdfStyle {
  const text = childElement(element, "style:text-properties")?.attributes ?? {};
  const weight = text["fo:font-weight"];
  const slant = text["fo:font-style"];
  const line = text["style:text-line-through-style"];
  const display = text["text:display"];
  return {
    parent: element.attributes["style:parent-style-name"],
    displayName: element.attributes["style:display-name"] ?? name,
    bold: weight === undefined ? undefined : weight === "bold" || Number(weight) >= 600,
    italic: slant === undefined ? undefined : slant !== "normal",
    strike: line === undefined ? undefined : line !== "none",
    shift: shiftOf(text["style:text-position"]),
    hidden: display === undefined ? undefined : display === "none",
    listStyle: element.attributes["style:list-style-name"],
  };
}

/** Reads a position such as `super 58%`, `-33% 58%` or `0% 100%`. */
function shiftOf(position: string | undefined): OdfStyle["shift"] {
  if (position === undefined) return undefined;
  const height = Number.parseFloat(position);
  if (position.startsWith("super") || height > 0) return "sup";
  return position.startsWith("sub") || height < 0 ? "sub" : "";
}

function toLevels(element: XmlElement): (number | undefined)[] {
  const levels: (number | undefined)[] = [];
  for (const level of childElements(element)) {
    const at = Number(level.attributes["text:level"] ?? "1") - 1;
    const hasFormat = (level.attributes["style:num-format"] ?? "") !== "";
    const start = Number(level.attributes["text:start-value"] ?? "1");
    const isNumbered = level.name === "text:list-level-style-number" && hasFormat;
    if (at >= 0 && at < MAX_LEVELS) levels[at] = isNumbered ? (Number.isSafeInteger(start) ? start : 1) : undefined;
  }
  return levels;
}
