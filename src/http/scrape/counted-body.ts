import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { ownerOf } from "../../core/fair-order.ts";
import type { AppEnv } from "../context.ts";
import { UnreadDocuments } from "./unread-documents.ts";

/** Of the isolate. */
const unread = new UnreadDocuments();

/** @throws AppError `RATE_LIMITED` when the clients of the team do not read the answers that they are sent */
export function checkUnread(c: Context<AppEnv>): void {
  unread.checkRoom(c.var.deps.memory, ownerOf(c.var.caller.key));
}

/** Returns the body of a response, which counts as one of the team until its client has read it. */
export function countedBody(c: Context<AppEnv>, text: string): string | ReadableStream<Uint8Array> {
  // The response to HEAD has no body, which nobody would read.
  if (c.req.method === "HEAD") return text;
  const { connection: left, deps, caller } = c.var;
  return unread.bodyOf(text, { memory: deps.memory, owner: ownerOf(caller.key), left });
}

/** Sends the JSON of all handlers as counted bodies. */
export const countLongJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  const { caller } = c.var as Partial<AppEnv["Variables"]>;
  // Requests with a token in their URL have no caller, and short answers.
  if (caller !== undefined) {
    const send = (value: unknown, status?: ContentfulStatusCode, headers: Record<string, string> = {}): Response =>
      c.body(countedBody(c, JSON.stringify(value)), status, { "Content-Type": "application/json", ...headers });
    // The framework's own type tells the types of values apart, of which there are none in the text.
    c.json = send as unknown as typeof c.json;
  }
  await next();
};
