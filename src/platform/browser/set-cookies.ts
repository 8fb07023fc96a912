import type { Protocol } from "devtools-protocol";
import type { ProfileCookie } from "../../core/sessions/profile.ts";
import { CdpError, type CdpConnection } from "./cdp-connection.ts";

/**
 * Sets cookies in a browser context, one by one if the browser refuses them together, so that a bad one blocks no other.
 * @param browserContextId default: the browser's default context.
 */
export async function setCookies(
  connection: CdpConnection,
  cookies: readonly ProfileCookie[],
  browserContextId?: string,
): Promise<void> {
  if (cookies.length === 0) return;
  const set = (list: readonly ProfileCookie[]): Promise<unknown> =>
    connection.send("Storage.setCookies", {
      cookies: list.map(toCookieParam),
      ...(browserContextId === undefined ? {} : { browserContextId }),
    });
  try {
    await set(cookies);
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    for (const cookie of cookies) await set([cookie]).catch(() => undefined);
  }
}

/** Casts the partition key, which is set in the form in which it was read; the protocol's types know only one form. */
function toCookieParam(cookie: ProfileCookie): Protocol.Network.CookieParam {
  return cookie as Protocol.Network.CookieParam;
}
