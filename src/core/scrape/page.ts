import type { ErrorCode } from "../errors.ts";
import type { PageStyles } from "./page-styles.ts";

/** The engine that loaded a page. */
export type EngineName = "cache" | "fetch" | "browser" | "upload";

/** A file that belongs to a result: a screenshot or a PDF made of the page. */
export interface PageFile {
  bytes: Uint8Array;
  contentType: string;
}

/** Results of a request's actions, in the order in which they ran. */
export interface ActionResults {
  screenshots: PageFile[];
  scrapes: { url: string; html: string }[];
  javascriptReturns: { type: string; value: unknown }[];
  pdfs: PageFile[];
}

/** HTTP status of a page that has not changed since the validators of its request (RFC 9110 § 15.4.5). */
export const NOT_MODIFIED = 304;

/** Part of a page (RFC 9110 § 15.3.7), which was not asked for. */
export const PARTIAL_CONTENT = 206;

/**
 * Reports whether a response has the whole content of a page: not an error, a redirect that leads nowhere, "not modified", "no
 * content", "reset content" or a part.
 */
export function hasContent(statusCode: number): boolean {
  return statusCode >= 200 && statusCode < 300 && ![204, 205, PARTIAL_CONTENT].includes(statusCode);
}

/** Reports whether a page costs no credit for its status: an error of the server, or a redirect to nowhere. */
export function isFreeStatus(statusCode: number): boolean {
  return statusCode >= 500 || (statusCode >= 300 && statusCode < 400);
}

/** A page as loaded by an engine, before any format is derived. */
export interface LoadedPage {
  engine: EngineName;
  /** Final URL, after redirects. */
  url: string;
  statusCode: number;
  /** Header names in lower case. */
  headers: Record<string, string>;
  contentType: string | undefined;
  /** The response body, or the rendered HTML of a browser. */
  body: Uint8Array | string;
  /** File name of an upload, which has no URL from which to derive its type. */
  fileName?: string;
  screenshot?: PageFile;
  /** Computed styles, when requested. */
  styles?: PageStyles;
  actions?: ActionResults;
  /** IANA name, known when a browser loaded the page. */
  timezone?: string;
  /** Storage time of a cached page, in ms since the epoch. */
  cachedAtMs?: number;
  /** Time that the request waited for a browser, in ms. */
  queuedMs?: number;
  /** Time that loads of the page waited for a connection, in ms; its deadline has moved by it. */
  waitedMs?: number;
  /** Time that a browser was held for the page, in ms, as its receipt counts it: from the connection to the end of the load. */
  browserMs?: number;
  /** Endpoint of the egress route that brought the page; absent for the direct way. */
  proxy?: string;
  /** `stealth`, or the name of the route, which `metadata.egressRoute` has; absent for the direct way. */
  proxyUsed?: string;
  /** True when the transfer of the page was interrupted. */
  isIncomplete?: boolean;
  /** Options without effect and incomplete results, as text for the caller. */
  warnings: string[];
}

/** Prefix of the reason of a browser that got something else than HTML; its media type follows. */
export const NOT_HTML = "not_html:";
/** Reason of a browser that got a response to be saved (`Content-Disposition: attachment`). */
export const DOWNLOAD = "download";

/** Warning of a file that was asked for with options for a browser. */
export const READ_AS_FILE =
  "The browser received a file instead of a page, and the file was read without it: waitFor, screenshot and frames had no effect.";

/** Capability that a request needs from the engine. */
export type PageNeed = "browser" | "screenshot" | "actions" | "branding";

/**
 * Outcome of an attempt. Expected failures are values, not exceptions. `waitedMs` is the time by which the deadline has
 * moved, because the load waited for a connection.
 */
export type EngineOutcome =
  | { kind: "loaded"; page: LoadedPage }
  | { kind: "insufficient"; reason: string; page?: LoadedPage; waitedMs?: number; proxy?: string }
  | {
      kind: "failed";
      code: ErrorCode;
      message: string;
      cause?: unknown;
      waitedMs?: number;
      proxy?: string;
      /** True when the request was not sent, which says nothing about the site. */
      isUnsent?: true;
    };
