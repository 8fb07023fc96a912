import type { ElementNode } from "./element-node.ts";

type Children = ElementNode["children"];

/** Children up to which a search costs less than a map. */
const FEW = 32;

/**
 * Computes a value of an element's children once for all of them, where each child asks for it: a page may have 100,000
 * siblings. Computed again when the children have changed.
 */
export function ofChildren<Value>(compute: (children: Children) => Value): (parent: ElementNode) => Value {
  const known = new WeakMap<Children, { length: number; value: Value }>();
  return ({ children }) => {
    const before = known.get(children);
    if (before?.length === children.length) return before.value;
    const value = compute(children);
    known.set(children, { length: children.length, value });
    return value;
  };
}

const placesOf = ofChildren((children) => {
  const places = new Map<ElementNode, number>();
  for (const [place, child] of children.entries()) if (typeof child !== "string") places.set(child, place);
  return places;
});

/** Returns the index of an element among the children of its parent; -1 where it is none of them. */
export function placeOf(element: ElementNode, parent: ElementNode): number {
  const { children } = parent;
  return children.length <= FEW ? children.indexOf(element) : (placesOf(parent).get(element) ?? -1);
}
