import { childElement, childElements, textOf, type XmlElement } from "../containers/xml-tree.ts";

/** Returns the text of a paragraph of DrawingML (ECMA-376 part 1 § 21.1.2.2.6) on one line: its line breaks are spaces. */
export function paragraphText(paragraph: XmlElement): string {
  const texts = childElements(paragraph).map((child) => {
    if (child.name === "a:br") return " ";
    return child.name === "a:r" || child.name === "a:fld" ? textOf(childElement(child, "a:t")) : textOf(child);
  });
  return texts.join("");
}
