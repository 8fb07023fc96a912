import { createStoredList } from "../parts/stored-list.ts";
import { hrefOf } from "../routes.ts";
import type { PlaygroundRequest } from "./request/request.ts";

/** A request that was sent, with status and duration. Responses are not stored in the browser. */
export interface PastRequest {
  /** ID of the run in the URL of its response. */
  id: string;
  request: PlaygroundRequest;
  method: string;
  path: string;
  status: number;
  ms: number;
  atMs: number;
  /** Path at which the service returns the response again, free of charge. */
  storedPath?: string | undefined;
}

const MAX_KEPT = 50;
const ID_BYTES = 4;

/** Earlier requests of this browser, newest first. */
export const history = createStoredList<PastRequest>("history", (past) => ({
  ...past,
  id: past.id ?? String(past.atMs),
}));

/** Adds a request to the history. @returns the ID of the run. */
export function recordRequest(past: Omit<PastRequest, "atMs" | "id">): string {
  const body = Object.fromEntries(Object.entries(past.request.body).filter(([, value]) => !(value instanceof Blob)));
  const id = randomId();
  const entry = { ...past, id, request: { ...past.request, body }, atMs: Date.now() };
  history.change((past) => [entry, ...past].slice(0, MAX_KEPT));
  return id;
}

/** Returns 8 hexadecimal digits. Plain HTTP has no `crypto.randomUUID`. */
function randomId(): string {
  const bytes = [...crypto.getRandomValues(new Uint8Array(ID_BYTES))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Returns the link to a run: its request and, while it is kept, its response. */
export function runLink({ id, request }: Pick<PastRequest, "id" | "request">): string {
  return hrefOf("playground", undefined, { op: request.operation, run: id });
}

export function forgetHistory(): void {
  history.set([]);
}

/** Returns the subject of a request for display: its URL, query, prompt, name or ID. */
export function subjectOf({ body, parameters }: PlaygroundRequest): string {
  const subject = body["url"] ?? body["query"] ?? body["prompt"] ?? body["urls"] ?? body["name"] ?? parameters["id"];
  if (Array.isArray(subject)) return subject.length === 1 ? String(subject[0]) : `${subject.length} URLs`;
  return subject === undefined ? "" : String(subject);
}
