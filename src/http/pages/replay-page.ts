import { pagePrograms } from "#page-scripts";
import { PAGE_STYLE } from "./page-style.ts";
import { REPLAY_MARKUP } from "./replay-markup.ts";
import { REPLAY_STYLE } from "./replay-style.ts";
import { renderPage, type RenderedPage } from "./self-contained-page.ts";

let rendered: Promise<RenderedPage> | undefined;

/** Returns the replay page. It is the same for all recordings: ID and token are in its URL. */
export function replayPage(): Promise<RenderedPage> {
  return (rendered ??= renderPage({
    title: "Recording",
    style: PAGE_STYLE + REPLAY_STYLE,
    script: pagePrograms.replay,
    markup: REPLAY_MARKUP,
  }));
}
