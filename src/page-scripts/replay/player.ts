import { byId } from "../page/by-id.ts";
import { canvas, drawJpeg, fittingScale, resize, type Size, stage } from "../page/picture-canvas.ts";
import { markRequests } from "./network.ts";
import { showFailure } from "./notices.ts";
import { latestAt, type Part, type RecordedPage, toClock } from "./recording.ts";
import { type Frame, loadFrames } from "./segments.ts";

const PLAY_PATH = "M7 4.5v15l12-7.5z";
const PAUSE_PATH = "M7 5h3.5v14H7zM13.5 5H17v14h-3.5z";

const seek = byId("seek", HTMLInputElement);
let parts: readonly Part[] = [];
/** Start of the recording in ms since the epoch, and its length. */
let startMs = 0;
let lengthMs = 0;
/** Time of the first frame with content since the start, in ms. */
let contentMs = 0;
/** Time of the shown frame since the start, in ms. */
let position = 0;
let isPlaying = false;
let lastTick = 0;
let drawn: Frame | undefined;
let latestRequest = 0;
let size: Size = { width: 0, height: 0 };

/** Opens the segments of a recording, which must not be empty. @param firstContentMs Where it is played from, in ms since the epoch */
export function open(opened: readonly [Part, ...Part[]], firstContentMs: number): void {
  parts = opened;
  startMs = opened[0].startMs;
  lengthMs = Math.max(...parts.map(({ endMs }) => endMs)) - startMs;
  contentMs = Math.ceil(firstContentMs - startMs);
  seek.max = String(lengthMs);
  seek.disabled = false;
  for (const id of ["play", "back", "forward"]) byId(id, HTMLButtonElement).disabled = false;
}

/** Shows the periods of the pages on the time line. */
export function drawMarks(pages: readonly RecordedPage[]): void {
  const marks = pages
    .filter(({ segments }) => segments.length > 0)
    .map((page) => {
      const mark = document.createElement("i");
      mark.style.left = percentOf(page.startMs - startMs);
      mark.style.width = percentOf(page.endMs - page.startMs);
      return mark;
    });
  const passed = document.createElement("b");
  passed.id = "passed";
  byId("marks").replaceChildren(...marks, passed);
}

/** Shows the frame at a time since the start, in ms. */
export async function show(ms: number): Promise<void> {
  position = Math.min(lengthMs, Math.max(0, ms));
  const atMs = startMs + position;
  const part = latestAt(parts, atMs, (one) => one.startMs);
  const request = ++latestRequest;
  showTime();
  if (part === undefined) return;
  const frames = await loadFrames(part).catch(() => undefined);
  if (request === latestRequest) showFailure(frames === undefined ? "Segment not loaded" : undefined);
  if (frames === undefined) return;
  const next = parts[parts.indexOf(part) + 1];
  if (next !== undefined) loadFrames(next).catch(() => undefined);
  if (request !== latestRequest) return;
  const frame = latestAt(frames, atMs - part.startMs, (one) => one.atMs);
  if (frame === undefined || frame === drawn) return;
  drawn = frame;
  try {
    await drawJpeg(frame.jpeg);
  } catch {
    // A frame that cannot be decoded is skipped.
    return;
  }
  canvas.dataset["pictures"] = String(Number(canvas.dataset["pictures"] ?? 0) + 1);
  showPage(part.page, atMs);
  showSize();
}

/** Shows the first frame with content. */
export async function rewind(): Promise<void> {
  await show(contentMs);
}

/** Marks the requests that were made until the position. */
export function showRequests(): void {
  markRequests(position);
}

function showTime(): void {
  seek.value = String(Math.round(position));
  seek.setAttribute("aria-valuetext", `${toClock(position)} of ${toClock(lengthMs)}`);
  byId("time", HTMLOutputElement).value = `${toClock(position)} / ${toClock(lengthMs)}`;
  byId("passed").style.width = percentOf(position);
  showRequests();
}

/** Fits the picture into the window. */
export function fit(): void {
  if (size.width > 0) resize(canvas, size, fittingScale(size));
}

/** Plays, pauses and seeks as the viewer asks. */
export function listenToControls(): void {
  byId("play").addEventListener("click", () => play(!isPlaying));
  byId("back").addEventListener("click", () => void show(position - 5_000));
  byId("forward").addEventListener("click", () => void show(position + 5_000));
  seek.addEventListener("input", () => void show(Number(seek.value)));
  seek.addEventListener("keydown", (event) => {
    const step = SEEK_STEPS_MS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    void show(position + step);
  });
  addEventListener("keydown", (event) => {
    const isOnControl = event.target instanceof Element && event.target.closest("input, button, select, a") !== null;
    if (event.key !== " " || isOnControl) return;
    event.preventDefault();
    play(!isPlaying);
  });
  new ResizeObserver(fit).observe(stage);
}

const SEEK_STEPS_MS: Record<string, number> = {
  ArrowLeft: -1_000,
  ArrowDown: -1_000,
  ArrowRight: 1_000,
  ArrowUp: 1_000,
  PageUp: 10_000,
  PageDown: -10_000,
};

function percentOf(ms: number): string {
  return `${(100 * ms) / Math.max(1, lengthMs)}%`;
}

function showPage(page: RecordedPage, atMs: number): void {
  const { title, url } = latestAt(page.titles ?? [], atMs, (one) => one.atMs) ?? page;
  const name = title || url;
  byId("title").textContent = name;
  byId("where").textContent = url;
  document.title = `${name} – Recording`;
  canvas.setAttribute("aria-label", `Recorded page: ${name}`);
}

/** Fits a picture of another size: the viewport may change while the session is recorded. */
function showSize(): void {
  const { width, height } = canvas;
  if (!canvas.hidden && size.width === width && size.height === height) return;
  size = { width, height };
  canvas.hidden = false;
  fit();
}

function play(shouldPlay: boolean): void {
  if (shouldPlay && position >= lengthMs) position = contentMs;
  isPlaying = shouldPlay;
  const button = byId("play");
  button.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
  button.title = isPlaying ? "Pause" : "Play";
  button.querySelector("path")?.setAttribute("d", isPlaying ? PAUSE_PATH : PLAY_PATH);
  lastTick = performance.now();
  if (isPlaying) requestAnimationFrame(tick);
}

async function tick(now: number): Promise<void> {
  if (!isPlaying) return;
  const next = position + (now - lastTick) * Number(byId("speed", HTMLSelectElement).value);
  lastTick = now;
  await show(next);
  if (position >= lengthMs) return play(false);
  requestAnimationFrame(tick);
}
