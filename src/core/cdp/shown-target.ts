/** Fields of the protocol's `TargetInfo` that decide whether a driver may see the target. */
export interface TargetSummary {
  type: string;
  url: string;
}

/** Types of targets that a driver sees and may attach to. */
const SHOWN_TYPES = new Set(["page", "iframe", "worker", "tab", "browser"]);
/** Types of targets inside a page, which can also be created from text; the page's policy applies to them. */
const INNER_TYPES = new Set(["iframe", "worker"]);
const INNER_SCHEMES = new Set(["about:", "blob:", "data:"]);
/** URL that Chromium shows in a frame that could not be loaded. */
const ERROR_PAGE = "chrome-error://chromewebdata/";

/**
 * Returns a URL that a page may show, as serialized by the WHATWG parser: http, https, `about:blank`, and `blob:` of a
 * web origin. That parser removes tabs, line breaks and control characters as Chromium does, so that the checked URL
 * and the opened one are the same.
 * @returns undefined for every other URL
 */
export function allowedPageUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const isOpenable =
    isWebProtocol(url.protocol) ||
    (url.protocol === "about:" && url.pathname === "blank") ||
    (url.protocol === "blob:" && isWebProtocol(URL.parse(url.origin)?.protocol));
  return isOpenable ? url.href : undefined;
}

/** Reports whether a target's URL is allowed; a target that has not navigated yet has none. */
export function hasAllowedUrl({ type, url }: TargetSummary): boolean {
  if (url === "" || url === ERROR_PAGE || allowedPageUrl(url) !== undefined) return true;
  return INNER_TYPES.has(type) && INNER_SCHEMES.has(URL.parse(url)?.protocol ?? "");
}

/** Reports whether a driver sees a target and may attach to it. */
export function isShownTarget(target: TargetSummary): boolean {
  return SHOWN_TYPES.has(target.type) && hasAllowedUrl(target);
}

function isWebProtocol(protocol: string | undefined): boolean {
  return protocol === "http:" || protocol === "https:";
}
