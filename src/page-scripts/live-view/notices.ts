import { byId } from "../page/by-id.ts";

const HINT_MS = 4_500;

let hintTimer: number | undefined;

/** Announces a text to users of screen readers. */
export function say(text: string): void {
  byId("status").textContent = text;
}

/** Shows the state of the connection. */
export function badge(kind: "good" | "warn" | "bad", text: string): void {
  const element = byId("badge");
  element.className = `badge ${kind}`;
  element.textContent = text;
}

/** Covers the picture with a message. */
export function cover(title: string, text: string, { canTryAgain = false } = {}): void {
  byId("cover").hidden = false;
  byId("cover").classList.toggle("veil", !byId("screen").hidden);
  byId("cover-title").textContent = title;
  byId("cover-text").textContent = text;
  byId("cover-row").hidden = !canTryAgain;
  say(`${title}. ${text}`);
}

/** Shows the picture. */
export function uncover(): void {
  byId("cover").hidden = true;
}

/** Shows a text for some seconds. */
export function hint(text: string): void {
  const element = byId("hint");
  element.textContent = text;
  element.hidden = false;
  say(text);
  clearTimeout(hintTimer);
  hintTimer = setTimeout(() => {
    element.hidden = true;
  }, HINT_MS);
}
