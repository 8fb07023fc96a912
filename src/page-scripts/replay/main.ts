import { BASE, QUERY } from "../page/page-url.ts";
import { firstContentMs } from "./first-content.ts";
import { listenToNetwork, loadRequests } from "./network.ts";
import { badge, cover, uncover } from "./notices.ts";
import { drawMarks, fit, listenToControls, open, rewind, show, showRequests } from "./player.ts";
import { partsOf, type Recording } from "./recording.ts";

/** The player of recordings: it loads segments on demand and shows their frames at the right time. */
async function start(): Promise<void> {
  const response = await fetch(`${BASE}/recording${QUERY}`);
  if (!response.ok) {
    badge("bad", response.status === 404 ? "Not found" : "Not loaded");
    if (response.status === 403) return cover("Invalid link", "The token is invalid or has expired.");
    if (response.status === 404) return cover("Recording not found", "It may have expired or was not stored.");
    return coverNotLoaded();
  }
  // The service's own response: hence the cast without a parse.
  const recording = (await response.json()) as Recording;
  showState(recording);
  const [first, ...others] = partsOf(recording);
  const { pages, startedMs } = recording;
  void loadRequests({ startMs: first?.startMs ?? startedMs, pages }, (ms) => void show(ms)).then(showRequests);
  if (first === undefined) return cover("No frames", "This recording has no frames yet.");
  const beginMs = await firstContentMs([first, ...others]).catch(() => undefined);
  open([first, ...others], beginMs ?? first.startMs);
  drawMarks(pages);
  uncover();
  await rewind();
}

function coverNotLoaded(): void {
  cover("The recording could not be loaded", "Reload the page to try again.");
}

function showState({ endedMs, isTruncated }: Recording): void {
  if (endedMs === null) badge("good", "Recording in progress");
  else badge("", `Recorded${isTruncated ? " (truncated)" : ""}`);
}

listenToControls();
listenToNetwork(fit);
start().catch(coverNotLoaded);
