import { isAppError } from "../../core/errors.ts";
import type { GrowingBytes } from "../../core/waits/growing-bytes.ts";
import type { Http, OutboundOutcome, OutboundRequest, OutboundResponse } from "../../ports/outbound/http.ts";

/** Bytes that a request counts as from its beginning. A body of up to 1 MB is read without asking for more. */
const SMALL_BYTES = 100_000;
const EMPTY = new Uint8Array(0);

interface Counting {
  memory: GrowingBytes;
  /** Ms since the epoch at which the wait for memory ends. */
  deadlineMs: number;
  /** Returns the request, when there is memory for it. */
  toRequest(): OutboundRequest & { maxBodyBytes: number };
}

/**
 * Sends a request when there is memory for a small body; a large one is read when there is memory for the largest. The body of
 * the response counts until `dropBody`. Fails with `SCRAPE_TIMEOUT` when there is none in time.
 */
export async function requestCounted(
  http: Http,
  { memory, deadlineMs, toRequest }: Counting,
): Promise<OutboundOutcome> {
  let counted = SMALL_BYTES;
  let kept = 0;
  memory.add(counted);
  let isSent = false;
  try {
    await memory.wait(deadlineMs);
    isSent = true;
    const request = toRequest();
    const hasRoom = (): boolean => {
      const more = Math.max(0, request.maxBodyBytes - counted);
      if (more > 0 && !memory.tryAdd(more)) return false;
      counted += more;
      return true;
    };
    const outcome = await http.request({ ...request, hasRoom });
    if (outcome.kind === "response") kept = outcome.response.body.byteLength;
    return outcome;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { kind: "failed", code: error.code, message: error.message, ...(isSent ? {} : { isUnsent: true }) };
  } finally {
    memory.add(kept - counted);
  }
}

/** Releases the body of a response. May be called twice. */
export function dropBody(response: OutboundResponse, memory: GrowingBytes): void {
  const { byteLength } = response.body;
  response.body = EMPTY;
  memory.add(-byteLength);
}
