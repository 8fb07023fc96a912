import { cleanHtml, openHtml, toMarkdown } from "../../read-html.ts";

/** Converts the HTML of a document to markdown like that of a page. Nothing is left out as boilerplate. */
export function htmlToMarkdown(html: string, url: string): string {
  if (html.trim() === "") return "";
  const view = openHtml(`<!doctype html><html><body>${html}</body></html>`, url);
  const cleaned = cleanHtml(view, { onlyMainContent: false, includeTags: [], excludeTags: [] });
  return toMarkdown(view, cleaned, { removeBase64Images: true }).trim();
}
