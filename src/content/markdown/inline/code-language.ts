import type { ElementNode } from "../../html/tree/tree.ts";

const LANGUAGE_CLASS =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-text-|highlight-(?=[a-z])|brush:\s*|gatsby-code-|sourceCode\s+|src-)([a-z0-9+#][\w+#.-]*)/gi;
const HIGHLIGHT_JS = /(?:^|\s)(?:hljs\s+([\w+#.-]+)|([\w+#.-]+)\s+hljs)(?:\s|$)/i;
const PANDOC = /(?:^|\s)sourceCode\s+([a-z][\w+#-]*)/i;
/** Words in the position of a language that are none. */
const NO_LANGUAGE =
  /^(?:highlight\S*|light|dark|theme\S*|line\S*|none|plain\S*|text|code\S*|default|nohighlight|no-highlight|auto|source\S*|hljs\S*|copy\S*|wrap\S*|notranslate|container|wrapper|undefined|null|block|tab\S*|copyable|inline|print)$/i;
const ATTRIBUTES = ["data-lang", "data-language", "data-code-block-lang", "data-canonical-lang"];

/**
 * Returns the language that markup of a highlighter names on the listing, its code, its frame or a frame around
 * (GitHub, Hugo, highlight.js, Prism, Gatsby, Pygments, Sphinx, Docusaurus, Pandoc, SyntaxHighlighter), in lower case;
 * empty without one.
 */
export function codeLanguage(listing: ElementNode): string {
  const inner = listing.children.find(
    (child) => typeof child === "object" && (child.tag === "code" || child.tag === "pre"),
  );
  const places = [
    typeof inner === "object" ? inner : undefined,
    listing,
    listing.parent,
    listing.parent?.parent,
    listing.parent?.parent?.parent,
  ];
  for (const place of places) {
    const language = place === undefined ? undefined : languageOf(place);
    if (language !== undefined) return language;
  }
  return "";
}

function languageOf({ tag, attributes }: ElementNode): string | undefined {
  const classes = attributes["class"] ?? "";
  const candidates = ATTRIBUTES.map((name) => attributes[name]);
  if (tag === "pre" || tag === "code") candidates.push(attributes["lang"]);
  if (classes !== "") {
    for (const match of classes.matchAll(LANGUAGE_CLASS)) candidates.push(match[1]);
    const named = HIGHLIGHT_JS.exec(classes);
    candidates.push(named?.[1], named?.[2], PANDOC.exec(classes)?.[1]);
  }
  for (const candidate of candidates) {
    const language = tidy(candidate);
    if (language !== "" && !NO_LANGUAGE.test(language)) return language;
  }
  return undefined;
}

function tidy(language: string | undefined): string {
  return (language ?? "")
    .trim()
    .toLowerCase()
    .replace(/^(?:source|text)[.-](?=.)/, "")
    .replace(/[^a-z0-9+#_.-]/g, "")
    .slice(0, 30);
}
