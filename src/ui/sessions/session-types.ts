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
}

/** A recording (`BrowserReplay` in the OpenAPI document). */
export interface Replay {
  pages: { pageId: string; pageUrl: string; title?: string; startTimeMs: number; endTimeMs: number }[];
  playerUrl?: string;
  networkUrl?: string;
  isRecording?: boolean;
}

/** Returns a URL of the service with the dashboard's origin, the only one that the frame policy allows. */
export function onOwnOrigin(url: string): string {
  if (!URL.canParse(url)) return "about:blank";
  const { pathname, search } = new URL(url);
  return `${location.origin}${pathname}${search}`;
}
