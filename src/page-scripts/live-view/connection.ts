import { VIEW_CLOSE, type ViewMessage } from "../../sessions/live-view/view-message.ts";
import type { ViewerMessage } from "../../sessions/live-view/viewer-message.ts";
import { byId } from "../page/by-id.ts";
import { BASE, QUERY, WANTS_TO_DRIVE } from "../page/page-url.ts";
import { badge, cover } from "./notices.ts";

const PING_INTERVAL_MS = 8_000;
/** Silence after which the connection is considered lost. */
const MAX_SILENCE_MS = 25_000;
const MAX_RETRY_SECONDS = 10;

/** Receives the messages and frames of the live view. */
export interface ViewListener {
  receive(message: ViewMessage): void;
  draw(frame: ArrayBuffer): Promise<void>;
}

let socket: WebSocket | undefined;
let hasEnded = false;
let attempt = 0;
let retryTimer: number | undefined;
let heardMs = 0;

/** Sends a message. @returns false if the connection is not open */
export function send(message: ViewerMessage): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(message));
  return true;
}

/** Returns the number of bytes that are not sent yet. */
export function bufferedBytes(): number {
  return socket?.bufferedAmount ?? 0;
}

/** True after the session has ended or refused the viewer: the page does not reconnect. */
export function isOver(): boolean {
  return hasEnded;
}

/** Opens the connection, and keeps it open until the session ends. */
export function keepConnected(listener: ViewListener): void {
  byId("again").addEventListener("click", () => connect(listener));
  setInterval(() => {
    if (hasEnded || socket?.readyState !== WebSocket.OPEN) return;
    if (Date.now() - heardMs > MAX_SILENCE_MS) return socket.close();
    send({ type: "ping" });
  }, PING_INTERVAL_MS);
  connect(listener);
}

/** Notes that the session has accepted the viewer: the next loss is the first one again. */
export function noteWelcome(): void {
  attempt = 0;
}

/** Shows that the session has ended. */
export function showEnd(): void {
  hasEnded = true;
  badge("bad", "Ended");
  for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
  cover("Session ended", "The browser is closed. If the session was recorded, you can replay it.");
  document.title = "Session ended";
}

function connect(listener: ViewListener): void {
  clearTimeout(retryTimer);
  const origin = `${location.protocol === "https:" ? "wss://" : "ws://"}${location.host}`;
  const opened = new WebSocket(`${origin}${BASE}/socket${QUERY}${WANTS_TO_DRIVE ? "&interactive=true" : ""}`);
  let hasOpened = false;
  socket = opened;
  opened.binaryType = "arraybuffer";
  opened.addEventListener("open", () => {
    hasOpened = true;
    heardMs = Date.now();
  });
  opened.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
    heardMs = Date.now();
    if (typeof data !== "string") return void listener.draw(data);
    // The service's own messages: hence the cast without a parse.
    listener.receive(JSON.parse(data) as ViewMessage);
  });
  opened.addEventListener("close", ({ code }) => {
    if (socket === opened) void lose(listener, { code, hasOpened });
  });
}

async function lose(listener: ViewListener, { code, hasOpened }: { code: number; hasOpened: boolean }): Promise<void> {
  if (hasEnded) return;
  if (code === VIEW_CLOSE.ended) return showEnd();
  if (code === VIEW_CLOSE.notShown)
    return stop("Live view is disabled", "This session was created without a live view.");
  if (code === VIEW_CLOSE.tooMany) return stop("Too many viewers", "This session has reached its viewer limit.");
  if (!hasOpened) {
    const state = await sessionState();
    if (state === "ended") return showEnd();
    if (state === "refused") return stop("Invalid link", "The token is invalid or has expired.");
  }
  attempt += 1;
  const seconds = Math.min(MAX_RETRY_SECONDS, 2 ** (attempt - 1) / 2);
  badge("warn", "Reconnecting");
  const text = seconds >= 2 ? `Reconnecting in ${seconds} seconds.` : "Reconnecting…";
  cover("Connection lost", text, { canTryAgain: true });
  retryTimer = setTimeout(() => connect(listener), seconds * 1_000);
}

/** Returns the state that the service reports; the browser does not tell why it could not open a WebSocket. */
async function sessionState(): Promise<string> {
  try {
    const response = await fetch(`${BASE}/state${QUERY}`);
    const { state } = (await response.json()) as { state: string };
    return state;
  } catch {
    return "unreachable";
  }
}

function stop(title: string, text: string): void {
  hasEnded = true;
  badge("bad", "Not connected");
  cover(title, text);
}
