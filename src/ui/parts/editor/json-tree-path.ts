import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { JsonStep } from "./schema-at.ts";

type TreeNode = ReturnType<ReturnType<typeof syntaxTree>["resolveInner"]>;

/** Returns the path of the value at a node of JSON's syntax tree. */
export function pathAt(state: EditorState, node: TreeNode): JsonStep[] {
  const path: JsonStep[] = [];
  for (let at: TreeNode | null = node; at !== null; at = at.parent) {
    const parent: TreeNode | null = at.parent;
    if (parent?.name === "Property" && at.name !== "PropertyName") path.unshift(nameOf(state, parent));
    else if (parent?.name === "Array") path.unshift(indexOf(parent, at));
  }
  return path;
}

/** Returns the text range of a value, or of its property's name; of the nearest one around if there is none. */
export function rangeOf(state: EditorState, path: readonly JsonStep[]): { from: number; to: number } {
  let node: TreeNode | null = syntaxTree(state).topNode.firstChild;
  let range = { from: 0, to: Math.min(1, state.doc.length) };
  for (const step of path) {
    const found: TreeNode | undefined = node === null ? undefined : childAt(state, node, step);
    if (found === undefined) return range;
    const name = found.name === "Property" ? found.getChild("PropertyName") : null;
    range = name === null ? { from: found.from, to: found.to } : { from: name.from, to: name.to };
    node = found.name === "Property" ? found.lastChild : found;
  }
  return range;
}

/** Returns the property with a name, or the item at an index. */
function childAt(state: EditorState, node: TreeNode, step: JsonStep): TreeNode | undefined {
  const children = childrenOf(node);
  if (typeof step === "number") return children[step];
  return children.find((child) => child.name === "Property" && nameOf(state, child) === step);
}

function indexOf(array: TreeNode, item: TreeNode): number {
  return Math.max(
    0,
    childrenOf(array).findIndex(({ from }) => from >= item.from),
  );
}

/** Children without brackets and errors. */
function childrenOf(node: TreeNode): TreeNode[] {
  const children: TreeNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (/^[A-Z]/.test(child.name)) children.push(child);
  }
  return children;
}

function nameOf(state: EditorState, property: TreeNode): string {
  const name = property.getChild("PropertyName");
  const text = name === null ? "" : state.sliceDoc(name.from, name.to);
  try {
    return String(JSON.parse(text));
  } catch {
    return text.replaceAll('"', "");
  }
}
