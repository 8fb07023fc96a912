import { createStore } from "../parts/store.ts";
import { keep, readStored } from "../parts/kept.ts";
import type { PlaygroundRequest } from "./request/request.ts";

/** A request that was sent, with status and duration. Responses are not stored in the browser. */
export interface PastRequest {
  request: PlaygroundRequest;
  method: string;
  path: string;
  status: number;
  ms: number;
  atMs: number;
}

const NAME = "history";
const MAX_KEPT = 50;

/** Earlier requests of this browser, newest first. */
export const history = createStore<PastRequest[]>(readStored<PastRequest[]>(NAME, []));

export function recordRequest(past: Omit<PastRequest, "atMs">): void {
  const body = Object.fromEntries(Object.entries(past.request.body).filter(([, value]) => !(value instanceof Blob)));
  const entry = { ...past, request: { ...past.request, body }, atMs: Date.now() };
  const next = [entry, ...history.get()].slice(0, MAX_KEPT);
  keep(NAME, next);
  history.set(next);
}

export function forgetHistory(): void {
  keep(NAME, undefined);
  history.set([]);
}

/** Returns the subject of a request for display: its URL, query, prompt, name or ID. */
export function subjectOf({ body, parameters }: PlaygroundRequest): string {
  const subject = body["url"] ?? body["query"] ?? body["prompt"] ?? body["urls"] ?? body["name"] ?? parameters["id"];
  if (Array.isArray(subject)) return subject.length === 1 ? String(subject[0]) : `${subject.length} URLs`;
  return subject === undefined ? "" : String(subject);
}
