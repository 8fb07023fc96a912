/** What a viewer's token lets it do. */
export type ViewerMode = "view" | "drive";

/** What a browser tells over HTTP about itself (the endpoints of Chrome's remote debugging). */
export type BrowserFacts = "version" | "list" | "protocol";

/** Ways into the browser of a session, for those whose token was checked. */
export interface SessionConnector {
  /**
   * A connection that speaks the Chrome DevTools Protocol with the browser, or with one of its pages.
   * Undefined when there is no such browser or page any more.
   */
  connect(browserId: string, targetId?: string): Promise<WebSocket | undefined>;
  facts(browserId: string, what: BrowserFacts): Promise<unknown>;
  /** Hands a request for a socket to the session's live view. */
  view(sessionId: string, viewer: { browserId: string; mode: ViewerMode }): Promise<Response>;
  /**
   * The platform's own live view, where it has one: an address that may be opened within the next minutes.
   * Undefined elsewhere.
   */
  nativeView(browserId: string, mode: ViewerMode): Promise<string | undefined>;
}
