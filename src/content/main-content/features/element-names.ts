/** Numbers for names of elements: equal tags, classes, ids and roles have equal numbers. */
import type { PageOutline } from "../blocks.ts";
import { type ElementNode, NO_ATTRIBUTES } from "../../html/tree/tree.ts";
import type { ElementSums } from "./element-sums.ts";

export interface ElementNames {
  /** For each element the number of its name; -1 for elements without text. */
  numbers: Int32Array;
  /** For each number the first element of that name. */
  examples: ElementNode[];
}

export function nameElements({ elements }: PageOutline, sums: ElementSums): ElementNames {
  const examples: ElementNode[] = [];
  const byTag = new Map<string, Map<string, number>>();
  const numbers = new Int32Array(elements.length);
  for (let index = 0; index < numbers.length; index++) {
    if (sums.blocks[index] === 0) {
      numbers[index] = -1;
      continue;
    }
    const element = elements[index]!;
    let byKey = byTag.get(element.tag);
    if (byKey === undefined) byTag.set(element.tag, (byKey = new Map()));
    const key = nameKey(element);
    let number = byKey.get(key);
    if (number === undefined) {
      byKey.set(key, (number = examples.length));
      examples.push(element);
    }
    numbers[index] = number;
  }
  return { numbers, examples };
}

/** Returns the key of a name. Most elements have a class at most, and their key allocates no string. */
function nameKey({ attributes }: ElementNode): string {
  if (attributes === NO_ATTRIBUTES) return "";
  const classes = attributes["class"] ?? "";
  const { id, role, itemprop } = attributes;
  const test = attributes["data-testid"];
  const component = attributes["data-component"];
  const label = attributes["aria-label"];
  const hasMore = id ?? role ?? itemprop ?? test ?? component ?? label;
  if (hasMore === undefined) return classes;
  return [classes, id, role, itemprop, test, component, label].join("\n");
}
