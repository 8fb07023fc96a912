import type { Action, ScreenshotOptions } from "../core/scrape/actions.ts";
import type { Owner } from "../core/fair-order.ts";
import type { ProfileState } from "../core/sessions/profile.ts";
import type { EngineOutcome } from "../core/scrape/page.ts";

/** A page to load in a browser, with optional actions. */
export interface BrowserRequest {
  url: string;
  /** Ms since the epoch after which the load fails with `SCRAPE_TIMEOUT`; includes the wait for a browser. */
  deadlineMs: number;
  /** Extra time after the page has settled, in ms. */
  waitForMs: number;
  mobile: boolean;
  /** Sent only to the page's own origin. */
  headers: Record<string, string>;
  /** BCP 47 tags, best first; sets Accept-Language and navigator.languages. */
  languages: readonly string[];
  blockAds: boolean;
  skipTlsVerification: boolean;
  actions: readonly Action[];
  /** Taken last, after the actions. */
  screenshot?: ScreenshotOptions;
  /** Reads computed styles of the page after the actions. */
  readStyles?: boolean;
  /** The service's own hosts (`host:port`), from which no page may be loaded. */
  ownHosts: readonly string[];
  /** Cookies and storage that the page's browser context begins with. */
  profile?: ProfileState;
  /** Owner of the load: when all browsers are in use, teams and their keys are served in turn. */
  owner?: Owner | undefined;
}

/** Loads pages in a real browser. Closes all that it opens; page failures are returned, never thrown. */
export interface Browser {
  load(request: BrowserRequest): Promise<EngineOutcome>;
}
