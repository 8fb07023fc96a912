/**
 * The main script of the live view: connection, frames and controls. Runs in the viewer's browser, in the same scope as
 * the input and picker scripts, which use its `send`, `isDriving`, `screen`, `canvas`, `say` and `hint`.
 */
export const LIVE_VIEW_SCRIPT = String.raw`
const byId = (id) => document.getElementById(id);
const canvas = byId("canvas"), screen = byId("screen"), stage = byId("stage");
const context = canvas.getContext("2d", { alpha: false });
const place = new URL(location.href);
const base = place.pathname.replace(/\/$/, "");
const query = "?token=" + encodeURIComponent(place.searchParams.get("token") || "");
const wantsToDrive = place.searchParams.get("interactive") === "true";

let socket, isDriving = false, isOver = false, attempt = 0, retryTimer, heardMs = 0;
let picture = { width: 0, height: 0 }, isActualSize = false, drawn = 0, announced = "";
let tabs = [], shown, isLoading = false, openDialog;

function send(message) {
  if (socket && socket.readyState === 1) socket.send(JSON.stringify(message));
}

function say(text) { byId("status").textContent = text; }

function badge(kind, text) {
  const element = byId("badge");
  element.className = "badge " + kind;
  element.textContent = text;
}

function cover(title, text, canTryAgain) {
  byId("cover").hidden = title === undefined;
  if (title === undefined) return;
  byId("cover").classList.toggle("veil", !screen.hidden);
  byId("cover-title").textContent = title;
  byId("cover-text").textContent = text;
  byId("cover-row").hidden = !canTryAgain;
  say(title + ". " + text);
}

function connect() {
  clearTimeout(retryTimer);
  const address = (location.protocol === "https:" ? "wss://" : "ws://") + location.host + base + "/socket" + query + (wantsToDrive ? "&interactive=true" : "");
  const mine = socket = new WebSocket(address);
  let hasOpened = false;
  mine.binaryType = "arraybuffer";
  mine.onopen = () => { hasOpened = true; heardMs = Date.now(); };
  mine.onmessage = (event) => {
    heardMs = Date.now();
    if (typeof event.data === "string") receive(JSON.parse(event.data));
    else draw(event.data);
  };
  mine.onclose = (event) => { if (socket === mine) lost(event.code, hasOpened); };
}

async function lost(code, hadOpened) {
  if (isOver) return;
  if (code === 4001) return ended();
  if (code === 4003) return stopped("Live view is disabled", "This session was created without a live view.");
  if (code === 4008) return stopped("Too many viewers", "This session has reached its viewer limit.");
  if (!hadOpened) {
    const state = await fetch(base + "/state" + query).then((answer) => answer.json()).then((body) => body.state, () => "unreachable");
    if (state === "ended") return ended();
    if (state === "refused") return stopped("Invalid link", "The token is invalid or has expired.");
  }
  attempt += 1;
  const seconds = Math.min(10, Math.pow(2, attempt - 1) / 2);
  badge("warn", "Reconnecting");
  cover("Connection lost", seconds >= 2 ? "Reconnecting in " + seconds + " seconds." : "Reconnecting…", true);
  retryTimer = setTimeout(connect, seconds * 1000);
}

function ended() {
  isOver = true;
  badge("bad", "Ended");
  closeDialogs();
  cover("Session ended", "The browser is closed. If the session was recorded, you can replay it.", false);
  document.title = "Session ended";
}

function stopped(title, text) {
  isOver = true;
  badge("bad", "Not connected");
  cover(title, text, false);
}

function receive(message) {
  switch (message.type) {
    case "hello": return greet(message.mode === "drive");
    case "state": return showState(message);
    case "ended": return ended();
    case "refused": return hint("This link is view-only.");
    case "notice": return hint(message.text);
    case "pointer": return showPointer(message);
    case "choices": return offer(message.choices);
    case "field": return offerField(message.field);
    case "clipboard": return toClipboard(message.text);
  }
}

function greet(mayDrive) {
  attempt = 0;
  isDriving = mayDrive && wantsToDrive;
  document.body.classList.toggle("driving", isDriving);
  for (const element of document.querySelectorAll(".drives")) element.hidden = !isDriving;
  byId("new").hidden = !isDriving;
  byId("address").readOnly = !isDriving;
  byId("keys").tabIndex = isDriving ? 0 : -1;
  badge("good", isDriving ? "In control" : "View only");
  say(isDriving ? "Connected. You control the session." : "Connected. View only.");
  if (wantsToDrive && !mayDrive) hint("This link is view-only.");
}

function showState(state) {
  tabs = state.tabs; shown = state.shown; isLoading = state.isLoading;
  const tab = tabs.find((one) => one.id === shown);
  const address = byId("address");
  if (document.activeElement !== address || !isDriving) address.value = tab ? tab.url : "";
  const title = tab ? tab.title || tab.url : "No tab";
  document.title = title + " \u2013 Live view";
  byId("heading").textContent = title + " \u2013 Live view";
  canvas.setAttribute("aria-label", "Live view of " + title);
  if (title !== announced && !isLoading) { announced = title; say("Showing " + title); }
  const reload = byId("reload");
  reload.classList.toggle("turning", isLoading);
  reload.setAttribute("aria-label", isLoading ? "Stop" : "Reload");
  reload.title = isLoading ? "Stop" : "Reload";
  listTabs();
  ask(state.dialog);
  offerFiles(state.chooser);
}

function listTabs() {
  const list = byId("tabs");
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  list.replaceChildren(...tabs.map((tab) => {
    const item = document.createElement("li");
    const isShown = tab.id === shown;
    item.className = isShown ? "shown" : "";
    const name = document.createElement(isDriving ? "button" : "span");
    name.className = "name";
    name.textContent = tab.title || tab.url;
    name.title = tab.title || tab.url;
    if (isShown) name.setAttribute("aria-current", "true");
    item.append(name);
    if (!isDriving) return item;
    name.type = "button";
    name.dataset.key = "tab " + tab.id;
    name.onclick = () => send({ type: "tab", action: "select", id: tab.id });
    const shut = document.createElement("button");
    shut.type = "button";
    shut.className = "shut";
    shut.dataset.key = "shut " + tab.id;
    shut.setAttribute("aria-label", "Close " + name.textContent);
    shut.innerHTML = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg>';
    shut.onclick = () => send({ type: "tab", action: "close", id: tab.id });
    item.append(shut);
    return item;
  }));
  if (focused) [...list.querySelectorAll("button")].find((one) => one.dataset.key === focused)?.focus();
}

async function draw(buffer) {
  const head = new DataView(buffer);
  const number = head.getUint32(0), width = head.getUint16(4), height = head.getUint16(6);
  let bitmap;
  try { bitmap = await createImageBitmap(new Blob([new Uint8Array(buffer, 8)], { type: "image/jpeg" })); } catch { return; }
  if (canvas.width !== bitmap.width || canvas.height !== bitmap.height) { canvas.width = bitmap.width; canvas.height = bitmap.height; }
  context.drawImage(bitmap, 0, 0);
  bitmap.close();
  send({ type: "painted", frame: number });
  drawn += 1;
  screen.dataset.frames = drawn;
  if (picture.width !== width || picture.height !== height) { picture = { width, height }; fit(); }
  if (screen.hidden) { screen.hidden = false; fit(); }
  if (!isOver) cover(undefined);
}

function fit() {
  if (picture.width === 0) return;
  const style = getComputedStyle(stage);
  const wide = stage.clientWidth - parseFloat(style.paddingLeft) * 2, high = stage.clientHeight - parseFloat(style.paddingTop) * 2;
  const scale = isActualSize ? 1 : Math.min(wide / picture.width, high / picture.height, 2);
  screen.style.width = Math.max(1, Math.round(picture.width * scale)) + "px";
  screen.style.height = Math.max(1, Math.round(picture.height * scale)) + "px";
}

let pointerTimer;
function showPointer({ x, y, cursor, isOwn }) {
  const pointer = byId("pointer");
  clearTimeout(pointerTimer);
  if (isOwn) { canvas.style.cursor = cursor; pointer.setAttribute("hidden", ""); return; }
  pointer.removeAttribute("hidden");
  pointer.style.transform = "translate(" + x * screen.clientWidth + "px, " + y * screen.clientHeight + "px)";
  pointerTimer = setTimeout(() => pointer.setAttribute("hidden", ""), 4000);
}

let hintTimer;
function hint(text) {
  const element = byId("hint");
  element.textContent = text;
  element.hidden = false;
  say(text);
  clearTimeout(hintTimer);
  hintTimer = setTimeout(() => { element.hidden = true; }, 4500);
}

function toClipboard(text) {
  const failed = () => hint("Clipboard access was denied.");
  if (!navigator.clipboard) return failed();
  navigator.clipboard.writeText(text).then(() => hint("Copied"), failed);
}

function closeDialogs() { for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close(); }

function ask(dialog) {
  const element = byId("ask");
  const key = dialog ? JSON.stringify(dialog) : undefined;
  if (key === openDialog) return;
  openDialog = key;
  if (!dialog) { if (element.open) element.close(); return; }
  if (!isDriving) return hint("Message from the page: " + dialog.message);
  byId("ask-title").textContent = dialog.kind === "beforeunload" ? "Leave this page?" : "Message from the page";
  byId("ask-message").textContent = dialog.kind === "beforeunload" ? "Changes you made may not be saved." : dialog.message;
  byId("ask-text").hidden = dialog.kind !== "prompt";
  byId("ask-text").value = dialog.defaultText;
  byId("ask-no").hidden = dialog.kind === "alert";
  element.returnValue = "";
  if (!element.open) element.showModal();
}
byId("ask").addEventListener("close", () => {
  if (openDialog === undefined) return;
  send({ type: "dialog", accept: byId("ask").returnValue === "yes", text: byId("ask-text").value });
});

byId("back").onclick = () => send({ type: "history", step: -1 });
byId("forward").onclick = () => send({ type: "history", step: 1 });
byId("reload").onclick = () => send({ type: isLoading ? "stop" : "reload" });
byId("new").onclick = () => send({ type: "tab", action: "open" });
byId("again").onclick = () => connect();
byId("go").onsubmit = (event) => {
  event.preventDefault();
  const url = byId("address").value.trim();
  if (isDriving && url !== "") { send({ type: "navigate", url }); byId("keys").focus(); }
};
byId("scale").onclick = () => {
  isActualSize = !isActualSize;
  byId("scale").setAttribute("aria-pressed", String(isActualSize));
  fit();
};
new ResizeObserver(fit).observe(stage);
setInterval(() => {
  if (isOver || !socket || socket.readyState !== 1) return;
  if (Date.now() - heardMs > 25000) return socket.close();
  send({ type: "ping" });
}, 8000);
connect();
`;
