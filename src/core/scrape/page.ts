import type { ErrorCode } from "../errors.ts";
import type { PageStyles } from "./page-styles.ts";

/** How a page was loaded. */
export type EngineName = "cache" | "fetch" | "browser" | "upload";

/** A file that belongs to a result: a screenshot or a PDF made of the page. */
export interface PageFile {
  bytes: Uint8Array;
  contentType: string;
}

/** What the actions of a request brought back, in the order in which they ran. */
export interface ActionResults {
  screenshots: PageFile[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  pdfs: PageFile[];
}

/** A page as an engine loaded it, before anything is read out of it. */
export interface LoadedPage {
  engine: EngineName;
  /** Final URL, after redirects. */
  url: string;
  statusCode: number;
  /** Header names in lower case. */
  headers: Record<string, string>;
  contentType: string | undefined;
  /** The body as it came over the wire, or the rendered HTML of a browser. */
  body: Uint8Array | string;
  /** Of an upload, which has no URL to tell its type by. */
  fileName?: string;
  screenshot?: PageFile;
  /** Computed styles, when they were asked for. */
  styles?: PageStyles;
  actions?: ActionResults;
  /** IANA name, known when a browser loaded the page. */
  timezone?: string;
  /** Set for pages out of the cache: when it was stored, in ms since the epoch. */
  cachedAtMs?: number;
  /** How long the request waited for a browser, in ms. */
  queuedMs?: number;
  /** How long a browser was held, in ms. */
  browserMs?: number;
  /** Set when the transfer of the page broke off. */
  isIncomplete?: boolean;
  /** What could not be done as asked, in words for the caller. */
  warnings: string[];
}

/** What a request needs from the engine that loads its page. */
export type PageNeed = "browser" | "screenshot" | "actions" | "branding";

/** One engine's turn: what came of it and, when it was not enough, what it lacked. */
export interface Attempt {
  engine: EngineName;
  outcome: "loaded" | "insufficient" | "failed";
  /** A short reason such as `app_shell` or an error code; absent for `loaded`. */
  reason?: string;
  ms: number;
}

/** The end of one engine's turn. Expected turns are values, not exceptions. */
export type EngineOutcome =
  | { kind: "loaded"; page: LoadedPage }
  | { kind: "insufficient"; reason: string; page?: LoadedPage }
  | { kind: "failed"; code: ErrorCode; message: string; cause?: unknown };
