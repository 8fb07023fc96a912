/** Escapes text for HTML, in elements and in double-quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Wraps HTML in an element; returns an empty string for empty content. */
export function wrap(tag: string, html: string): string {
  return html.trim() === "" ? "" : `<${tag}>${html}</${tag}>`;
}

/** Returns a link around HTML, or the HTML alone when the target could run code or is missing. */
export function link(href: string | undefined, html: string): string {
  if (href === undefined || href === "" || html === "" || /^\s*(javascript|vbscript|data):/i.test(href)) return html;
  return `<a href="${escapeHtml(href)}">${html}</a>`;
}

/** Applies bold, italic and strike-through to HTML, keeping white space outside of the marks. */
export function emphasize(html: string, style: { bold?: boolean; italic?: boolean; strike?: boolean }): string {
  const core = html.trim();
  if (core === "") return html;
  let marked = core;
  if (style.strike === true) marked = `<del>${marked}</del>`;
  if (style.italic === true) marked = `<em>${marked}</em>`;
  if (style.bold === true) marked = `<strong>${marked}</strong>`;
  const start = html.indexOf(core);
  return html.slice(0, start) + marked + html.slice(start + core.length);
}

/** Raised and lowered text in pieces. A sign of a note, which is in brackets, stays apart. */
const JOINED_SHIFTS = /(?<!\])<\/(su[bp])><\1>(?!\[)/g;

/** Joins marks that end and begin again at the same place, as documents split words into many runs. */
export function joinMarks(html: string): string {
  return html.replace(JOINED_SHIFTS, "").replace(/<\/(strong|em|del)>(\s*)<\1>/g, "$2");
}
