import type { EgressChoice } from "../core/egress-routes.ts";
import type { Owner } from "../core/fair-order.ts";
import type { WaitLimit } from "../core/waits/wait-for-grant.ts";
import type { Action, ScreenshotOptions } from "../core/scrape/actions.ts";
import type { ProfileState } from "../core/sessions/profile.ts";
import type { EngineName, EngineOutcome, PageNeed } from "../core/scrape/page.ts";

/** A page to be loaded, with everything that changes what comes back. */
export interface PageRequest {
  url: string;
  /** Ms since the epoch after which the load is given up. */
  deadlineMs: number;
  waitForMs: number;
  mobile: boolean;
  headers: Record<string, string>;
  /** BCP 47 tags, best first. */
  languages: readonly string[];
  blockAds: boolean;
  skipTlsVerification: boolean;
  /** Take what the first engine brings, without looking whether scripts would add to it. */
  fastMode: boolean;
  actions: readonly Action[];
  screenshot: ScreenshotOptions | undefined;
  needs: ReadonlySet<PageNeed>;
  /** True when some of what is asked for can also be had of a file, such as a PDF, which no browser shows as a page. */
  acceptsFile?: boolean;
  ownHosts: readonly string[];
  /** Cookies and storage that the load carries to the origins they belong to. */
  profile?: ProfileState | undefined;
  /** Whose load it is, where loads have to take turns. */
  owner?: Owner | undefined;
  /** Reports whether more of a large body may be read now: too many loaded pages of the owner may wait. */
  hasRoom?: (() => boolean) | undefined;
  /** When the loaded page stops waiting for its conversion. */
  waitLimit?: WaitLimit | undefined;
  /** The egress routes of the load; without them, or without any, it leaves directly. */
  egress?: EgressChoice;
  /** True when the caller loads the page again after a temporary status, so that one response with it is enough. */
  isRetriedLater?: boolean;
  /** Validators of an earlier response, for plain requests: the site answers 304 when it would send the same. */
  validators?: { etag?: string | undefined; lastModified?: string | undefined };
}

/** A way to load pages. It never throws for what a page does: the outcome says what came of it. */
export interface Engine {
  readonly engine: EngineName;
  /** Extra outputs that it can return with the page. */
  readonly provides: ReadonlySet<PageNeed>;
  /** The egress route that it uses, and how many endpoints that has; absent for the direct way. */
  readonly route?: { name: string; endpoints: number };
  load(request: PageRequest): Promise<EngineOutcome>;
}
