import { byId } from "../page/by-id.ts";

/** Covers the picture with a message. */
export function cover(title: string, text: string): void {
  byId("cover").hidden = false;
  byId("cover-title").textContent = title;
  byId("cover-text").textContent = text;
  byId("status").textContent = `${title}. ${text}`;
}

/** Shows the picture. */
export function uncover(): void {
  byId("cover").hidden = true;
}

/** Shows the state of the recording. */
export function badge(kind: "" | "good" | "bad", text: string): void {
  byId("badge").className = `badge ${kind}`;
  byId("badge").textContent = text;
}
