import { createStore } from "../parts/store.ts";
import { keep, readKept } from "../parts/kept.ts";
import type { PlaygroundRequest } from "./request.ts";

/** A request that was sent, and how it went. Answers are not kept: the service keeps them for its own time. */
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

/** Newest first, in this browser alone. */
export const history = createStore<PastRequest[]>(readKept<PastRequest[]>(NAME, []));

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

/** What a request was about, in a few words. */
export function subjectOf({ body, parameters }: PlaygroundRequest): string {
  const subject = body["url"] ?? body["query"] ?? body["prompt"] ?? body["urls"] ?? body["name"] ?? parameters["id"];
  if (Array.isArray(subject)) return subject.length === 1 ? String(subject[0]) : `${subject.length} pages`;
  return subject === undefined ? "" : String(subject);
}
