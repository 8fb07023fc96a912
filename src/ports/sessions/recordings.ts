/** What a recording says about itself; kept beside its pictures and written anew with each part of it. */
export interface RecordingManifest {
  sessionId: string;
  teamId: string;
  /** The permission to replay it, as part of an address. */
  playToken: string;
  startedMs: number;
  /** Undefined while it goes on. */
  endedMs: number | undefined;
  pages: RecordedPage[];
  network: { segments: number; entries: number };
  /** Something was left out, because it became too much. */
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

/** Films sessions. */
export interface Recordings {
  start(sessionId: string, recording: { teamId: string; browserId: string }): Promise<void>;
  /** Writes down what there is so far, and ends. Nothing happens for a session that is not recorded. */
  finish(sessionId: string): Promise<void>;
}
