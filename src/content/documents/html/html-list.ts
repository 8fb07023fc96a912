/** One item of a list as stored in documents: flat, with a depth. */
export interface FlatItem {
  html: string;
  /** 0 for the outermost. */
  depth: number;
  isOrdered: boolean;
}

/** Nests flat items into `<ul>` and `<ol>`. A deeper item becomes part of the one before it. */
export function htmlList(items: readonly FlatItem[]): string {
  let html = "";
  const open: string[] = [];
  for (const item of items) {
    const tag = item.isOrdered ? "ol" : "ul";
    while (open.length > item.depth + 1) html += `</li></${open.pop()}>`;
    if (open.length === item.depth + 1) html += open.at(-1) === tag ? "</li>" : `</li></${open.pop()}>`;
    for (; open.length < item.depth; open.push(tag)) html += `<${tag}><li>`;
    if (open.length === item.depth) {
      html += `<${tag}>`;
      open.push(tag);
    }
    html += `<li>${item.html}`;
  }
  while (open.length > 0) html += `</li></${open.pop()}>`;
  return html;
}
