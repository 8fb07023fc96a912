/** One item of a list as stored in documents: flat, with a depth. */
export interface FlatItem {
  html: string;
  /** 0 for the outermost. */
  depth: number;
  isOrdered: boolean;
}

/** Word and PowerPoint have nine levels; deeper items are written at the last one. */
const MAX_DEPTH = 8;

/** Returns a level that a file gives as a depth from 0 to 8; 0 for one that is not a number. */
export function depthOf(level: number): number {
  return Math.min(MAX_DEPTH, Math.max(0, Math.trunc(level) || 0));
}

/** Nests flat items into `<ul>` and `<ol>`. A deeper item becomes part of the one before it. */
export function htmlList(items: readonly FlatItem[]): string {
  let html = "";
  const open: string[] = [];
  for (const item of items) {
    const tag = item.isOrdered ? "ol" : "ul";
    const depth = depthOf(item.depth);
    while (open.length > depth + 1) html += `</li></${open.pop()}>`;
    if (open.length === depth + 1) html += open.at(-1) === tag ? "</li>" : `</li></${open.pop()}>`;
    for (; open.length < depth; open.push(tag)) html += `<${tag}><li>`;
    if (open.length === depth) {
      html += `<${tag}>`;
      open.push(tag);
    }
    html += `<li>${item.html}`;
  }
  while (open.length > 0) html += `</li></${open.pop()}>`;
  return html;
}
