/* oxlint-disable no-control-regex -- control characters are the marks of this format */
import { escapeHtml, link } from "../html/html-text.ts";

/** Characters with a special meaning in the text of a Word file, [MS-DOC] § 2.4.1. */
export const FIELD_MARK = /([\u0013\u0014\u0015])/;
/** Anchors of pictures, drawings, notes and comments. */
const ANCHORS = /[\u0000-\u0006\u0008\u000e-\u0012\u0016-\u001d]/g;
/** Fields within each other that are read. */
const MAX_FIELD_DEPTH = 20;

/** Returns text as HTML without its anchors; marks of fields stay for `fieldsToHtml`. */
export function plainHtml(text: string): string {
  return escapeHtml(text.replace(ANCHORS, "").replaceAll("\u001e", "-").replaceAll("\u001f", "\u00ad"))
    .replaceAll("\u000b", "<br>")
    .replaceAll("\u00ad", "");
}

/** Replaces fields by their results; those that are links by links. */
export function fieldsToHtml(html: string): string {
  let shown = html;
  // Innermost fields first, as fields hold fields.
  for (let depth = 0; depth < MAX_FIELD_DEPTH && shown.includes("\u0013"); depth++) {
    shown = shown.replace(
      /\u0013([^\u0013\u0014\u0015]*)(?:\u0014([^\u0013\u0014\u0015]*))?\u0015/g,
      (_, code: string, result = "") => {
        const target = /HYPERLINK\s+&quot;(.*?)&quot;/i.exec(code.replace(/<[^<>]+>/g, ""))?.[1];
        return link(target?.replaceAll("&amp;", "&"), String(result));
      },
    );
  }
  return shown.replace(/[\u0013\u0014\u0015]/g, "");
}
