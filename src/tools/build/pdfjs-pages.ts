import type { Node } from "acorn";
import { child, field, type Insertion, isMethod, nameOfKey, walk } from "./counted-copy.ts";

/**
 * Objects of a file that pdf.js keeps from one page to the next. It would keep each that it has read to the end, and each page with its
 * links, of which an index has hundreds.
 */
const MAX_KEPT_OBJECTS = 8_000;

/** Makes `getPage` forget the other pages, and the objects that were read for them. Pages are read one after another. */
export function inDocument(document: Node, source: string): Insertion[] {
  const insertions: Insertion[] = [];
  walk(document, (node) => {
    if (!isMethod(node) || nameOfKey(node) !== "getPage") return "enter";
    const { start, end } = child(child(node, "value"), "body");
    const [, pages, number] = /=(this\.#\w+)\.get\((\w+)\)/.exec(source.slice(start, end)) ?? [];
    if (pages === undefined) return "skip";
    const forget = `${pages}.clear();this.xref._cacheMap.size>${MAX_KEPT_OBJECTS}&&this.xref._cacheMap.clear()`;
    insertions.push({ at: start + 1, text: `if(!${pages}.has(${number})){${forget}}` });
    return "skip";
  });
  return insertions;
}

/**
 * `pageKidsCountCache.clear()` in the cleanup. Without these numbers pdf.js takes a page that the page tree names a second
 * time for a circle, and reports it as damaged. They are one number for each page.
 */
export function isPageCountsCleanup(node: Node): boolean {
  if (node.type !== "CallExpression" || field(child(node, "callee"), "type") !== "MemberExpression") return false;
  const callee = child(node, "callee");
  const object = child(callee, "object");
  const isClear = Reflect.get(Object(field(callee, "property")), "name") === "clear";
  return isClear && Reflect.get(Object(field(object, "property")), "name") === "pageKidsCountCache";
}
