import { pagePrograms } from "#page-scripts";
import { LIVE_VIEW_MARKUP } from "./live-view-markup.ts";
import { LIVE_VIEW_STYLE } from "./live-view-style.ts";
import { PAGE_STYLE } from "./page-style.ts";
import { renderPage, type RenderedPage } from "./self-contained-page.ts";

let rendered: Promise<RenderedPage> | undefined;

/** Returns the live view page. It is the same for all sessions: ID and token are in its URL. */
export function liveViewPage(): Promise<RenderedPage> {
  return (rendered ??= renderPage({
    title: "Live view",
    style: PAGE_STYLE + LIVE_VIEW_STYLE,
    script: pagePrograms.liveView,
    markup: LIVE_VIEW_MARKUP,
  }));
}
