import { NO_ATTRIBUTES, type ElementNode, type HtmlTree } from "../html/tree/tree.ts";

const TAGS = new Set(["header", "footer", "nav", "aside"]);
const CLASSES = new Set(
  (
    "header top navbar footer bottom sidebar side aside modal popup overlay ad ads advert lang-selector language social " +
    "social-media social-links menu navigation breadcrumbs share widget cookie fc-decoration"
  ).split(" "),
);
const IDS = new Set(
  "header footer sidebar modal ad language-selector social nav breadcrumbs share widget cookie".split(" "),
);

/**
 * Finds elements that by their tag, class or id are not main content: the plain rules that clients know
 * (api-contract.md, “HTML cleaning”). They apply where the classifier is not certain. Elements that hold `#main` stay.
 */
export function findBoilerplate(tree: HtmlTree): Set<ElementNode> {
  const found = new Set<ElementNode>();
  for (let element: ElementNode | undefined = tree.root; element !== undefined; element = element.next) {
    if (isBoilerplate(element)) found.add(element);
  }
  for (const kept of ancestorsOfMain(tree)) found.delete(kept);
  return found;
}

/** Returns every element that holds the one with the id `main`. */
export function ancestorsOfMain(tree: HtmlTree): Set<ElementNode> {
  const ancestors = new Set<ElementNode>();
  for (let main: ElementNode | undefined = tree.root; main !== undefined; main = main.next) {
    if (main.attributes === NO_ATTRIBUTES || main.attributes["id"] !== "main") continue;
    for (let element: ElementNode | undefined = main; element !== undefined; element = element.parent)
      ancestors.add(element);
  }
  return ancestors;
}

function isBoilerplate({ tag, attributes }: ElementNode): boolean {
  if (TAGS.has(tag)) return true;
  if (attributes === NO_ATTRIBUTES) return false;
  const id = attributes["id"];
  if (id !== undefined && IDS.has(id)) return true;
  const classes = attributes["class"];
  if (classes === undefined) return false;
  // Most have one class alone.
  return CLASSES.has(classes) || (/\s/.test(classes) && classes.split(/\s+/).some((name) => CLASSES.has(name)));
}
