import { toString } from "mdast-util-to-string";
import type { Nodes, Root } from "mdast";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { emitMarkdown } from "../../../../src/content/markdown/emit-markdown.ts";
import { baseUrlOf } from "../../../../src/content/html/resolve-url.ts";
import type { WorkBudget } from "../../../../src/core/work-budget.ts";
import { parseHtml, type HtmlTree } from "../../../../src/content/html/tree/tree.ts";

export const PAGE_URL = "https://shop.example/guide/page.html?lang=en";

/** Markdown of all that a piece of HTML shows. */
export function markdownOf(html: string, options: RenderOptions = {}): string {
  return markdownOfTree(parseHtml(html), options);
}

interface RenderOptions {
  removeBase64Images?: boolean;
  budget?: WorkBudget;
}

export function markdownOfTree(tree: HtmlTree, { removeBase64Images = true, budget }: RenderOptions = {}): string {
  const everything = {
    roots: [tree.root],
    droppedElements: new Set<never>(),
    droppedText: new Map(),
    revealed: new Set<never>(),
  };
  return emitMarkdown(everything, { baseUrl: baseUrlOf(tree.head.baseHref, PAGE_URL), removeBase64Images, budget });
}

const parser = unified().use(remarkParse).use(remarkGfm);

/** What a reader of CommonMark with GFM makes of a markdown text. */
export function read(markdown: string): Root {
  return parser.parse(markdown);
}

/** All nodes of a type, in document order. */
export function all<Type extends Nodes["type"]>(node: Nodes, type: Type): Extract<Nodes, { type: Type }>[] {
  const found: Nodes[] = [];
  const visit = (visited: Nodes): void => {
    if (visited.type === type) found.push(visited);
    if ("children" in visited) for (const child of visited.children) visit(child);
  };
  visit(node);
  return found as Extract<Nodes, { type: Type }>[];
}

/** The text of a node, white space collapsed. */
export function text(node: Nodes): string {
  return toString(node).replace(/\s+/g, " ").trim();
}
