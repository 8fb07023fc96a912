import { z } from "zod";

/** One tab of a recording. Times in ms since the epoch. */
export const RecordedPage = z.object({
  url: z.string(),
  title: z.string(),
  width: z.number(),
  height: z.number(),
  startMs: z.number(),
  endMs: z.number(),
  /** Documents that the tab has shown. Absent in earlier recordings. */
  titles: z.array(z.object({ atMs: z.number(), url: z.string(), title: z.string() })).optional(),
  segments: z.array(z.object({ startMs: z.number(), endMs: z.number(), frames: z.number(), bytes: z.number() })),
});
export type RecordedPage = z.infer<typeof RecordedPage>;

/** Manifest of a recording; stored beside its frames and rewritten with each segment. */
export const RecordingManifest = z.object({
  sessionId: z.string(),
  teamId: z.string(),
  /** Token of the replay URL. */
  playToken: z.string(),
  startedMs: z.number(),
  /** Undefined while recording. */
  endedMs: z.number().optional(),
  pages: z.array(RecordedPage),
  /** `chars`: of all entries, as JSON. Absent in earlier recordings. */
  network: z.object({ segments: z.number(), entries: z.number(), chars: z.number().optional() }),
  /** True when a size limit cut the recording. */
  isCut: z.boolean().default(false),
});
export type RecordingManifest = z.infer<typeof RecordingManifest>;

/** Records sessions. */
export interface Recordings {
  start(sessionId: string, recording: { teamId: string; browserId: string }): Promise<void>;
  /** Stores the rest of the recording and ends it. Does nothing for a session that is not recorded. */
  finish(sessionId: string): Promise<void>;
}
