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
