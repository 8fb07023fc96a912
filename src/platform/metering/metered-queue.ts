import type { Meter } from "../../core/account/meter.ts";
import { overriding } from "./overriding.ts";

/** Returns the queue with a meter, which counts the messages that are sent. */
export function meteredQueue<Body>(queue: Queue<Body>, meter: Meter): Queue<Body> {
  return overriding<Queue<Body>>(queue, {
    send: (message, options) => {
      meter.add("queueMessages");
      return queue.send(message, options);
    },
    sendBatch: (messages, options) => {
      const batch = [...messages];
      meter.add("queueMessages", batch.length);
      return queue.sendBatch(batch, options);
    },
  });
}
