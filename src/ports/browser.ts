import type { Action, ScreenshotOptions } from "../core/scrape/actions.ts";
import type { Owner } from "../core/fair-order.ts";
import type { EngineOutcome } from "../core/scrape/page.ts";

/** A page to be loaded and, where asked for, worked on in a browser. */
export interface BrowserRequest {
  url: string;
  /** Ms since the epoch after which the load is given up with `SCRAPE_TIMEOUT`, waiting for a browser included. */
  deadlineMs: number;
  /** Extra time after the page has settled, in ms. */
  waitForMs: number;
  mobile: boolean;
  /** Sent to the page's own origin only. */
  headers: Record<string, string>;
  /** BCP 47 tags, best first; sets Accept-Language and navigator.languages. */
  languages: readonly string[];
  blockAds: boolean;
  skipTlsVerification: boolean;
  actions: readonly Action[];
  /** Taken last, after the actions. */
  screenshot?: ScreenshotOptions;
  /** Computed styles of the page as it is after the actions. */
  readStyles?: boolean;
  /** The service's own hosts (`host:port`), which pages may not be loaded from. */
  ownHosts: readonly string[];
  /** Whose load it is: where all browsers are in use, teams and their keys take turns. */
  owner?: Owner | undefined;
}

/** Loads pages in a real browser. What it opens it closes; it never throws for what a page does. */
export interface Browser {
  load(request: BrowserRequest): Promise<EngineOutcome>;
}
