/** Paths of a session: of its DevTools, its live view and its API. */
const SESSION_PATH = /^\/(v2\/(?:browser|interact)|view)\/([^/]+)/;

/**
 * Returns the session that a target names, as in `/v2/browser/ID/cdp?token=…`, and its token. The ID is in one spelling, so that
 * one session has one.
 */
export function sessionOf(target: string): { id: string; token: string | undefined; isDevTools: boolean } | undefined {
  const url = URL.parse(target.startsWith("/") ? `http://service${target}` : target);
  const [, place, id] = SESSION_PATH.exec(decoded(url?.pathname ?? "").toLowerCase()) ?? [];
  if (id === undefined) return undefined;
  return { id, token: url?.searchParams.get("token") ?? undefined, isDevTools: place !== "view" };
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    // The service has no such path either.
    return path;
  }
}
