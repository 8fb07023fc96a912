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

interface Badge {
  kind: "" | "good" | "bad";
  text: string;
}

let state: Badge = { kind: "", text: "" };

/** Shows the state of the recording. */
export function badge(kind: Badge["kind"], text: string): void {
  state = { kind, text };
  showBadge(state);
}

/** Shows a failure instead of the state of the recording, until there is none. */
export function showFailure(text: string | undefined): void {
  showBadge(text === undefined ? state : { kind: "bad", text });
}

function showBadge({ kind, text }: Badge): void {
  byId("badge").className = `badge ${kind}`;
  byId("badge").textContent = text;
}
