/** As much of the protocol's `TargetInfo` as decides whether a driver may see the target. */
export interface TargetLook {
  type: string;
  url: string;
}

/** Kinds of targets that a driver is told of and may attach to. */
const SHOWN_TYPES = new Set(["page", "iframe", "worker", "tab", "browser"]);
/** Frames and workers of a page can be made from text as well; they have the policy of the page. */
const INNER_TYPES = new Set(["iframe", "worker"]);
const INNER_SCHEMES = new Set(["about:", "blob:", "data:"]);
/** What Chromium shows in a frame that could not be loaded. */
const ERROR_PAGE = "chrome-error://chromewebdata/";

/**
 * A URL that a page may stand on, as the WHATWG parser writes it: http, https, `about:blank`, and `blob:` of a web
 * origin. That parser removes tabs, line breaks and control characters as Chromium does, so that what was checked and
 * what is opened are the same.
 * @returns undefined for every other URL
 */
export function openableHref(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return undefined;
  const isOpenable =
    isWebProtocol(url.protocol) ||
    (url.protocol === "about:" && url.pathname === "blank") ||
    (url.protocol === "blob:" && isWebProtocol(URL.parse(url.origin)?.protocol));
  return isOpenable ? url.href : undefined;
}

/** True for a target on a URL that it may stand on; one that has not gone anywhere yet has none. */
export function hasOpenUrl({ type, url }: TargetLook): boolean {
  if (url === "" || url === ERROR_PAGE || openableHref(url) !== undefined) return true;
  return INNER_TYPES.has(type) && INNER_SCHEMES.has(URL.parse(url)?.protocol ?? "");
}

/** True for a target that a driver is told of and may attach to. */
export function isShownTarget(target: TargetLook): boolean {
  return SHOWN_TYPES.has(target.type) && hasOpenUrl(target);
}

function isWebProtocol(protocol: string | undefined): boolean {
  return protocol === "http:" || protocol === "https:";
}
