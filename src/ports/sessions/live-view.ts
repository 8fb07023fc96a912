/** Access that a viewer's token grants. */
export type ViewerMode = "view" | "drive";

/** HTTP endpoints of Chrome's remote debugging that describe a browser. */
export type BrowserFacts = "version" | "list" | "protocol";

/** Opens connections to a session's browser. The caller has checked the token. */
export interface SessionConnector {
  /**
   * Opens a Chrome DevTools Protocol connection to the browser or to one of its pages.
   * Undefined when the browser or page no longer exists.
   */
  connect(browserId: string, targetId?: string): Promise<WebSocket | undefined>;
  /** Undefined when the browser no longer exists. @throws AppError SERVICE_UNAVAILABLE when it does not answer in time */
  facts(browserId: string, what: BrowserFacts): Promise<unknown>;
  /** Forwards a WebSocket request to the session's live view. */
  view(sessionId: string, viewer: { browserId: string; mode: ViewerMode }): Promise<Response>;
  /**
   * Returns the URL of the platform's own live view, valid for a few minutes.
   * Undefined where the platform has none.
   */
  nativeView(browserId: string, mode: ViewerMode): Promise<string | undefined>;
}
