import { z } from "zod";

const MAX_BROWSERS = 100;
const CdpUrl = z.url({ protocol: /^(?:wss?|https?)$/ });

/** Reads a list of CDP endpoints, separated by commas. @throws Error that says what is wrong, without any token */
export function parseCdpUrls(text: string): string[] {
  const urls = text.split(/[\s,]+/).filter((url) => url !== "");
  const isValid = urls.length <= MAX_BROWSERS && urls.every((url) => CdpUrl.safeParse(url).success);
  if (!isValid)
    throw new Error(`must be at most ${MAX_BROWSERS} URLs with ws, wss, http or https, separated by commas`);
  return urls;
}

const PREFIX = "own-";

/** Reports whether a browser session is in a browser of the operator, not in one of the platform. */
export function isOwnBrowser(browserSessionId: string): boolean {
  return browserSessionId.startsWith(PREFIX);
}

/** Returns a key of an endpoint that stays the same when the list of endpoints changes (FNV-1a). */
export function keyOfEndpoint(url: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(url)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, "0");
}

export function newOwnSessionId(key: string): string {
  return `${PREFIX}${key}-${crypto.randomUUID()}`;
}

/** Returns the key of the endpoint of a session in a browser of the operator; undefined for sessions of the platform. */
export function keyOfSession(browserSessionId: string): string | undefined {
  return isOwnBrowser(browserSessionId) ? browserSessionId.slice(PREFIX.length, PREFIX.length + 8) : undefined;
}

/** Returns the URL over HTTP of an endpoint that is given as a WebSocket's. */
export function overHttp(url: string): URL {
  return new URL(url.replace(/^ws/, "http"));
}
