import { marked } from "marked";

/** Returns the HTML of Markdown, before it is sanitized. What the parser cannot read, such as 2,000 nested quotes, is plain text. */
export function parseMarkdown(text: string): string {
  try {
    return marked.parse(text, { async: false, gfm: true });
  } catch {
    return `<pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
  }
}
