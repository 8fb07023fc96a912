/** A session as the service lists it (`BrowserSession`). Its URLs contain the tokens to watch and control it. */
export interface Session {
  id: string;
  status: "active" | "destroyed";
  liveViewUrl: string;
  interactiveLiveViewUrl: string;
  cdpUrl: string;
  streamWebView: boolean;
  createdAt: string;
  lastActivity: string;
  expiresAt: string;
  name?: string;
  profile?: string;
  recordSession: boolean;
  viewport?: Viewport;
}

/** The answer to the deletion of a session (`DeletedBrowser`). */
export interface ClosedSession {
  /** Absent if the session had ended before. */
  creditsBilled?: number;
  /** Warning about parts of the profile that were not saved. */
  warning?: string;
}

export type ProfileOutcome = "saved" | "warned" | "not saved" | "unknown";

/**
 * Returns what has become of the profile of a session that has ended: it is saved only when the session is deleted.
 * @param closed the answer to the deletion in this view; undefined if the session has ended for another reason
 * @param wasActive false if the session had ended before the view opened
 */
export function profileOutcome(closed: ClosedSession | undefined, wasActive: boolean): ProfileOutcome {
  if (closed === undefined) return wasActive ? "not saved" : "unknown";
  if (closed.warning !== undefined) return "warned";
  return closed.creditsBilled === undefined ? "not saved" : "saved";
}

/** Size of a session's pages in CSS pixels. */
export interface Viewport {
  width: number;
  height: number;
}

/** A recording (`BrowserReplay` in the OpenAPI document). */
export interface Replay {
  pages: { pageId: string; pageUrl: string; title?: string; startTimeMs: number; endTimeMs: number }[];
  playerUrl?: string;
  networkUrl?: string;
  isRecording?: boolean;
}

/** Returns the name of a session, or a short form of its ID. */
export function nameOf({ id, name }: Pick<Session, "id" | "name">): string {
  return name ?? `Session ${id.slice(0, 8)}`;
}

/** Returns a URL of the service with the dashboard's origin, the only one that the frame policy allows. */
export function onOwnOrigin(url: string): string {
  if (!URL.canParse(url)) return "about:blank";
  const { pathname, search } = new URL(url);
  return `${location.origin}${pathname}${search}`;
}
