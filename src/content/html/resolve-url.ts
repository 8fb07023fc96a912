import { readPlainAddress } from "../../core/url/plain-address.ts";

/**
 * Returns an address written in a page as an absolute URL.
 * @returns undefined for an address that cannot be followed: empty, unreadable, or of a scheme that runs code.
 */
export function resolveUrl(address: string | undefined, baseUrl: string): string | undefined {
  const trimmed = address?.trim();
  if (trimmed === undefined || trimmed === "") return undefined;
  const plain = readPlainAddress(trimmed, baseUrl);
  if (plain !== undefined) return plain;
  const resolved = URL.parse(trimmed, baseUrl);
  if (resolved === null || CODE_SCHEMES.has(resolved.protocol) || DATA_WITH_CODE.test(resolved.href)) return undefined;
  return resolved.href;
}

const CODE_SCHEMES = new Set(["javascript:", "vbscript:", "about:", "blob:"]);
/** Documents whose scripts run where they are opened. SVG stays: as a picture it runs none. */
const DATA_WITH_CODE = /^data:(?:text\/html|application\/xhtml\+xml|(?:text|application)\/xml)\b/i;

/** A longer base is ignored: each relative address becomes as long as its base. */
const MAX_BASE_CHARS = 2_000;

/** True for the `href` of a `<base>` that counts; the first of them is the base of the page. */
export function isBase(href: string): boolean {
  return href !== "" && href.length <= MAX_BASE_CHARS;
}

/**
 * Returns the URL that relative addresses of a page are relative to: its first `<base href>`, itself relative to the
 * page.
 */
export function baseUrlOf(baseHref: string, pageUrl: string): string {
  const base = baseHref.length <= MAX_BASE_CHARS ? URL.parse(baseHref, pageUrl) : null;
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : pageUrl;
}

const CHARS_A_STEP = 16;
const USUAL_BASE_CHARS = 200;

/** Returns the steps of a budget that one address takes: a relative one is parsed with its base, and becomes as long. */
export function stepsToResolve(baseUrl: string): number {
  return 1 + baseUrl.length / CHARS_A_STEP;
}

/** Returns the steps that an address takes because the base is longer than usual; 0 on most pages. */
export function stepsOfLongBase(baseUrl: string): number {
  return Math.max(0, baseUrl.length - USUAL_BASE_CHARS) / CHARS_A_STEP;
}

/** One candidate of a `srcset`, with its width in px or its density times 1,000 for comparison. */
export interface SrcsetCandidate {
  url: string;
  size: number;
  /** The descriptor as written in the source, such as `2x`; empty when there is none. */
  descriptor: string;
}

/**
 * Returns the candidates of a `srcset` (HTML § 4.8.4.2.1). White space ends a URL, and so does a comma behind it;
 * commas inside belong to it. Unreadable descriptors are ignored.
 */
export function parseSrcset(srcset: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  let position = 0;
  while (position < srcset.length) {
    position = skip(srcset, position, SPACE_OR_COMMA);
    const end = findSpace(srcset, position);
    const source = srcset.slice(position, end);
    const url = source.endsWith(",") ? source.replace(TRAILING_COMMAS, "") : source;
    position = end;
    let descriptor = "";
    if (url.length === source.length) {
      const comma = srcset.indexOf(",", end);
      position = comma === -1 ? srcset.length : comma;
      descriptor = srcset.slice(end, position);
    }
    if (url !== "") candidates.push({ url, size: sizeOf(descriptor), descriptor: descriptor.trim() });
  }
  return candidates;
}

const SPACE_OR_COMMA = /[\s,]/;
const TRAILING_COMMAS = /(?<!,),+$/;
const DESCRIPTOR = /(?:^|\s)(\d+(?:\.\d+)?)([wx])(?:\s|$)/;

function skip(text: string, from: number, what: RegExp): number {
  let position = from;
  while (position < text.length && !isAsciiLetter(text.charCodeAt(position)) && what.test(text.charAt(position)))
    position++;
  return position;
}

function isAsciiLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function findSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && text.charCodeAt(position) > 32) position++;
  return position;
}

function sizeOf(descriptor: string): number {
  if (descriptor === "") return 1000;
  const [, amount, unit] = DESCRIPTOR.exec(descriptor) ?? [];
  if (amount === undefined) return 1000;
  return unit === "x" ? Number(amount) * 1000 : Number(amount);
}

/** Returns the largest candidate of a `srcset`. */
export function largestCandidate(srcset: string | undefined): string | undefined {
  if (srcset === undefined || srcset === "") return undefined;
  let best: SrcsetCandidate | undefined;
  for (const candidate of parseSrcset(srcset)) {
    if (best === undefined || candidate.size > best.size) best = candidate;
  }
  return best?.url;
}
