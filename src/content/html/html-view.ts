import type { HtmlTree } from "./tree/tree.ts";

/** A page's tree, parsed once for all formats. */
export interface HtmlView {
  tree: HtmlTree;
  /** Final URL of the page. */
  url: string;
  /** Base of relative addresses. */
  baseUrl: string;
}
