import type { HtmlView } from "../../../src/content/html/html-view.ts";
import { openHtml } from "../../../src/content/read-html.ts";

const PAGE_URL = "https://shop.example/guide/page.html?lang=en";

/** A page as formats read it. */
export function viewOf(html: string, url = PAGE_URL): HtmlView {
  return openHtml(html, url);
}
