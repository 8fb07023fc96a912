import { z } from "zod";

/** A cookie in the browser's format (Chrome DevTools Protocol, Network.CookieParam). */
export const ProfileCookie = z.object({
  name: z.string(),
  value: z.string(),
  domain: z.string(),
  path: z.string(),
  /** Seconds since the epoch; without it the cookie ends with the browser. */
  expires: z.number().optional(),
  httpOnly: z.boolean(),
  secure: z.boolean(),
  sameSite: z.enum(["Strict", "Lax", "None"]).optional(),
  /** In the browser's format: a string in older versions, an object in newer ones. */
  partitionKey: z.unknown().optional(),
});
export type ProfileCookie = z.infer<typeof ProfileCookie>;

/** Storage of one origin in a browser. */
export const OriginState = z.object({
  origin: z.string(),
  localStorage: z.array(z.tuple([z.string(), z.string()])).default([]),
  sessionStorage: z.array(z.tuple([z.string(), z.string()])).default([]),
  /** Databases in the format of the page script that reads and writes them; opaque to other code. */
  databases: z.array(z.unknown()).default([]),
});
export type OriginState = z.infer<typeof OriginState>;

/** Cookies and storage by which sites recognize a browser. */
export const ProfileState = z.object({
  version: z.literal(1),
  cookies: z.array(ProfileCookie),
  origins: z.array(OriginState),
});
export type ProfileState = z.infer<typeof ProfileState>;

export const EMPTY_PROFILE: ProfileState = { version: 1, cookies: [], origins: [] };

/**
 * Adds a tab's session storage to the state of its origin. A new session begins with one tab, which receives the
 * storage of all tabs; for a key that two tabs have, the first value is retained.
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

/** Returns the origins whose storage is read: visited origins and those of cookies. */
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
