/**
 * Returns the words of a markdown text as they are read: link targets, pictures, emphasis and table rules removed,
 * lines and headings unchanged. Takes time linear in the text.
 */
export function plainText(markdown: string): string {
  return withoutTargets(withoutTargets(markdown, "!["), "[")
    .replace(/^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$/gm, "")
    .replace(/^([ \t]*)(?:`{3}|~{3}).*$/gm, "$1")
    .replace(/(\*\*|__|~~)(?=\S)(.+?)\1/g, "$2")
    .replace(/`([^`\n]+)`/g, "$1")
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, "$1")
    .replace(/<br\s*\/?>/gi, " ")
    .replace(/(?<![ \t])[ \t]+$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** The round brackets behind the text of a link: an address, and a title. */
const TARGET = /\((?:[^()\s]|\([^()]*\))*(?:\s+"[^"]*")?\)/y;

/** Replaces links, or pictures, by their text; a text holds no closing bracket, so each is examined once. */
export function withoutTargets(markdown: string, mark: "![" | "["): string {
  let text = "";
  let done = 0;
  for (let close = markdown.indexOf("]"); close >= 0; close = markdown.indexOf("]", close + 1)) {
    if (close < done || markdown.charCodeAt(close + 1) !== ROUND_BRACKET) continue;
    const start = Math.max(done, markdown.lastIndexOf("]", close - 1) + 1);
    const open = markdown.slice(start, close).indexOf(mark);
    TARGET.lastIndex = close + 1;
    if (open < 0 || !TARGET.test(markdown)) continue;
    text += markdown.slice(done, start + open) + markdown.slice(start + open + mark.length, close);
    done = TARGET.lastIndex;
  }
  return text + markdown.slice(done);
}

const ROUND_BRACKET = 40;
