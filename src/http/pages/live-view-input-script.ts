/** The part of the live view script that handles mouse, wheel, touch, keyboard and clipboard. */
export const LIVE_VIEW_INPUT_SCRIPT = String.raw`
const keys = byId("keys");
const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const BUTTONS = ["left", "middle", "right", "back", "forward"];

function placeOf(event) {
  const box = canvas.getBoundingClientRect();
  const within = (share) => Math.min(1, Math.max(0, share));
  return { x: within((event.clientX - box.left) / box.width), y: within((event.clientY - box.top) / box.height) };
}

/** Returns the modifier bits of CDP. Maps Command on a Mac to Control, because the session's browser runs on Linux. */
function modifiersOf(event) {
  const control = event.ctrlKey || (isMac && event.metaKey);
  return (event.altKey ? 1 : 0) + (control ? 2 : 0) + (event.metaKey && !isMac ? 4 : 0) + (event.shiftKey ? 8 : 0);
}

let waiting, isQueued = false;
/** Sends only the latest message of each kind once per animation frame, because moves are frequent. */
function sendSoon(kind, message) {
  waiting = waiting || new Map();
  const before = waiting.get(kind);
  if (kind === "wheel" && before) { message.deltaX += before.deltaX; message.deltaY += before.deltaY; }
  waiting.set(kind, message);
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(flush);
}
function flush() {
  isQueued = false;
  if (!waiting) return;
  const messages = [...waiting.values()];
  waiting = undefined;
  messages.forEach(send);
}

let lastDown = { atMs: 0, x: 0, y: 0, button: "", clicks: 0 };
function clicksOf(event, button) {
  const isNear = Math.hypot(event.clientX - lastDown.x, event.clientY - lastDown.y) < 6;
  const isAgain = event.timeStamp - lastDown.atMs < 500 && isNear && button === lastDown.button;
  lastDown = { atMs: event.timeStamp, x: event.clientX, y: event.clientY, button, clicks: isAgain ? (lastDown.clicks % 3) + 1 : 1 };
  return lastDown.clicks;
}

const fingers = new Map();
function touch(kind, event) {
  if (kind === "end" || kind === "cancel") fingers.delete(event.pointerId);
  else fingers.set(event.pointerId, placeOf(event));
  const ids = [...fingers.keys()].sort((a, b) => a - b);
  const message = { type: "touch", kind, points: ids.map((id) => ({ id: id % 1000, ...fingers.get(id) })), modifiers: modifiersOf(event) };
  if (kind === "move") return sendSoon("touch", message);
  flush();
  send(message);
}

function pointer(kind, event) {
  if (!isDriving) return;
  event.preventDefault();
  if (event.pointerType === "touch") return touch(kind === "down" ? "start" : kind === "up" ? "end" : "move", event);
  const pressed = BUTTONS[event.button] || "none";
  if (kind === "move") {
    const held = event.buttons & 1 ? "left" : event.buttons & 2 ? "right" : event.buttons & 4 ? "middle" : "none";
    return sendSoon("mouse", { type: "mouse", kind, ...placeOf(event), button: held, buttons: event.buttons, modifiers: modifiersOf(event) });
  }
  flush();
  const clicks = kind === "down" ? clicksOf(event, pressed) : lastDown.clicks;
  send({ type: "mouse", kind, ...placeOf(event), button: pressed, buttons: event.buttons, clicks, modifiers: modifiersOf(event) });
}

canvas.addEventListener("pointerdown", (event) => {
  if (!isDriving) return;
  canvas.setPointerCapture(event.pointerId);
  // On touch devices only the keyboard button opens the on-screen keyboard.
  if (event.pointerType !== "touch") keys.focus({ preventScroll: true });
  pointer("down", event);
});
canvas.addEventListener("pointerup", (event) => pointer("up", event));
canvas.addEventListener("pointermove", (event) => pointer("move", event));
canvas.addEventListener("pointercancel", (event) => { if (isDriving && event.pointerType === "touch") touch("cancel", event); });
canvas.addEventListener("contextmenu", (event) => { if (isDriving) event.preventDefault(); });
canvas.addEventListener("mousedown", (event) => { if (isDriving) event.preventDefault(); });
canvas.addEventListener("wheel", (event) => {
  if (!isDriving) return;
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  const limit = (delta) => Math.max(-5000, Math.min(5000, delta * unit));
  sendSoon("wheel", { type: "wheel", ...placeOf(event), deltaX: limit(event.deltaX), deltaY: limit(event.deltaY), modifiers: modifiersOf(event) });
}, { passive: false });

function sendKey(kind, event) {
  const isCommand = isMac && event.key === "Meta";
  send({
    type: "key", kind, key: isCommand ? "Control" : event.key.slice(0, 40), code: isCommand ? "ControlLeft" : event.code,
    keyCode: isCommand ? 17 : Math.min(255, event.keyCode), location: event.location, isRepeat: event.repeat, modifiers: modifiersOf(event),
  });
}

const isInputMethod = (event) => event.isComposing || event.keyCode === 229 || event.key === "Unidentified" || event.key === "Dead";

keys.addEventListener("keydown", (event) => {
  if (!isDriving || isInputMethod(event)) return;
  if (event.key === "Escape" && event.shiftKey) { event.preventDefault(); byId("address").focus(); return; }
  const isControl = event.ctrlKey || (isMac && event.metaKey);
  const letter = isControl && !event.altKey ? event.key.toLowerCase() : "";
  // The paste event follows with the text.
  if (letter === "v") return;
  event.preventDefault();
  if (letter === "c" || letter === "x") return send({ type: "copy", isCut: letter === "x" });
  sendKey("down", event);
});
keys.addEventListener("keyup", (event) => {
  if (!isDriving || isInputMethod(event)) return;
  event.preventDefault();
  sendKey("up", event);
});
keys.addEventListener("paste", (event) => {
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain").slice(0, 1000000);
  if (isDriving && text !== "") send({ type: "text", text });
});
keys.addEventListener("beforeinput", (event) => {
  if (!isDriving || event.inputType === "insertCompositionText") return;
  const key = { deleteContentBackward: ["Backspace", 8], deleteContentForward: ["Delete", 46], insertLineBreak: ["Enter", 13], insertParagraph: ["Enter", 13] }[event.inputType];
  if (key) {
    event.preventDefault();
    for (const kind of ["down", "up"]) send({ type: "key", kind, key: key[0], code: key[0], keyCode: key[1] });
  } else if (event.inputType === "insertText" && event.data) {
    event.preventDefault();
    send({ type: "text", text: event.data });
  }
});
keys.addEventListener("compositionupdate", (event) => { if (isDriving) send({ type: "compose", text: event.data }); });
keys.addEventListener("compositionend", (event) => {
  if (isDriving) send(event.data ? { type: "text", text: event.data } : { type: "compose", text: "" });
  keys.value = "";
});
keys.addEventListener("focus", () => {
  screen.classList.add("keys");
  if (isDriving && keys.matches(":focus-visible") && !matchMedia("(pointer: coarse)").matches) hint("Keyboard input goes to the page. Press Shift+Esc to leave.");
});
keys.addEventListener("blur", () => screen.classList.remove("keys"));
byId("keyboard").onclick = () => keys.focus({ preventScroll: true });
`;
