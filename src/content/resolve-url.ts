/**
 * An address as it stands in a page, made absolute.
 * @returns undefined for what leads nowhere: empty, unreadable, or of a scheme that runs code.
 */
export function resolveUrl(address: string | undefined, baseUrl: string): string | undefined {
  const trimmed = address?.trim();
  if (trimmed === undefined || trimmed === "") return undefined;
  const resolved = URL.parse(trimmed, baseUrl);
  if (resolved === null || CODE_SCHEMES.has(resolved.protocol)) return undefined;
  return resolved.href;
}

const CODE_SCHEMES = new Set(["javascript:", "vbscript:", "about:", "blob:"]);

/** The URL that relative addresses of a page are relative to: its first `<base href>`, itself relative to the page. */
export function baseUrlOf(baseHref: string, pageUrl: string): string {
  const base = URL.parse(baseHref, pageUrl);
  return base !== null && /^https?:$/.test(base.protocol) ? base.href : pageUrl;
}

/** One candidate of a `srcset`, with its width in px or its density times 1,000 for comparison. */
export interface SrcsetCandidate {
  url: string;
  size: number;
}

/** Candidates of a `srcset` (HTML § 4.8.4.2.1); URLs may hold commas, so white space ends them. */
export function parseSrcset(srcset: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  const pattern = /\s*,*\s*(\S+?)(?:,\s+|,$|\s+([\d.]+)([wxh])(?:\s+[\d.]+h)?\s*(?:,|$)|\s*$|\s+,)/g;
  for (const [, url, amount, unit] of srcset.matchAll(pattern)) {
    if (url === undefined) continue;
    const size = amount === undefined ? 1 : Number(amount);
    candidates.push({ url, size: unit === "x" || unit === undefined ? size * 1000 : size });
  }
  return candidates;
}

/** The largest candidate of a `srcset`. */
export function largestCandidate(srcset: string | undefined): string | undefined {
  if (srcset === undefined || srcset === "") return undefined;
  let best: SrcsetCandidate | undefined;
  for (const candidate of parseSrcset(srcset)) {
    if (best === undefined || candidate.size > best.size) best = candidate;
  }
  return best?.url;
}
