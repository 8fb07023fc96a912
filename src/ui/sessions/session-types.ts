/** A browser session as the service lists it (`BrowserSession`); its addresses are the permission to watch and drive. */
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

/** A recording (`BrowserReplay`). */
export interface Replay {
  pages: { pageId: string; pageUrl: string; title?: string; startTimeMs: number; endTimeMs: number }[];
  playerUrl?: string;
  networkUrl?: string;
  isRecording?: boolean;
}

/** Answers name the address that the service sees; a frame may show pages of the dashboard's own address only. */
export function onOwnOrigin(url: string): string {
  if (!URL.canParse(url)) return "about:blank";
  const { pathname, search } = new URL(url);
  return `${location.origin}${pathname}${search}`;
}
