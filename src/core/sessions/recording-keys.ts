import { uuidTimeMs } from "../text/uuid-time.ts";
import { dayKey } from "../account/day-key.ts";

export const RECORDINGS = "recordings/";

/**
 * Returns the folder of a session's recording. Session ids contain a time (UUID version 7, RFC 9562 § 5.7), which gives
 * the day by which recordings expire. Undefined for any other id.
 */
export function recordingFolder(sessionId: string): string | undefined {
  const startedMs = uuidTimeMs(sessionId);
  return startedMs === undefined ? undefined : `${RECORDINGS}${dayKey(startedMs)}/${sessionId}/`;
}

/** Object names within the folder. */
export const recordingKeys = {
  manifest: (folder: string) => `${folder}manifest.json`,
  film: (folder: string, pageId: number, index: number) => `${folder}film/${pageId}/${index}.m4s`,
  network: (folder: string, index: number) => `${folder}network/${index}.ndjson`,
};
