import { LIVE_VIEW_INPUT_SCRIPT } from "./live-view-input-script.ts";
import { LIVE_VIEW_MARKUP } from "./live-view-markup.ts";
import { LIVE_VIEW_PICKERS_SCRIPT } from "./live-view-pickers-script.ts";
import { LIVE_VIEW_SCRIPT } from "./live-view-script.ts";
import { LIVE_VIEW_STYLE } from "./live-view-style.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { renderPage, type RenderedPage } from "./self-contained-page.ts";

let rendered: Promise<RenderedPage> | undefined;

/** Returns the live view page. It is the same for all sessions: ID and token are in its URL. */
export function liveViewPage(): Promise<RenderedPage> {
  return (rendered ??= renderPage({
    title: "Live view",
    style: PAGE_STYLE + LIVE_VIEW_STYLE,
    script: `"use strict";(() => {${LIVE_VIEW_SCRIPT}${LIVE_VIEW_INPUT_SCRIPT}${LIVE_VIEW_PICKERS_SCRIPT}})();`,
    markup: LIVE_VIEW_MARKUP,
  }));
}
