import type { Node } from "acorn";
import { child, children, field, type Insertion } from "./counted-copy.ts";

/**
 * Tells `$turned` when a page is requested, in the receiver of `GetPage`: pages are read one after another.
 * @returns an insertion for each receiver; none for other nodes
 */
export function inPageRequest(node: Node, source: string): Insertion[] {
  const [first, receiver] = node.type === "CallExpression" ? children(node, "arguments") : [];
  if (first === undefined || receiver === undefined) return [];
  if (source.slice(first.start + 1, first.end - 1) !== "GetPage" || !/Function/.test(receiver.type)) return [];
  const text = source.slice(receiver.start, receiver.end);
  const [opening, manager, page] = /(\w+)\.getPage\(\w+\.pageIndex\)\.then\(function\((\w+)\)\{/.exec(text) ?? [];
  if (opening === undefined) return [];
  const at = receiver.start + text.indexOf(opening) + opening.length;
  return [{ at, text: `$turned(${manager}.pdfDocument,${page});` }];
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
