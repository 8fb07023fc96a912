import { keys } from "../api/keys.ts";
import type { CrawlStatus } from "./crawl-types.ts";
import type { ShownDocument } from "../playground/documents.ts";

export interface SocketEvents {
  /** Where the crawl stood when the socket opened, with the pages it had by then. */
  onCatchUp: (status: CrawlStatus) => void;
  onDocument: (document: ShownDocument) => void;
  /** `done` when the crawl has ended; otherwise why the socket closed. */
  onEnd: (reason: { isDone: boolean; error: string | undefined }) => void;
}

/**
 * Watches a crawl over its WebSocket (api-contract.md, “Job WebSocket”). A browser's socket can send no header, so the
 * key goes as the
 * sub-protocol. @returns a function that stops watching.
 */
export function watchSocket(id: string, events: SocketEvents): () => void {
  const key = keys.get()?.key ?? "";
  const url = new URL(`/v2/crawl/${id}`, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = key === "" ? new WebSocket(url) : new WebSocket(url, key);
  let isLeft = false;
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return;
    const message = JSON.parse(data) as { type: string; data: unknown };
    if (message.type === "catchup") events.onCatchUp(message.data as CrawlStatus);
    if (message.type === "document") events.onDocument(message.data as ShownDocument);
  });
  socket.addEventListener("close", ({ reason }) => {
    if (!isLeft) events.onEnd(readReason(reason));
  });
  return () => {
    isLeft = true;
    socket.close();
  };
}

function readReason(text: string): { isDone: boolean; error: string | undefined } {
  try {
    const { type, error } = JSON.parse(text) as { type?: string; error?: string };
    return { isDone: type === "done", error };
  } catch {
    return { isDone: false, error: undefined };
  }
}
