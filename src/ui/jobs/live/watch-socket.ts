import { keys } from "../../api/keys.ts";
import type { CrawlStatus } from "../crawl-types.ts";
import type { ShownDocument } from "../../playground/response/documents.ts";

export interface SocketEvents {
  /** Receives the status and pages of the crawl when the socket opens. */
  onCatchUp: (status: CrawlStatus) => void;
  onDocument: (document: ShownDocument) => void;
  /** Called when the socket closes. `isDone` is true if the crawl has ended. */
  onEnd: (reason: { isDone: boolean; error: string | undefined }) => void;
}

/**
 * Watches a crawl or batch over the WebSocket at the path of its status (api-contract.md, “Job WebSocket”). Browsers cannot set headers of a WebSocket, so
 * the key is sent as the subprotocol. @returns a function that stops watching.
 */
export function watchSocket(path: string, events: SocketEvents): () => void {
  const key = keys.get()?.key ?? "";
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const socket = key === "" ? new WebSocket(url) : new WebSocket(url, key);
  let isStopped = false;
  socket.addEventListener("message", ({ data }) => {
    if (typeof data !== "string") return;
    const message = JSON.parse(data) as { type: string; data: unknown };
    if (message.type === "catchup") events.onCatchUp(message.data as CrawlStatus);
    if (message.type === "document") events.onDocument(message.data as ShownDocument);
  });
  socket.addEventListener("close", ({ reason }) => {
    if (!isStopped) events.onEnd(readReason(reason));
  });
  return () => {
    isStopped = true;
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
