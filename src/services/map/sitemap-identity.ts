import { isAppError } from "../../core/errors.ts";
import type { ProfileCookie } from "../../core/sessions/profile.ts";
import { portableHeaders } from "../../core/url/portable-headers.ts";
import { acceptLanguage } from "../../engines/plain-fetch.ts";
import type { ScrapeOptions } from "../../formats/scrape-options.ts";
import type { Deps } from "../deps.ts";
import { profileForPage } from "../sessions/scrape-profile.ts";

/** Headers and cookies that sitemaps are requested with, as the pages of their site are. */
export interface SitemapIdentity {
  headers: Record<string, string>;
  cookies: readonly ProfileCookie[] | undefined;
}

/**
 * Returns how a job's scrape options request the sitemaps of its site.
 * @param site `hasMoved`: the site is at another host than was requested, which receives the portable headers only.
 */
export async function sitemapIdentity(
  deps: Pick<Deps, "profiles" | "clock">,
  { headers = {}, profile, location }: ScrapeOptions,
  { teamId, startUrl, hasMoved }: { teamId: string; startUrl: string; hasMoved: boolean },
): Promise<SitemapIdentity> {
  const own = hasMoved ? portableHeaders(headers) : headers;
  return {
    headers: withLanguages(own, location?.languages ?? []),
    cookies: profile ? await cookiesOf(deps, { teamId, name: profile.name, url: startUrl }) : undefined,
  };
}

/** Adds the languages of an option to headers, unless these name languages themselves. */
export function withLanguages(
  headers: Readonly<Record<string, string>>,
  languages: readonly string[],
): Record<string, string> {
  const isNamed = Object.keys(headers).some((name) => name.toLowerCase() === "accept-language");
  return languages.length === 0 || isNamed
    ? { ...headers }
    : { ...headers, "accept-language": acceptLanguage(languages) };
}

/** Returns no cookies for a profile that cannot be used: the pages of the job say why. */
async function cookiesOf(
  deps: Pick<Deps, "profiles" | "clock">,
  { teamId, name, url }: { teamId: string; name: string; url: string },
): Promise<readonly ProfileCookie[] | undefined> {
  try {
    const { state } = await profileForPage(deps, { teamId, name }, { url, isOneOfMany: true });
    return state.cookies;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}
