import { parseSync } from "vite";

/** A node of a syntax tree in the ESTree form, with its offsets in the text. */
export interface SyntaxNode {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Parses a text of TypeScript, and returns every node of its tree, parents before their children. */
export function syntaxNodes(path: string, text: string): SyntaxNode[] {
  const { program } = parseSync(path, text, { lang: path.endsWith("x") ? "tsx" : "ts" });
  const nodes: SyntaxNode[] = [];
  const waiting: unknown[] = [program];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (Array.isArray(value)) waiting.push(...value.toReversed());
    else if (isNode(value)) {
      nodes.push(value);
      waiting.push(...Object.values(value).toReversed());
    }
  }
  return nodes;
}

/** Returns the line of an offset in a text, counted from 1. */
export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
