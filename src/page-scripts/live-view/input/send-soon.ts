import type { ViewerMessage } from "../../../sessions/live-view/viewer-message.ts";
import { send } from "../connection.ts";

const waiting = new Map<string, ViewerMessage>();
let isQueued = false;

/** Sends only the latest message of each kind once per animation frame, because moves are frequent. */
export function sendSoon(message: ViewerMessage): void {
  const before = waiting.get(message.type);
  const isMore = message.type === "wheel" && before?.type === "wheel";
  waiting.set(
    message.type,
    isMore ? { ...message, deltaX: message.deltaX + before.deltaX, deltaY: message.deltaY + before.deltaY } : message,
  );
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(flush);
}

/** Sends the waiting messages now, before a message that they must not follow. */
export function flush(): void {
  isQueued = false;
  const messages = [...waiting.values()];
  waiting.clear();
  for (const message of messages) send(message);
}
