/** A cookie as the browser tells and takes it (Chrome DevTools Protocol, Network.CookieParam). */
export interface ProfileCookie {
  name: string;
  value: string;
  domain: string;
  path: string;
  /** Seconds since the epoch; without it the cookie ends with the browser. */
  expires?: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  /** As the browser puts it: a text in older ones, an object in newer ones. */
  partitionKey?: unknown;
}

/** What one origin keeps in a browser. */
export interface OriginState {
  origin: string;
  localStorage: [string, string][];
  sessionStorage: [string, string][];
  /** Databases as the program that reads and writes them in the page puts them; opaque to everybody else. */
  databases: unknown[];
}

/** Everything that makes a browser known to the sites it was on. */
export interface ProfileState {
  version: 1;
  cookies: ProfileCookie[];
  origins: OriginState[];
}

export const EMPTY_PROFILE: ProfileState = { version: 1, cookies: [], origins: [] };

/**
 * Puts a tab's session storage to what its origin keeps already. A new session begins with one tab, which is given what
 * all tabs had; of a key that two of them have, the value that came first stays.
 */
export function addSessionStorage(
  origins: readonly OriginState[],
  { origin, entries }: { origin: string; entries: readonly [string, string][] },
): OriginState[] {
  if (entries.length === 0) return [...origins];
  const blank: OriginState = { origin, localStorage: [], sessionStorage: [], databases: [] };
  const known = origins.find((state) => state.origin === origin);
  const before = known ?? blank;
  const keys = new Set(before.sessionStorage.map(([key]) => key));
  const sessionStorage = [...before.sessionStorage, ...entries.filter(([key]) => !keys.has(key))];
  const state = { ...before, sessionStorage };
  return known === undefined ? [...origins, state] : origins.map((one) => (one === known ? state : one));
}

/** Origins whose storage is worth looking at: those that were visited, and those that cookies belong to. */
export function originsOf(visited: readonly string[], cookies: readonly ProfileCookie[], limit: number): string[] {
  const ofCookies = cookies.flatMap(({ domain, secure }) => {
    const host = domain.replace(/^\./, "");
    return secure ? [`https://${host}`] : [`https://${host}`, `http://${host}`];
  });
  return [...new Set([...visited, ...ofCookies])].filter(isWebOrigin).slice(0, limit);
}

function isWebOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.origin === origin;
}
