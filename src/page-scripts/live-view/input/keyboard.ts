import { byId } from "../../page/by-id.ts";
import { send } from "../connection.ts";
import { isDriving } from "../control.ts";
import { hint } from "../notices.ts";
import { isMac, keyModifiersOf } from "./modifiers.ts";

const MAX_TEXT_LENGTH = 1_000_000;
/** Key code of events that an input method handles (UI Events § 7.3.1). */
const INPUT_METHOD_KEY_CODE = 229;

/** Keys that an on-screen keyboard reports as edits only: name and key code by input type. */
const EDIT_KEYS: Record<string, readonly [key: string, keyCode: number]> = {
  deleteContentBackward: ["Backspace", 8],
  deleteContentForward: ["Delete", 46],
  insertLineBreak: ["Enter", 13],
  insertParagraph: ["Enter", 13],
};

const keys = byId("keys", HTMLTextAreaElement);

/** Sends keys, text of input methods and the clipboard from an invisible field. */
export function listenToKeyboard(): void {
  keys.addEventListener("keydown", pressKey);
  keys.addEventListener("keyup", releaseKey);
  keys.addEventListener("paste", paste);
  keys.addEventListener("beforeinput", edit);
  keys.addEventListener("compositionupdate", ({ data }) => {
    if (isDriving()) send({ type: "compose", text: data });
  });
  keys.addEventListener("compositionend", ({ data }) => {
    if (isDriving()) send(data === "" ? { type: "compose", text: "" } : { type: "text", text: data });
    keys.value = "";
  });
  keys.addEventListener("focus", () => {
    byId("screen").classList.add("keys");
    const isByKeyboard = keys.matches(":focus-visible") && !matchMedia("(pointer: coarse)").matches;
    if (isDriving() && isByKeyboard) hint("Keyboard input goes to the page. Press Shift+Esc to leave.");
  });
  keys.addEventListener("blur", () => byId("screen").classList.remove("keys"));
  byId("keyboard").addEventListener("click", () => keys.focus({ preventScroll: true }));
}

function pressKey(event: KeyboardEvent): void {
  if (!isDriving() || isInputMethod(event)) return;
  if (event.key === "Escape" && event.shiftKey) {
    event.preventDefault();
    return byId("address").focus();
  }
  const isControl = event.ctrlKey || (isMac && event.metaKey);
  const letter = isControl && !event.altKey ? event.key.toLowerCase() : "";
  // The paste event follows with the text.
  if (letter === "v") return;
  event.preventDefault();
  if (letter === "c" || letter === "x") return void send({ type: "copy", isCut: letter === "x" });
  sendKey("down", event);
}

function releaseKey(event: KeyboardEvent): void {
  if (!isDriving() || isInputMethod(event)) return;
  event.preventDefault();
  sendKey("up", event);
}

function sendKey(kind: "down" | "up", event: KeyboardEvent): void {
  const isCommand = isMac && event.key === "Meta";
  send({
    type: "key",
    kind,
    key: isCommand ? "Control" : event.key.slice(0, 40),
    code: isCommand ? "ControlLeft" : event.code,
    keyCode: isCommand ? 17 : Math.min(255, event.keyCode),
    location: event.location,
    isRepeat: event.repeat,
    modifiers: keyModifiersOf(event),
  });
}

function isInputMethod({ isComposing, keyCode, key }: KeyboardEvent): boolean {
  return isComposing || keyCode === INPUT_METHOD_KEY_CODE || key === "Unidentified" || key === "Dead";
}

function paste(event: ClipboardEvent): void {
  event.preventDefault();
  const text = (event.clipboardData?.getData("text/plain") ?? "").slice(0, MAX_TEXT_LENGTH);
  if (isDriving() && text !== "") send({ type: "text", text });
}

function edit(event: InputEvent): void {
  if (!isDriving() || event.inputType === "insertCompositionText") return;
  const [key, keyCode] = EDIT_KEYS[event.inputType] ?? [];
  if (key !== undefined && keyCode !== undefined) {
    event.preventDefault();
    for (const kind of ["down", "up"] as const) send({ type: "key", kind, key, code: key, keyCode });
  } else if (event.inputType === "insertText" && event.data) {
    event.preventDefault();
    send({ type: "text", text: event.data });
  }
}
