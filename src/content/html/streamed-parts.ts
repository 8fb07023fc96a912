/**
 * Puts the late parts of pages from React's server renderer in place. A `<template id="B:1">` marks the position of a
 * part, followed by a fallback and by a closing comment; the part comes at the end of the page in `<div hidden
 * id="S:2">`, and a script moves it: `$RC("B:1","S:2")`. Templates `P:1` are placeholders within parts, filled by
 * `$RS("S:1","P:1")`. This module does the same to the tree, without running a script.
 */
import { ElementNode } from "./tree/element-node.ts";
import { MAX_DEPTH } from "./tree/open-elements.ts";
import { NO_ATTRIBUTES } from "./tree/tag-reader.ts";

/** Apps put an individual prefix before these. */
const TARGET_ID = /[BP]:[0-9a-f]+$/;
const BOUNDARY_ID = /B:[0-9a-f]+$/;
const PART_ID = /S:([0-9a-f]+)$/;
/** Complete boundary; the same with style sheets; fill placeholder, which names the part first. */
const CALL = /\$R([CRS])\("([^"\\]+)","([^"\\]+)"/g;

interface Placement {
  /** The part that replaces each template. */
  fillings: ReadonlyMap<ElementNode, ElementNode>;
  /** Elements that are removed from their place: parts, and ends of boundaries. */
  gone: ReadonlySet<ElementNode>;
}

/** Collects a page's late parts and their positions while the page is parsed. */
export class StreamedParts {
  readonly #targets = new Map<string, ElementNode>();
  readonly #parts = new Map<string, ElementNode>();
  /** Per part the target that a script names. */
  readonly #calls = new Map<string, string>();
  /** Boundaries that are open, the template of each that waits for a part. */
  readonly #boundaries: (ElementNode | undefined)[] = [];
  /** Ends of the fallbacks of boundaries: elements that are no part of the page. */
  readonly #ends = new Map<ElementNode, ElementNode>();

  /** True for the templates that start a collection: pages without them have no late parts. */
  static isTarget(tag: string, { id }: Readonly<Record<string, string>>): boolean {
    return tag === "template" && id !== undefined && TARGET_ID.test(id);
  }

  note(element: ElementNode): void {
    const { tag, attributes } = element;
    const { id } = attributes;
    if (id === undefined) return;
    if (!StreamedParts.isTarget(tag, attributes)) {
      if (PART_ID.test(id)) this.#parts.set(id, element);
      return;
    }
    this.#targets.set(id, element);
    if (!BOUNDARY_ID.test(id)) return;
    // The comment that opens the first boundary came before the collection began.
    if (this.#boundaries.at(-1) === undefined) this.#boundaries.pop();
    this.#boundaries.push(element);
  }

  /** `$`, `$?`, `$!` and the like open a boundary, `/$` closes one. */
  noteComment(comment: string, place: ElementNode): void {
    if (comment.length <= 2 && comment.startsWith("$")) this.#boundaries.push(undefined);
    else if (comment === "/$") this.#closeBoundary(place);
  }

  #closeBoundary(place: ElementNode): void {
    const template = this.#boundaries.pop();
    if (template === undefined || template.parent !== place) return;
    const end = new ElementNode("#boundary-end", NO_ATTRIBUTES, place);
    place.append(end);
    this.#ends.set(template, end);
  }

  noteScript(text: string): void {
    if (!text.includes("$R")) return;
    for (const [, kind, first = "", second = ""] of text.matchAll(CALL)) {
      if (kind === "S") this.#calls.set(first, second);
      else this.#calls.set(second, first);
    }
  }

  /** Puts the parts in place. @returns the new number of elements of the page */
  place(root: ElementNode): number {
    const fillings = this.#pair();
    const placement = { fillings, gone: new Set([...fillings.values(), ...this.#ends.values()]) };
    let last = root;
    let count = 0;
    const stack = [root];
    const depths = new Map([[root, 0]]);
    for (let element = stack.pop(); element !== undefined; element = stack.pop()) {
      if (element !== root) {
        last.setNext(element);
        last = element;
        count++;
      }
      const depth = depths.get(element) ?? 0;
      depths.delete(element);
      const children = this.#childrenOf(element, placement);
      element.adopt(depth < MAX_DEPTH ? children : this.#flattened(children, placement));
      for (const child of element.children.toReversed()) {
        if (typeof child === "string") continue;
        depths.set(child, depth + 1);
        stack.push(child);
      }
    }
    last.setNext(undefined);
    return count;
  }

  /** Returns for each template its part: the one that a script names, else that of the same number. */
  #pair(): Map<ElementNode, ElementNode> {
    const fillings = new Map<ElementNode, ElementNode>();
    for (const [id, part] of this.#parts) {
      const called = this.#calls.get(id);
      const target =
        called === undefined
          ? (this.#targets.get(id.replace(PART_ID, "B:$1")) ?? this.#targets.get(id.replace(PART_ID, "P:$1")))
          : this.#targets.get(called);
      if (target !== undefined && !fillings.has(target) && !isInside(target, part)) fillings.set(target, part);
    }
    return fillings;
  }

  /** Returns an element's children with the parts that belong among them, without fallbacks. */
  #childrenOf({ children }: ElementNode, { fillings, gone }: Placement): (ElementNode | string)[] {
    const result: (ElementNode | string)[] = [];
    const stack = children.toReversed();
    for (let child = stack.pop(); child !== undefined; child = stack.pop()) {
      if (typeof child === "string") {
        result.push(child);
        continue;
      }
      if (gone.has(child)) continue;
      const part = fillings.get(child);
      if (part === undefined) {
        result.push(child);
        continue;
      }
      const end = this.#ends.get(child);
      const at = end === undefined ? -1 : stack.lastIndexOf(end);
      if (at >= 0) stack.length = at;
      for (const inner of part.children.toReversed()) stack.push(inner);
    }
    return result;
  }

  /**
   * Returns elements and all that is below them side by side, as the parser does at the greatest depth: parts in parts
   * may be deeper. An element keeps its text up to the first element in it.
   */
  #flattened(children: (ElementNode | string)[], placement: Placement): (ElementNode | string)[] {
    const result: (ElementNode | string)[] = [];
    const stack = children.toReversed();
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      result.push(node);
      if (typeof node === "string") continue;
      const inner = this.#childrenOf(node, placement);
      const first = inner.findIndex((child) => typeof child !== "string");
      if (first === -1) continue;
      for (const child of inner.splice(first).toReversed()) stack.push(child);
      node.adopt(inner);
    }
    return result;
  }
}

function isInside(element: ElementNode, around: ElementNode): boolean {
  let current: ElementNode | undefined = element;
  while (current !== undefined && current !== around) current = current.parent;
  return current !== undefined;
}
