import type { HtmlView } from "./read-html.ts";
import { resolveUrl } from "./resolve-url.ts";
import { walkElements } from "./tree.ts";

/** Targets of all links of the page, absolute, in document order, each once; pure fragments lead nowhere (contract § 6.4). */
export function readLinks({ tree, baseUrl }: HtmlView): string[] {
  const links = new Set<string>();
  walkElements(tree.root, ({ tag, attributes }) => {
    const href = attributes["href"];
    if ((tag !== "a" && tag !== "area") || href === undefined || href.trim().startsWith("#")) return;
    const link = resolveUrl(href, baseUrl);
    if (link !== undefined && !link.startsWith("data:")) links.add(link);
  });
  return [...links];
}
