import type { PointerMessage } from "../../sessions/live-view/view-message.ts";
import { byId } from "../page/by-id.ts";
import { canvas, drawJpeg, fittingScale, resize, stage } from "../page/picture-canvas.ts";
import { isOver, send } from "./connection.ts";
import { uncover } from "./notices.ts";

/** Bytes before the JPEG of a frame: its number (4), width and height (2 each). */
const FRAME_HEAD_BYTES = 8;
const POINTER_MS = 4_000;

const screen = byId("screen");
let size = { width: 0, height: 0 };
let isActualSize = false;
let frames = 0;
let pointerTimer: number | undefined;

/** Keeps the picture at the size of the window, or at its own. */
export function fitScreen(): void {
  byId("scale").addEventListener("click", () => {
    isActualSize = !isActualSize;
    byId("scale").setAttribute("aria-pressed", String(isActualSize));
    fit();
  });
  new ResizeObserver(fit).observe(stage);
}

/** Draws a frame and reports it as painted. */
export async function draw(frame: ArrayBuffer): Promise<void> {
  const head = new DataView(frame);
  const [number, width, height] = [head.getUint32(0), head.getUint16(4), head.getUint16(6)];
  try {
    await drawJpeg(new Blob([new Uint8Array(frame, FRAME_HEAD_BYTES)], { type: "image/jpeg" }));
  } catch {
    return;
  }
  send({ type: "painted", frame: number });
  frames += 1;
  screen.dataset["frames"] = String(frames);
  if (size.width !== width || size.height !== height) {
    size = { width, height };
    fit();
  }
  if (screen.hidden) {
    screen.hidden = false;
    fit();
  }
  if (!isOver()) uncover();
}

/** Shows the pointer of another viewer, or the shape of the own one. */
export function showPointer({ x, y, cursor, isOwn }: PointerMessage): void {
  const pointer = byId("pointer", SVGElement);
  const hide = (): void => pointer.setAttribute("hidden", "");
  clearTimeout(pointerTimer);
  if (isOwn) {
    canvas.style.cursor = cursor;
    return hide();
  }
  pointer.removeAttribute("hidden");
  pointer.style.transform = `translate(${x * screen.clientWidth}px, ${y * screen.clientHeight}px)`;
  pointerTimer = setTimeout(hide, POINTER_MS);
}

function fit(): void {
  if (size.width > 0) resize(screen, size, isActualSize ? 1 : fittingScale(size));
}
