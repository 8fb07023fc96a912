import type { UrlLine } from "../crawl-types.ts";
import { totalOf } from "./url-tree.ts";
import type { UrlNode } from "./url-tree.ts";

/** A line of the tree of URLs as it is shown: a segment that can be opened, or a URL. */
export type TreeRow =
  | { kind: "segment"; key: string; depth: number; name: string; path: string; total: number; isOpen: boolean }
  | { kind: "url"; key: string; depth: number; name: string; line: UrlLine };

/**
 * Returns the rows of a tree from top to bottom, without those of closed segments.
 * @param openDepth segments of fewer levels are open at first.
 * @param changed paths of the segments that are open although they are closed at first, and the other way around.
 */
export function treeRows(
  nodes: readonly UrlNode[],
  { openDepth, changed }: { openDepth: number; changed: ReadonlySet<string> },
): TreeRow[] {
  const rows: TreeRow[] = [];
  for (const node of nodes) addNode(rows, node, { depth: 0, openDepth, changed });
  return rows;
}

interface Place {
  depth: number;
  openDepth: number;
  changed: ReadonlySet<string>;
}

function addNode(rows: TreeRow[], node: UrlNode, at: Place): void {
  const { depth, openDepth, changed } = at;
  const { name, path, children } = node;
  if (children.length === 0) return addLines(rows, node, { depth, name });
  const isOpen = changed.has(path) !== depth < openDepth;
  rows.push({ kind: "segment", key: `s ${path}`, depth, name, path, total: totalOf(node), isOpen });
  if (!isOpen) return;
  addLines(rows, node, { depth: depth + 1, name: "/" });
  for (const child of children) addNode(rows, child, { ...at, depth: depth + 1 });
}

function addLines(rows: TreeRow[], { path, lines }: UrlNode, { depth, name }: { depth: number; name: string }): void {
  lines.forEach((line, place) => rows.push({ kind: "url", key: `u ${path} ${place}`, depth, name, line }));
}
