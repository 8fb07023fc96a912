import { compile, selectAll as selectWith, type Options } from "css-select";
import { AppError, isAppError } from "../../../core/errors.ts";
import { WorkBudget } from "../../../core/work-budget.ts";
import { ElementNode, textOf, walkElements } from "./tree.ts";

type Node = ElementNode | string;

const isElement = (node: Node): node is ElementNode => node instanceof ElementNode;

/** Steps of all selectors of a request: with siblings and `:has`, they examine each element many times. */
const MAX_STEPS = 20_000_000;
/** Listing and checking a relative take a fraction of the work of other steps; following a parent takes more than that. */
const LOOK = 1 / 16;
const CLIMB = 1 / 8;
/** css-select copies the siblings after each element that it checks for `:has(~ …)`. */
const COPY = 1 / 4;
const COPIES_SIBLINGS = /:has\([^]*[~+]/;
export const MAX_SELECTOR_CHARS = 2_000;

/** The css-select adapter for the lean tree. @param listing what a listed sibling takes, in steps */
const optionsFor = (budget: WorkBudget, listing: number): Options<Node, ElementNode> => ({
  adapter: {
    isTag: (node): node is ElementNode => {
      budget.spend(LOOK);
      return isElement(node);
    },
    getAttributeValue: (element, attribute) => element.attributes[attribute],
    getChildren: (node) => (isElement(node) ? asQueried(node.children, budget, LOOK) : []),
    getName: (element) => element.tag,
    // The page's first element is the root in terms of selectors, not the tree's root.
    getParent: ({ parent }) => {
      budget.spend(CLIMB);
      return parent === undefined || parent.tag === "#root" ? null : parent;
    },
    getSiblings: (node) =>
      isElement(node) && node.parent !== undefined ? asQueried(node.parent.children, budget, listing) : [node],
    getText: (node) => {
      const text = isElement(node) ? textOf(node) : node;
      budget.spend(LOOK * (1 + text.length));
      return text;
    },
    hasAttrib: (element, attribute) => attribute in element.attributes,
    removeSubsets: withoutNested,
  },
});

/** css-select types lists as writable and never writes to them. */
function asQueried(nodes: readonly Node[], budget: WorkBudget, listing: number): Node[] {
  budget.spend(listing * (1 + nodes.length));
  return nodes as Node[];
}

const SIMPLE = /^\s*([.#]?)(-?[a-z_][\w-]*)\s*$/i;

/**
 * Returns the elements that a CSS selector matches below `root`, in document order (Selectors Level 4 as css-select
 * implements it).
 * @throws AppError `BAD_REQUEST` that names a selector which cannot be read, or `SCRAPE_WORK_LIMIT` one that checks
 * more elements of this page than it may.
 */
export function selectAll(root: ElementNode, selector: string, budget: WorkBudget = new WorkBudget()): ElementNode[] {
  const simple = SIMPLE.exec(selector);
  if (simple !== null) return selectSimple(root, simple[1] ?? "", simple[2] ?? "");
  try {
    refuseMalformed(selector);
    const options = optionsFor(shareOf(budget), COPIES_SIBLINGS.test(selector) ? COPY : LOOK);
    return selectWith<Node, ElementNode>(compile<Node, ElementNode>(selector, options), root, options);
  } catch (error) {
    if (isAppError(error)) {
      const shown = JSON.stringify(selector.slice(0, 100));
      throw new AppError(error.code, `The selector ${shown} takes more work on this page than this service allows`);
    }
    const why = error instanceof Error ? error.message : String(error);
    throw new AppError(
      "BAD_REQUEST",
      `The selector ${JSON.stringify(selector.slice(0, MAX_SELECTOR_CHARS))} cannot be read: ${why}`,
      {
        cause: error,
      },
    );
  }
}

const shares = new WeakMap<WorkBudget, WorkBudget>();

/** Returns the part of a request's budget that its selectors have together. */
function shareOf(budget: WorkBudget): WorkBudget {
  const share = shares.get(budget) ?? budget.within({ steps: MAX_STEPS });
  shares.set(budget, share);
  return share;
}

/** Parts of a selector that may contain any characters. */
const QUOTED = /\\.|"[^"]*"|'[^']*'|\[[^\]]*\]|\([^()]*\)/g;

/** Rejects errors that css-select reads as selectors which match nothing. */
function refuseMalformed(selector: string): void {
  if (selector.length > MAX_SELECTOR_CHARS) throw new Error(`it has more than ${MAX_SELECTOR_CHARS} characters`);
  const bare = selector.replace(QUOTED, "x").trim();
  if (bare === "") throw new Error("it is empty");
  if (/[>+~]$/.test(bare)) throw new Error("nothing follows its last combinator");
  if (/(?:^|[\s>+~,.#])\d/.test(bare)) throw new Error("a name begins with a digit");
  if (/[.#](?:$|[\s.#>+~,:])/.test(bare)) throw new Error("a name is missing");
}

/** Evaluates the most frequent selectors: one tag, class or id. */
function selectSimple(root: ElementNode, sign: string, name: string): ElementNode[] {
  const tag = name.toLowerCase();
  const found: ElementNode[] = [];
  walkElements(root, (element) => {
    const { class: classes, id } = element.attributes;
    if (sign === "#") {
      if (id === name) found.push(element);
    } else if (sign === ".") {
      if (classes !== undefined && classes.includes(name) && classes.split(/\s+/).includes(name)) found.push(element);
    } else if (element.tag === tag && element !== root) found.push(element);
  });
  return found;
}

/** Returns only the outermost of some nodes, each once. */
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
