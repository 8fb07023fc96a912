/** Manifest of a recording; stored beside its frames and rewritten with each segment. */
export interface RecordingManifest {
  sessionId: string;
  teamId: string;
  /** Token of the replay URL. */
  playToken: string;
  startedMs: number;
  /** Undefined while recording. */
  endedMs: number | undefined;
  pages: RecordedPage[];
  network: { segments: number; entries: number };
  /** True when a size limit cut the recording. */
  isCut: boolean;
}

/** One tab of a recording. Times in ms since the epoch. */
export interface RecordedPage {
  url: string;
  title: string;
  width: number;
  height: number;
  startMs: number;
  endMs: number;
  segments: { startMs: number; endMs: number; frames: number; bytes: number }[];
}

/** Records sessions. */
export interface Recordings {
  start(sessionId: string, recording: { teamId: string; browserId: string }): Promise<void>;
  /** Stores the rest of the recording and ends it. Does nothing for a session that is not recorded. */
  finish(sessionId: string): Promise<void>;
}
