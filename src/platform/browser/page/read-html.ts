import { MAX_HTML_BYTES } from "../requests/document-response.ts";
import { htmlScript } from "./page-scripts.ts";
import type { PageSession } from "./page-session.ts";

export interface RenderedHtml {
  html: string;
  /** Address of the document now, history changes included. */
  url: string;
  /** IANA name. */
  timezone: string;
  isCut: boolean;
}

/** The document as scripts have made it, with open shadow roots and readable frames in their places. */
export function readHtml(page: PageSession): Promise<RenderedHtml> {
  return page.evaluate<RenderedHtml>(htmlScript(MAX_HTML_BYTES));
}
