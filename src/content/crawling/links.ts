import { TextSet } from "../../core/text/text-map.ts";
import { isHashRoute } from "../../core/url/url-key.ts";
import type { HtmlView } from "../html/html-view.ts";
import { resolveUrl } from "../html/resolve-url.ts";
import type { ElementNode } from "../html/tree/tree.ts";

/**
 * Returns the targets of all links of the page, absolute, in document order, each once; pure fragments are left out,
 * except client-side routes (`#/a`).
 */
export function readLinks({ tree, baseUrl }: HtmlView): string[] {
  const links = new TextSet();
  const known = new TextSet();
  for (let element: ElementNode | undefined = tree.root; element !== undefined; element = element.next) {
    const { tag, attributes } = element;
    if (tag !== "a" && tag !== "area") continue;
    const href = attributes["href"];
    if (href === undefined || isAnchor(href.trim())) continue;
    // Menus and cards repeat their addresses, and resolving one costs many times as much as comparing it.
    if (!known.add(href)) continue;
    const link = resolveUrl(href, baseUrl);
    if (link !== undefined && !link.startsWith("data:")) links.add(link);
  }
  return [...links.values];
}

function isAnchor(href: string): boolean {
  return href.startsWith("#") && !isHashRoute(href);
}
