import { withoutTargets } from "./plain-text.ts";

/** Longer texts are cut: a snippet is a few sentences. */
const MAX_CHARS = 10_000;

/**
 * Returns a snippet as words alone, on one line: without the Markdown of links, pictures, headings, lists, quotes,
 * emphasis, code and tables. Text that merely contains such characters, such as `snake_case`, `C#` or `2 * 3`, is
 * unchanged. Texts of over 10,000 characters are cut.
 */
export function snippetText(markdown: string): string {
  const text = markdown.slice(0, MAX_CHARS);
  if (!/[[\]|#*_`~>\\+-]|\d[.)]/.test(text)) return text.replace(/\s+/g, " ").trim();
  return withoutTargets(withoutTargets(text, "!["), "[")
    .replace(/^[ \t]*(?:\|[ \t]*)?(?::?-+:?[ \t]*\|[ \t]*)+(?::?-+:?[ \t]*)?$/gm, " ")
    .replace(/^[ \t]*\|.*$/gm, (row) => row.replaceAll("|", " "))
    .replace(/^[ \t]*(?:`{3}|~{3}).*$/gm, " ")
    .replace(/^(?:[ \t]*>)+[ \t]?/gm, "")
    .replace(/^[ \t]*(?:#{1,6}|[-*+]|\d{1,3}[.)])[ \t]+/gm, "")
    .replace(/(?<=\s)#{2,6}(?=\s)/g, "")
    .replace(/(\*\*\*|\*\*|~~)(?=\S)([^\n]{1,500}?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\w*\\])\*(?=[^\s*])([^*\n]{1,300}?)(?<=\S)\*(?=[\s,;:!?)"']|\.(?:\s|$)|$)/g, "$1")
    .replace(/(?<![\w_\\])_(?=[^\s_])([^_\n]{1,300}?)(?<=\S)_(?![\w_])/g, "$1")
    .replace(/`([^`\n]{1,300})`/g, "$1")
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}
