import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.js";
import type { DriveMessage } from "./viewer-message.ts";

type InputMethod =
  | "Input.dispatchMouseEvent"
  | "Input.dispatchTouchEvent"
  | "Input.dispatchKeyEvent"
  | "Input.insertText"
  | "Input.imeSetComposition";

/** A command of the Chrome DevTools Protocol for the tab that is shown. */
export type InputCommand = {
  [Method in InputMethod]: { method: Method; params: ProtocolMapping.Commands[Method]["paramsType"][0] };
}[InputMethod];

/** The page's visible part, in CSS pixels. */
export interface Viewport {
  width: number;
  height: number;
}

/** The messages that are input, as opposed to navigation, tabs and questions. */
export type InputMessage = Extract<DriveMessage, { type: "mouse" | "wheel" | "touch" | "key" | "text" | "compose" }>;

const MOUSE_TYPES = { down: "mousePressed", up: "mouseReleased", move: "mouseMoved" } as const;
const TOUCH_TYPES = { start: "touchStart", move: "touchMove", end: "touchEnd", cancel: "touchCancel" } as const;

/** Modifier bits of the Input domain. */
const CONTROL_ALT_META = 1 | 2 | 4;
const ALT_CONTROL = 1 | 2;
const SHIFT = 8;

/**
 * Translates a viewer's input into commands for the page (Chrome DevTools Protocol, Input domain). Places are shares
 * of the picture and become CSS pixels of the viewport.
 */
export function toInputCommand(message: InputMessage, viewport: Viewport): InputCommand {
  switch (message.type) {
    case "mouse": {
      const { kind, button, buttons, clicks, modifiers } = message;
      const params = { type: MOUSE_TYPES[kind], ...placeOf(message, viewport), button, buttons, modifiers };
      return { method: "Input.dispatchMouseEvent", params: { ...params, clickCount: clicks } };
    }
    case "wheel": {
      const { deltaX, deltaY, modifiers } = message;
      const params = { type: "mouseWheel" as const, ...placeOf(message, viewport), deltaX, deltaY, modifiers };
      return { method: "Input.dispatchMouseEvent", params };
    }
    case "touch": {
      const { kind, points, modifiers } = message;
      // The protocol wants no points for the end: it ends those that are missing from the list.
      const touchPoints =
        kind === "cancel" ? [] : points.map((point) => ({ ...placeOf(point, viewport), id: point.id }));
      return {
        method: "Input.dispatchTouchEvent",
        params: { type: touchType(kind, points.length), touchPoints, modifiers },
      };
    }
    case "key":
      return { method: "Input.dispatchKeyEvent", params: keyParams(message) };
    case "text":
      return { method: "Input.insertText", params: { text: message.text } };
    case "compose": {
      const { length } = message.text;
      const params = { text: message.text, selectionStart: length, selectionEnd: length };
      return { method: "Input.imeSetComposition", params };
    }
  }
}

/** A finger that is lifted while others stay down changes the list of points: `touchEnd` must have an empty one. */
function touchType(kind: keyof typeof TOUCH_TYPES, remaining: number) {
  return kind === "end" && remaining > 0 ? TOUCH_TYPES.move : TOUCH_TYPES[kind];
}

function placeOf({ x, y }: { x: number; y: number }, { width, height }: Viewport): { x: number; y: number } {
  return { x: Math.min(x * width, width - 1), y: Math.min(y * height, height - 1) };
}

function keyParams({
  kind,
  key,
  code,
  keyCode,
  location,
  isRepeat,
  modifiers,
}: Extract<InputMessage, { type: "key" }>) {
  const text = kind === "down" ? textOf(key, modifiers) : undefined;
  return {
    type: kind === "up" ? ("keyUp" as const) : text === undefined ? ("rawKeyDown" as const) : ("keyDown" as const),
    key,
    code,
    windowsVirtualKeyCode: keyCode,
    nativeVirtualKeyCode: keyCode,
    location,
    isKeypad: location === 3,
    autoRepeat: isRepeat,
    modifiers,
    ...(text === undefined ? {} : { text, unmodifiedText: text }),
  };
}

/** The text that a key types. With Control or Meta it is a command; Control and Alt together are AltGr, which types. */
function textOf(key: string, modifiers: number): string | undefined {
  if (key === "Enter") return "\r";
  if ([...key].length !== 1) return undefined;
  const pressed = modifiers & CONTROL_ALT_META;
  const isWriting = pressed === 0 || pressed === ALT_CONTROL || (modifiers & ~SHIFT) === 0;
  return isWriting ? key : undefined;
}
