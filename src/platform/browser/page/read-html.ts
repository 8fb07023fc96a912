import { pageFunctions } from "#page-scripts";
import type { RenderedHtml } from "../../../page-scripts/page-functions.ts";
import { MAX_HTML_BYTES } from "../requests/document-response.ts";
import type { PageSession } from "./page-session.ts";

/** A WebSocket message has 32 MiB at most; a longer one ends the connection to the browser. */
export const MAX_MESSAGE_BYTES = 33_000_000;

/** Returns the rendered document, with open shadow roots and readable frames in place. */
export function readHtml(page: PageSession): Promise<RenderedHtml> {
  return page.call(pageFunctions.readHtml, MAX_HTML_BYTES, MAX_MESSAGE_BYTES);
}
