import { byId } from "../../page/by-id.ts";
import { canvas } from "../../page/picture-canvas.ts";
import { send } from "../connection.ts";
import { isDriving } from "../control.ts";
import { modifiersOf } from "./modifiers.ts";
import { flush, sendSoon } from "./send-soon.ts";

const BUTTONS = ["left", "middle", "right", "back", "forward"] as const;
type Button = (typeof BUTTONS)[number] | "none";
type PointerKind = "down" | "up" | "move";
type TouchKind = "start" | "move" | "end" | "cancel";

/** Clicks that are nearer in time (ms) and place (px) count as one double or triple click. */
const CLICK_MS = 500;
const CLICK_PX = 6;
const MAX_WHEEL_PX = 5_000;
/** Pixels of a wheel step that is measured in lines or pages. */
const LINE_PX = 16;
const PAGE_PX = 400;

let lastDown = { atMs: 0, x: 0, y: 0, button: "none" as Button, clicks: 0 };
/** Positions of the fingers that are down, as shares of the picture's sides. */
const fingers = new Map<number, { x: number; y: number }>();

/** Sends mouse, wheel and touch input on the picture. */
export function listenToPointer(): void {
  canvas.addEventListener("pointerdown", (event) => {
    if (!isDriving()) return;
    canvas.setPointerCapture(event.pointerId);
    // On touch devices only the keyboard button opens the on-screen keyboard.
    if (event.pointerType !== "touch") byId("keys").focus({ preventScroll: true });
    sendPointer("down", event);
  });
  canvas.addEventListener("pointerup", (event) => sendPointer("up", event));
  canvas.addEventListener("pointermove", (event) => sendPointer("move", event));
  canvas.addEventListener("pointercancel", (event) => {
    if (isDriving() && event.pointerType === "touch") sendTouch("cancel", event);
  });
  for (const type of ["contextmenu", "mousedown"] as const) {
    canvas.addEventListener(type, (event) => {
      if (isDriving()) event.preventDefault();
    });
  }
  canvas.addEventListener("wheel", sendWheel, { passive: false });
}

function sendPointer(kind: PointerKind, event: PointerEvent): void {
  if (!isDriving()) return;
  event.preventDefault();
  if (event.pointerType === "touch") return sendTouch(touchKindOf(kind), event);
  const { buttons } = event;
  const place = { ...placeOf(event), buttons, modifiers: modifiersOf(event) };
  if (kind === "move") return sendSoon({ type: "mouse", kind, ...place, button: heldButton(buttons) });
  flush();
  const button = BUTTONS[event.button] ?? "none";
  const clicks = kind === "down" ? countClicks(event, button) : lastDown.clicks;
  send({ type: "mouse", kind, ...place, button, clicks });
}

function touchKindOf(kind: PointerKind): TouchKind {
  if (kind === "move") return "move";
  return kind === "down" ? "start" : "end";
}

/** @param buttons the bits of `MouseEvent.buttons` */
function heldButton(buttons: number): Button {
  if (buttons & 1) return "left";
  if (buttons & 2) return "right";
  return buttons & 4 ? "middle" : "none";
}

function placeOf(event: MouseEvent): { x: number; y: number } {
  const box = canvas.getBoundingClientRect();
  const within = (share: number): number => Math.min(1, Math.max(0, share));
  return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) };
}

function countClicks(event: MouseEvent, button: Button): number {
  const isNear = Math.hypot(event.clientX - lastDown.x, event.clientY - lastDown.y) < CLICK_PX;
  const isAgain = event.timeStamp - lastDown.atMs < CLICK_MS && isNear && button === lastDown.button;
  const clicks = isAgain ? (lastDown.clicks % 3) + 1 : 1;
  lastDown = { atMs: event.timeStamp, x: event.clientX, y: event.clientY, button, clicks };
  return clicks;
}

function sendTouch(kind: TouchKind, event: PointerEvent): void {
  if (kind === "end" || kind === "cancel") fingers.delete(event.pointerId);
  else fingers.set(event.pointerId, placeOf(event));
  const sorted = [...fingers].toSorted(([one], [other]) => one - other);
  const points = sorted.map(([id, place]) => ({ id: id % 1_000, ...place }));
  const message = { type: "touch" as const, kind, points, modifiers: modifiersOf(event) };
  if (kind === "move") return sendSoon(message);
  flush();
  send(message);
}

function sendWheel(event: WheelEvent): void {
  if (!isDriving()) return;
  event.preventDefault();
  const unit = wheelUnit(event.deltaMode);
  const limited = (delta: number): number => Math.max(-MAX_WHEEL_PX, Math.min(MAX_WHEEL_PX, delta * unit));
  const deltas = { deltaX: limited(event.deltaX), deltaY: limited(event.deltaY) };
  sendSoon({ type: "wheel", ...placeOf(event), ...deltas, modifiers: modifiersOf(event) });
}

/** @returns CSS pixels per unit */
function wheelUnit(mode: number): number {
  if (mode === WheelEvent.DOM_DELTA_LINE) return LINE_PX;
  return mode === WheelEvent.DOM_DELTA_PAGE ? PAGE_PX : 1;
}
