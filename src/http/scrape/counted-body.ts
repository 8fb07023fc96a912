import type { Context } from "hono";
import type { AppEnv } from "../context.ts";
import { UnreadDocuments } from "./unread-documents.ts";

/** Of the isolate. */
const unread = new UnreadDocuments();

/** @throws AppError `RATE_LIMITED` when the clients of the team do not read the documents that they are sent */
export function checkUnread(c: Context<AppEnv>): void {
  unread.checkRoom(c.var.caller.key.teamId);
}

/** Returns the body of a response, which counts as one of the team until its client has read it. */
export function countedBody(c: Context<AppEnv>, text: string): string | ReadableStream<Uint8Array> {
  // The response to HEAD has no body, which nobody would read.
  if (c.req.method === "HEAD") return text;
  return unread.bodyOf(text, c.var.caller.key.teamId, c.var.connection);
}
