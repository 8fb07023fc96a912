import { compile, selectAll as selectWith, type Options } from "css-select";
import { AppError } from "../core/errors.ts";
import { ElementNode, textOf } from "./tree.ts";

type Node = ElementNode | string;

const isElement = (node: Node): node is ElementNode => node instanceof ElementNode;

/** What css-select asks of a tree, answered for the lean one. */
const OPTIONS: Options<Node, ElementNode> = {
  adapter: {
    isTag: isElement,
    getAttributeValue: (element, attribute) => element.attributes[attribute],
    getChildren: (node) => (isElement(node) ? node.children : []),
    getName: (element) => element.tag,
    getParent: (element) => element.parent ?? null,
    getSiblings: (node) => (isElement(node) ? (node.parent?.children ?? [node]) : [node]),
    getText: (node) => (isElement(node) ? textOf(node) : node),
    hasAttrib: (element, attribute) => attribute in element.attributes,
    removeSubsets: withoutNested,
  },
};

/**
 * Elements that a CSS selector matches below `root`, in document order (Selectors Level 4 as css-select knows it).
 * @throws AppError `BAD_REQUEST` that names a selector which cannot be read.
 */
export function selectAll(root: ElementNode, selector: string): ElementNode[] {
  try {
    return selectWith<Node, ElementNode>(compile<Node, ElementNode>(selector, OPTIONS), root, OPTIONS);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError("BAD_REQUEST", `The selector ${JSON.stringify(selector)} cannot be read: ${why}`, {
      cause: error,
    });
  }
}

/** Only the outermost of some nodes, each once. */
function withoutNested(nodes: Node[]): Node[] {
  const known = new Set(nodes);
  return [...known].filter((node) => {
    if (!isElement(node)) return true;
    for (let parent = node.parent; parent !== undefined; parent = parent.parent) {
      if (known.has(parent)) return false;
    }
    return true;
  });
}
