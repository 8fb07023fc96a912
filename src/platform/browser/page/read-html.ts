import { MAX_HTML_BYTES } from "../requests/document-response.ts";
import { htmlScript } from "./page-scripts.ts";
import type { PageSession } from "./page-session.ts";

export interface RenderedHtml {
  html: string;
  /** URL of the current document, history changes included. */
  url: string;
  /** IANA time zone name. */
  timezone: string;
  isCut: boolean;
}

/** Returns the rendered document, with open shadow roots and readable frames in place. */
export function readHtml(page: PageSession): Promise<RenderedHtml> {
  return page.evaluate<RenderedHtml>(htmlScript(MAX_HTML_BYTES));
}
