import type { Owner } from "../fair-order.ts";
import { AppError, isAppError } from "../errors.ts";
import type { HeldBytes } from "./held-bytes.ts";

/** Shorter bodies and files are not counted. */
export const SHORT_BYTES = 65_536;
/** Ms that a file waits for room. A client may take as long to send it. */
export const FILE_WAIT_MS = 300_000;
const RETRY_SECONDS = 5;
const NO_ROOM = "Other requests of this team hold too much memory. Wait for their answers before sending more.";

interface RoomWait {
  /** Ms that room is waited for. */
  waitMs: number;
  /** Aborted when the client has left, which ends the wait and frees the room. */
  left?: AbortSignal | undefined;
}

/**
 * Waits for room for what a request is about to read.
 * @returns a function that frees it, which may be called twice
 * @throws AppError `RATE_LIMITED` when there is none in time, `SCRAPE_TIMEOUT` when the client has left
 */
export async function takeRoom(
  memory: Pick<HeldBytes, "take">,
  owner: Owner,
  bytes: number,
  { waitMs, left }: RoomWait,
): Promise<() => void> {
  try {
    return await memory.take(owner, bytes, { deadlineMs: Date.now() + waitMs, left });
  } catch (error) {
    if (left?.aborted === true || !isAppError(error) || error.code !== "SCRAPE_TIMEOUT") throw error;
    throw new AppError("RATE_LIMITED", NO_ROOM, { retryAfterSeconds: RETRY_SECONDS });
  }
}
