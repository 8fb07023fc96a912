import { AppError, type ErrorCode } from "../errors.ts";

/** A response as far as it shows whether the platform's edge has made it in place of a site. */
export interface EdgeResponse {
  statusCode: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string;
}

/** An error response of the edge: its number (520–527, or 1000 and above), and the error that it means here. */
export interface EdgeError {
  number: number;
  code: ErrorCode;
  message: string;
}

/** Number of the edge's error for an address without a host name, which `fetch` does not load but a browser does. */
export const ADDRESS_LITERAL = 1003;

/** Statuses that the edge uses for sites that it cannot reach, and 403 and 409 for addresses that it does not load. */
const EDGE_STATUSES = new Set([403, 409, 520, 521, 522, 523, 524, 525, 526, 527, 530]);
/** The pages of the edge are smaller than this. */
const MAX_PAGE_CHARS = 30_000;
/** The whole body that a Worker's fetch receives. */
const SHORT_TEXT = /^\s*error code: (\d{3,4})\s*$/i;
/** Title and marks of the page that the edge shows to browsers. */
const PAGE_MARKS = /id="cf-(?:error-details|wrapper)"/;
const PAGE_NUMBERS = [/<title>[^<]{0,300}\| (5\d\d): /, /cf-error-code">(?:Error code )?(\d{3,4})</i];

const ERRORS_OF_EDGE: Record<number, [ErrorCode, string]> = {
  520: ["SCRAPE_SITE_ERROR", "The site closed the connection, or sent a response that is not HTTP"],
  521: ["SCRAPE_SITE_ERROR", "The site refused the connection"],
  522: ["SCRAPE_TIMEOUT", "The site accepted no connection in time"],
  523: ["SCRAPE_SITE_ERROR", "No route leads to the site"],
  524: ["SCRAPE_TIMEOUT", "The site accepted the connection and did not respond in time"],
  525: ["SCRAPE_SSL_ERROR", "The TLS handshake with the site failed"],
  526: ["SCRAPE_SSL_ERROR", "The site's TLS certificate is not valid"],
  527: ["SCRAPE_SITE_ERROR", "The connection to the site was interrupted"],
  1000: ["SCRAPE_SITE_ERROR", "The host name of this URL points to an address that the platform does not load"],
  1001: ["SCRAPE_DNS_RESOLUTION_ERROR", "The host name of this URL does not resolve"],
  1003: ["SCRAPE_SITE_ERROR", "The platform's fetch loads no address without a host name"],
  1016: ["SCRAPE_DNS_RESOLUTION_ERROR", "The host name of this URL does not resolve"],
  1033: ["SCRAPE_SITE_ERROR", "The tunnel that leads to the site is not connected"],
};

/**
 * Returns the error that the edge reports in place of a response of the site; undefined for responses of sites, whatever
 * their status. The same pages of a site's own Cloudflare account count as well: that site cannot be reached either.
 */
export function edgeErrorOf({ statusCode, headers, body }: EdgeResponse): EdgeError | undefined {
  if (!EDGE_STATUSES.has(statusCode) || headers["server"]?.toLowerCase().startsWith("cloudflare") !== true)
    return undefined;
  if (body.length > MAX_PAGE_CHARS) return undefined;
  const number = numberOf(typeof body === "string" ? body : new TextDecoder().decode(body));
  if (number === undefined) return undefined;
  // The number of a 5xx page is its status. Refusals such as 1020 are the site's own choice, and stay its response.
  if (number < 1000 && number !== statusCode) return undefined;
  const known = ERRORS_OF_EDGE[number];
  if (known !== undefined) return { number, code: known[0], message: `${known[1]} (${number})` };
  if (statusCode !== 530) return undefined;
  return { number, code: "SCRAPE_SITE_ERROR", message: `The site could not be reached (${number})` };
}

/** @throws AppError for an error response of the edge; its `details` are the number */
export function assertNoEdgeError(response: EdgeResponse): void {
  const error = edgeErrorOf(response);
  if (error !== undefined) throw new AppError(error.code, error.message, { details: error.number });
}

function numberOf(text: string): number | undefined {
  const [, short] = SHORT_TEXT.exec(text) ?? [];
  if (short !== undefined) return Number(short);
  // A browser returns the document of a short text as HTML around it.
  const [, shown] =
    /^<html><head>.{0,200}<\/head><body><pre[^>]{0,200}>\s*error code: (\d{3,4})\s*<\/pre>/is.exec(text) ?? [];
  if (shown !== undefined) return Number(shown);
  if (!PAGE_MARKS.test(text)) return undefined;
  const found = PAGE_NUMBERS.map((pattern) => pattern.exec(text)?.[1]).find((value) => value !== undefined);
  return found === undefined ? undefined : Number(found);
}
